"""Ways for the arm from one posture to another that touch nothing."""
# MERGED When the arm is where along its path.

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from ompl import base as ob
from ompl import geometric as og
from ompl import util as ou

from openral_core.errors import OpenRALError
from openral_sim.planning.collision_checker import CollisionChecker
from openral_sim.robot.model import reach_model

Vector = NDArray[np.float64]
_CHECKS = 2000
_RANGE = 0.7
_RESOLUTION = 0.012


class NoArmPath(OpenRALError):
    """No way for the arm was found between two postures."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the arm finds no free way: {reason}")


def plan_arm_path(checker: CollisionChecker, first: Vector, last: Vector, seed: int = 0) -> Vector:
    """Find corner postures from ``first`` to ``last``, shape (N, 8): straight if free, else by RRT-Connect.

    Source: Kuffner and LaValle, RRT-Connect, ICRA 2000 (as in OMPL).

    Raises:
        NoArmPath: If the goal touches something or the search's bound is reached.
    """
    if not checker.free(last):
        raise NoArmPath(f"at its end {_pairs(checker, last)}")
    if checker.free_between(first, last):
        return np.array([first, last])
    return _shortened(checker, _rrt_connect(checker, first, last, seed))


def _pairs(checker: CollisionChecker, posture: Vector) -> str:
    pairs = " and ".join(f"{a} touches {b}" for a, b in checker.touching(posture)[:2])
    return pairs or "what is held would tip over"


def _rrt_connect(checker: CollisionChecker, first: Vector, last: Vector, seed: int) -> Vector:
    # Reseeding between plans is deliberate: each plan depends on its own seed alone.
    ou.setLogLevel(ou.LOG_NONE)
    ou.RNG.setSeed(seed + 1)
    setup = og.SimpleSetup(_space(first, last))
    budget = _Budget(checker)
    setup.setStateValidityChecker(budget.free)
    setup.getSpaceInformation().setStateValidityCheckingResolution(_RESOLUTION)
    planner = og.RRTConnect(setup.getSpaceInformation())
    planner.setRange(_RANGE)
    setup.setPlanner(planner)
    setup.setStartAndGoalStates(_state(setup, first), _state(setup, last))
    setup.solve(ob.PlannerTerminationCondition(budget.spent))
    if not setup.haveExactSolutionPath():
        raise NoArmPath(f"{_CHECKS} postures were tried and did not join the two")
    path = setup.getSolutionPath()
    states = (path.getState(i) for i in range(path.getStateCount()))
    return np.array([[state[i] for i in range(8)] for state in states])


def _space(first: Vector, last: Vector) -> ob.RealVectorStateSpace:
    low, high = reach_model().jnt_range.T
    bounds = ob.RealVectorBounds(8)
    for i in range(8):
        bounds.setLow(i, float(min(low[i], first[i], last[i])) - 1e-3)
        bounds.setHigh(i, float(max(high[i], first[i], last[i])) + 1e-3)
    space = ob.RealVectorStateSpace(8)
    space.setBounds(bounds)
    return space


def _state(setup: og.SimpleSetup, posture: Vector) -> object:
    state = setup.getSpaceInformation().allocState()
    for i, value in enumerate(posture):
        state[i] = float(value)
    return state


class _Budget:
    """Checks postures for the search until their bounded number is spent; no clock decides."""

    def __init__(self, checker: CollisionChecker) -> None:
        self._checker, self._left = checker, _CHECKS

    def free(self, state: Sequence[float]) -> bool:
        self._left -= 1
        return self._checker.free(np.array([state[i] for i in range(8)]))

    def spent(self) -> bool:
        return self._left <= 0


def _shortened(checker: CollisionChecker, path: Vector) -> Vector:
    """Drop the postures between two that are joined by a free straight way."""
    kept = [0]
    while kept[-1] < len(path) - 1:
        here = kept[-1]
        joined = (j for j in range(len(path) - 1, here + 1, -1) if checker.free_between(path[here], path[j]))
        kept.append(next(joined, here + 1))
    return path[kept]


SPEEDS = np.array([0.40, 1.5, 1.5, 1.5, 1.5, 2.0, 2.0, 2.0])
"""Top speeds of the lift [m/s] and the arm's joints [rad/s]."""


class Trajectory:
    """Corner postures traversed at a share of the top speeds, with a soft start and end."""

    _RAMP = 0.35

    def __init__(self, corners: Vector, share: float = 1.0) -> None:
        """Traverse ``corners``, shape (N, 8), at ``share`` of the top speeds in (0, 1]."""
        self._corners = corners
        steps = np.abs(np.diff(corners, axis=0)) / (SPEEDS * share)
        self._marks = np.concatenate([[0.0], np.cumsum(steps.max(axis=1))]) if len(steps) else np.zeros(1)
        self.duration = float(self._marks[-1]) + self._RAMP
        """From rest to rest in [s]."""

    def at(self, time: float) -> Vector:
        """Posture at ``time`` [s] after the start, shape (8,)."""
        progress = self._progress(min(max(time, 0.0), self.duration))
        return np.array([np.interp(progress, self._marks, column) for column in self._corners.T])

    def _progress(self, time: float) -> float:
        """Trapezoid of speed: ramp up, cruise, ramp down."""
        total = float(self._marks[-1])
        ramp = min(self._RAMP, self.duration / 2)
        peak = total / (self.duration - ramp) if total > 0 else 0.0
        if time < ramp:
            return 0.5 * peak * time**2 / ramp
        if time > self.duration - ramp:
            return total - 0.5 * peak * (self.duration - time) ** 2 / ramp
        return peak * (time - ramp / 2)
