"""Inverse kinematics of the lift and the arm."""

from dataclasses import dataclass

import mink
import numpy as np

from openral_core.arrays import Joints, Transform, Vector3
from openral_core.errors import OpenRALError
from openral_sim.robot.sim_robot import SimRobot


@dataclass(frozen=True)
class IkConfig:
    """Parameters of the solver."""

    max_steps: int = 40  # Gauss-Newton steps per seed.
    position_tolerance: float = 0.002  # Position error that counts as converged in [m].
    angle_tolerance: float = 0.02  # Orientation error that counts as converged in [rad].
    # Length that weighs orientation error against position error in [m/rad], about a hand's.
    lever: float = 0.1
    lift_cost: float = 3e-3  # Cost of a deviation of the lift from the start, in [1/m].
    arm_cost: float = 1e-3  # The same of an arm joint, in [1/rad].


CONFIG = IkConfig()


class IkFailed(OpenRALError):
    """No posture of the lift and the arm brings the hand to a pose."""

    def __init__(self, position: Vector3, error: float, tries: int) -> None:
        where = ", ".join(f"{value:.2f}" for value in position)
        super().__init__(
            f"the hand cannot reach ({where}) in base_link: off by {error * 100:.1f} cm after {tries} tries"
        )


class IkSolver:
    """Differential IK of a robot's lift and arm, base_link at the origin."""

    def __init__(self, robot: SimRobot) -> None:
        self._robot, model = robot, robot.reach_model
        self._configuration = mink.Configuration(model)
        self._task = mink.FrameTask(
            robot.names.grasp_site, "site", position_cost=1.0, orientation_cost=0.3, lm_damping=1e-3
        )
        self._posture = mink.PostureTask(model, cost=self._posture_cost())
        self._limits = [mink.ConfigurationLimit(model)]
        self._low, self._high = model.jnt_range.T

    def _posture_cost(self) -> Joints:
        names = self._robot.names
        lift = [CONFIG.lift_cost] if names.lift_joint else []
        return np.array(lift + [CONFIG.arm_cost] * len(names.arm_joints))

    def solve(self, T_base_grasp: Transform, start: Joints, tries: int = 3, seed: int = 0) -> Joints:
        """Solve for a grasp site pose ``T_base_grasp``, close to ``start`` if possible.

        Args:
            T_base_grasp: Wanted pose of the grasp site in base_link, shape (4, 4).
            start: Posture to start from and to stay close to, shape (N,).
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

    def forward(self, q: Joints) -> Transform:
        """Pose of the grasp site in base_link for joint values, shape (4, 4)."""
        self._configuration.update(q)
        T = self._configuration.get_transform_frame_to_world(self._robot.names.grasp_site, "site")
        pose: Transform = np.array(T.as_matrix())
        return pose

    def _excess_distance(self, position: Vector3) -> float:
        """Distance of a position beyond the reach of the stretched arm in [m]; negative inside."""
        shoulder, (low, high) = self._robot.shoulder.copy(), self._robot.lift_range
        shoulder[2] += np.clip(position[2] - shoulder[2], 0.0, high - low)
        return float(np.linalg.norm(position - shoulder)) - self._robot.description.arm.reach

    def _seed_posture(self, attempt: int, start: Joints, rng: np.random.Generator) -> Joints:
        if attempt == 0:
            return start
        if attempt == 1:
            return self._robot.comfortable
        return np.asarray(rng.uniform(self._low, self._high))

    def _descend(self, q: Joints) -> tuple[Joints, float | None]:
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
