"""Inverse kinematics of the lift and the arm."""

from dataclasses import dataclass

import mink
import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError
from openral_sim.robot.joints import RobotNames
from openral_sim.robot.model import ARM_MOUNT, LIFT_TRAVEL, reach_model

Vector = NDArray[np.float64]

COMFORTABLE = np.array([0.25, 0.0, 0.0, 0.0, -2.0, 0.0, 0.45, 0.0])
"""Seed posture near most poses in front of the robot; lift [m], joints [rad]."""


@dataclass(frozen=True)
class IkConfig:
    """Parameters of the solver.

    Attributes:
        shoulder_height: Height of the shoulder above the arm's mount in [m]; d1 of the Panda's DH table.
        max_reach: Distance from the shoulder to the grasp site at full stretch in [m]; an upper bound.
        max_steps: Gauss-Newton steps per seed.
        position_tolerance: Position error that counts as converged in [m].
        angle_tolerance: Orientation error that counts as converged in [rad].
        lever: Length that weighs orientation error against position error in [m/rad], about a hand's.
    """

    shoulder_height: float = 0.333
    max_reach: float = 1.03
    max_steps: int = 40
    position_tolerance: float = 0.002
    angle_tolerance: float = 0.02
    lever: float = 0.1


CONFIG = IkConfig()


class IkFailed(OpenRALError):
    """No posture of the lift and the arm brings the hand to a pose."""

    def __init__(self, position: Vector, error: float, tries: int) -> None:
        where = ", ".join(f"{value:.2f}" for value in position)
        super().__init__(
            f"the hand cannot reach ({where}) in base_link: off by {error * 100:.1f} cm after {tries} tries"
        )


class IkSolver:
    """Differential IK of the lift and the arm, base_link at the origin."""

    def __init__(self) -> None:
        model = reach_model()
        self._configuration = mink.Configuration(model)
        self._task = mink.FrameTask(
            RobotNames().grasp_site, "site", position_cost=1.0, orientation_cost=0.3, lm_damping=1e-3
        )
        self._posture = mink.PostureTask(model, cost=np.array([3e-3] + [1e-3] * 7))
        self._limits = [mink.ConfigurationLimit(model)]
        self._low, self._high = model.jnt_range.T

    def solve(self, T_base_grasp: Vector, start: Vector, tries: int = 3, seed: int = 0) -> Vector:
        """Solve for a grasp site pose ``T_base_grasp``, close to ``start`` if possible.

        Args:
            T_base_grasp: Wanted pose of the grasp site in base_link, shape (4, 4).
            start: Posture to start from and to stay close to, shape (8,).
            tries: Number of seeds: ``start``, the comfortable posture, then random ones.
            seed: Seed of the random ones.

        Raises:
            IkFailed: If none of them converges.
        """
        excess = self._excess_distance(T_base_grasp[:3, 3])
        if excess > 0.0:
            raise IkFailed(T_base_grasp[:3, 3], excess, 0)
        rng = np.random.default_rng(seed)
        self._task.set_target(mink.SE3.from_matrix(T_base_grasp))
        best = np.inf
        for attempt in range(tries):
            q, error = self._descend(self._seed_posture(attempt, start, rng))
            if error is None:
                return q
            best = min(best, error)
        raise IkFailed(T_base_grasp[:3, 3], best, tries)

    def forward(self, q: Vector) -> Vector:
        """Pose of the grasp site in base_link for joint values, shape (4, 4)."""
        self._configuration.update(q)
        T = self._configuration.get_transform_frame_to_world(RobotNames().grasp_site, "site")
        pose: Vector = np.array(T.as_matrix())
        return pose

    def _excess_distance(self, position: Vector) -> float:
        """Distance of a position beyond the reach of the stretched arm in [m]; negative inside."""
        shoulder = np.array([ARM_MOUNT[0], ARM_MOUNT[1], ARM_MOUNT[2] + CONFIG.shoulder_height])
        shoulder[2] += np.clip(position[2] - shoulder[2], 0.0, LIFT_TRAVEL)
        return float(np.linalg.norm(position - shoulder)) - CONFIG.max_reach

    def _seed_posture(self, attempt: int, start: Vector, rng: np.random.Generator) -> Vector:
        if attempt == 0:
            return start
        if attempt == 1:
            return COMFORTABLE
        return np.asarray(rng.uniform(self._low, self._high))

    def _descend(self, q: Vector) -> tuple[Vector, float | None]:
        """Iterate from ``q``; the error is None once within tolerance, else the remaining one in [m]."""
        self._configuration.update(np.clip(q, self._low + 1e-3, self._high - 1e-3))
        self._posture.set_target(self._configuration.q)
        for _ in range(CONFIG.max_steps):
            error = self._task.compute_error(self._configuration)
            offset, angle = float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))
            if offset < CONFIG.position_tolerance and angle < CONFIG.angle_tolerance:
                return np.array(self._configuration.q), None
            if not self._step():
                break
        return np.array(self._configuration.q), offset + CONFIG.lever * angle

    def _step(self) -> bool:
        tasks = [self._task, self._posture]
        try:
            velocity = mink.solve_ik(
                self._configuration, tasks, 1.0, "daqp", damping=1e-6, limits=self._limits
            )
        except mink.NoSolutionFound:
            return False
        self._configuration.integrate_inplace(velocity, 1.0)
        return True
