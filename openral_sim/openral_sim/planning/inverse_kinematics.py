"""Joint values that bring the hand to a pose: inverse kinematics on the robot alone."""

import mink
import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError
from openral_sim.robot.joints import RobotNames
from openral_sim.robot.model import ARM_MOUNT, LIFT_TRAVEL, reach_model

Vector = NDArray[np.float64]

COMFORTABLE = np.array([0.25, 0.0, 0.0, 0.0, -2.0, 0.0, 0.45, 0.0])
"""A posture from which most poses in front are near; lift [m], joints [rad]."""
_SHOULDER, _STRETCHED = 0.333, 1.03
"""Height of the shoulder above the arm's mount and its distance to the grasp site at full stretch in [m]."""
_STEPS = 40
_POSITION_TOLERANCE = 0.002
_ANGLE_TOLERANCE = 0.02


class IkFailed(OpenRALError):
    """No posture of lift and arm brings the hand to a pose."""

    def __init__(self, position: Vector, error: float, tries: int) -> None:
        where = ", ".join(f"{value:.2f}" for value in position)
        super().__init__(
            f"the hand cannot reach ({where}) in base_link: {tries} tries ended {error * 100:.1f} cm away"
        )


class IkSolver:
    """Solves for the lift and the arm with base_link at the origin."""

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
        """Find joint values whose grasp site stands at ``T_base_grasp``, near ``start`` if possible.

        Args:
            T_base_grasp: Wanted pose of the grasp site in base_link, shape (4, 4).
            start: Where the search begins and what it stays close to, shape (8,).
            tries: How many beginnings to try: ``start``, the comfortable posture, then random ones.
            seed: Of those random ones.

        Raises:
            Unreachable: If none of them converges.
        """
        beyond = self._beyond(T_base_grasp[:3, 3])
        if beyond > 0.0:
            raise IkFailed(T_base_grasp[:3, 3], beyond, 0)
        rng = np.random.default_rng(seed)
        self._task.set_target(mink.SE3.from_matrix(T_base_grasp))
        best = np.inf
        for attempt in range(tries):
            q, error = self._descend(self._beginning(attempt, start, rng))
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

    def _beyond(self, position: Vector) -> float:
        """How far a position lies outside what a stretched arm could touch in [m], negative inside."""
        shoulder = np.array([ARM_MOUNT[0], ARM_MOUNT[1], ARM_MOUNT[2] + _SHOULDER])
        shoulder[2] += np.clip(position[2] - shoulder[2], 0.0, LIFT_TRAVEL)
        return float(np.linalg.norm(position - shoulder)) - _STRETCHED

    def _beginning(self, attempt: int, start: Vector, rng: np.random.Generator) -> Vector:
        if attempt == 0:
            return start
        if attempt == 1:
            return COMFORTABLE
        return np.asarray(rng.uniform(self._low, self._high))

    def _descend(self, q: Vector) -> tuple[Vector, float | None]:
        """Iterate from ``q``; the error is None once within tolerance, else metres left."""
        self._configuration.update(np.clip(q, self._low + 1e-3, self._high - 1e-3))
        self._posture.set_target(self._configuration.q)
        for _ in range(_STEPS):
            error = self._task.compute_error(self._configuration)
            offset, angle = float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))
            if offset < _POSITION_TOLERANCE and angle < _ANGLE_TOLERANCE:
                return np.array(self._configuration.q), None
            if not self._step():
                break
        return np.array(self._configuration.q), offset + 0.1 * angle

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
