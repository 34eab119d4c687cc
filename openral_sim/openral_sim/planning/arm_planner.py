"""Collision-free paths of the lift and the arm, and their timing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from ompl import base as ob
from ompl import geometric as og
from ompl import util as ou

from openral_core.arrays import Array, Joints
from openral_core.errors import OpenRALError
from openral_sim.planning.base_planner import shortcut
from openral_sim.planning.collision_checker import CollisionChecker
from openral_sim.planning.motion_profile import MotionProfile


@dataclass(frozen=True)
class ArmPlannerConfig:
    """Parameters of RRT-Connect and of the arm's trajectories."""

    # Number of postures checked before a search pauses; keeps a part of it below a second.
    max_checks: int = 2000
    range: float = 0.7  # Longest extension of the trees in [rad]; about a tenth of a joint's travel.
    resolution: float = 0.012  # Spacing of collision checks as a fraction of the joint space's extent.
    ramp: float = 0.35  # Time to reach full speed, and to stop, in [s].


CONFIG = ArmPlannerConfig()


class NoArmPath(OpenRALError):
    """No collision-free path of the arm was found between two postures."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"no collision-free arm path: {reason}")


class ArmPathSearch:
    """Search for waypoints between two postures: a straight line if free, else by RRT-Connect.

    Source: Kuffner and LaValle, RRT-Connect, ICRA 2000 (as in OMPL).
    """

    def __init__(self, checker: CollisionChecker, first: Joints, last: Joints, seed: int = 0) -> None:
        """Prepare a search from ``first`` to ``last``, each shape (D,).

        Raises:
            NoArmPath: If the goal is in collision.
        """
        if not checker.is_free(last):
            raise NoArmPath(f"at the goal {_pairs(checker, last)}")
        self._checker, self._first, self._last = checker, first, last
        # Reseeding between searches is deliberate: each depends on its own seed alone.
        ou.setLogLevel(ou.LOG_NONE)
        ou.RNG.setSeed(seed + 1)
        self._budget = _Budget(checker, len(first))
        self._setup = og.SimpleSetup(_space(checker.reach_limits, first, last))
        self._setup.setStateValidityChecker(self._budget.is_free)
        self._setup.getSpaceInformation().setStateValidityCheckingResolution(CONFIG.resolution)
        planner = og.RRTConnect(self._setup.getSpaceInformation())
        planner.setRange(CONFIG.range)
        self._setup.setPlanner(planner)
        self._setup.setStartAndGoalStates(_state(self._setup, first), _state(self._setup, last))

    def advance(self) -> Array | None:
        """Go on for a bounded number of checks; return waypoints, shape (N, D), or None as yet."""
        if not self._budget.used and self._checker.is_path_free(self._first, self._last):
            return np.array([self._first, self._last])
        self._budget.refill()
        self._setup.solve(ob.PlannerTerminationCondition(self._budget.is_spent))
        if not self._setup.haveExactSolutionPath():
            return None
        path, joints = self._setup.getSolutionPath(), range(len(self._first))
        states = (path.getState(i) for i in range(path.getStateCount()))
        return shortcut(
            np.array([[state[i] for i in joints] for state in states]), self._checker.is_path_free
        )

    @property
    def failure(self) -> NoArmPath:
        """The error of a search that is given up."""
        return NoArmPath(f"none found after {self._budget.used} postures")


def _pairs(checker: CollisionChecker, posture: Joints) -> str:
    pairs = " and ".join(f"{a} touches {b}" for a, b in checker.contact_pairs(posture)[:2])
    return pairs or "the held object would exceed its tilt limit"


def _space(limits: Array, first: Joints, last: Joints) -> ob.RealVectorStateSpace:
    low, high = limits.T
    bounds = ob.RealVectorBounds(len(limits))
    for i in range(len(limits)):
        bounds.setLow(i, float(min(low[i], first[i], last[i])) - 1e-3)
        bounds.setHigh(i, float(max(high[i], first[i], last[i])) + 1e-3)
    space = ob.RealVectorStateSpace(len(limits))
    space.setBounds(bounds)
    return space


def _state(setup: og.SimpleSetup, posture: Joints) -> object:
    state = setup.getSpaceInformation().allocState()
    for i, value in enumerate(posture):
        state[i] = float(value)
    return state


class _Budget:
    """Collision checks of a search, bounded by number rather than time so that plans are reproducible."""

    def __init__(self, checker: CollisionChecker, joints: int) -> None:
        self._checker, self._joints = checker, joints
        self.used, self._limit = 0, 0

    def refill(self) -> None:
        self._limit = self.used + CONFIG.max_checks

    def is_free(self, state: Sequence[float]) -> bool:
        self.used += 1
        return self._checker.is_free(np.array([state[i] for i in range(self._joints)]))

    def is_spent(self) -> bool:
        return self.used >= self._limit


class Trajectory:
    """Waypoints traversed at a fraction of the top speeds, with a soft start and end."""

    def __init__(self, waypoints: Array, top_speeds: Joints, speed: float = 1.0) -> None:
        """Traverse ``waypoints``, shape (N, D), at a fraction ``speed`` of ``top_speeds``, shape (D,)."""
        self._waypoints = waypoints
        steps = np.abs(np.diff(waypoints, axis=0)) / (top_speeds * speed)
        self._marks = np.concatenate([[0.0], np.cumsum(steps.max(axis=1))]) if len(steps) else np.zeros(1)
        self._profile = MotionProfile(float(self._marks[-1]), 1.0, CONFIG.ramp)
        self.duration = self._profile.duration
        """Time from rest to rest in [s]."""

    def at(self, time: float) -> Joints:
        """Posture at ``time`` [s] after the start, shape (D,)."""
        progress, _ = self._profile.at(time)
        return np.array([np.interp(progress, self._marks, column) for column in self._waypoints.T])
