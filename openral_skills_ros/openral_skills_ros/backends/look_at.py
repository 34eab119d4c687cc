"""LOOK_AT by a pan-tilt head, by turning the base, or by both."""

from math import atan2, hypot

import numpy as np
from builtin_interfaces.msg import Duration
from numpy.typing import NDArray
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectoryPoint

from openral_core.geometry import Pose, StaleTransform, UnknownFrame, transform_points, wrap_angle
from openral_core.robot import Frames, HeadBackend, SpinBackend
from openral_core.skill_errors import NotReachable, SkillFailed
from openral_core.skill_requests import LookAtRequest, Params
from openral_core.skills import SkillResult, SkillStatus
from openral_ros.resources import ResourceScope
from openral_ros.tf_buffer import TransformBuffer
from openral_skills_ros.backends.backend import Run
from openral_skills_ros.foreign_action import Ended, ForeignAction
from openral_skills_ros.goal_templates import Message, code_of, field_of
from openral_skills_ros.status_table import status_of

SPIN = "nav2_msgs/action/Spin"
FOLLOW_JOINT_TRAJECTORY = "control_msgs/action/FollowJointTrajectory"
MIN_MOTION = 0.5
"""Shortest duration of a motion of the head [s]; controllers reject a trajectory that ends at once."""


class NoTransform(SkillFailed):
    """A target that cannot be transformed to the robot."""

    def __init__(self, error: object) -> None:
        super().__init__(f"the target's direction is unknown: {error}")


def direction(transforms: TransformBuffer, frames: Frames, frame: str, target: Pose) -> NDArray[np.float64]:
    """Return a target in map as a point in a frame of the robot, shape (3,).

    Raises:
        NoTransform: If there is no transform.
    """
    try:
        newest = transforms.newest(frame, frames.map)
        T_frame_map = transforms.lookup(frame, frames.map, newest)
    except (UnknownFrame, StaleTransform) as error:
        raise NoTransform(error) from error
    return transform_points(T_frame_map, np.array([target.position]))[0]


def missing_transform(transforms: TransformBuffer, frames: Frames, frame: str) -> str:
    """Return why a direction in a frame of the robot is unknown, "" if it is known."""
    try:
        transforms.newest(frame, frames.map)
    except UnknownFrame as error:
        return f"{error}; start localisation and robot_state_publisher"
    return ""


def duration_message(seconds: float) -> Duration:
    """Convert a duration [s]."""
    return Duration(sec=int(seconds), nanosec=int(1e9 * (seconds % 1.0)))


class SpinMotion:
    """Turns the base on the spot."""

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        frames: Frames,
        options: SpinBackend,
        transforms: TransformBuffer,
    ) -> None:
        self._frames, self._options, self._transforms = frames, options, transforms
        self._action = ForeignAction(scope, node, SPIN, options.action)

    @property
    def unavailable(self) -> str:
        """Reason why the base cannot be turned now."""
        if not self._action.ready:
            return f"no action server at {self._action.name}; start it"
        return missing_transform(self._transforms, self._frames, self._frames.base)

    async def execute(self, run: Run) -> SkillResult:
        """Turn towards parameter ``target``."""
        target = LookAtRequest.read(Params(run.params)).target
        x, y, _ = direction(self._transforms, self._frames, self._frames.base, target)
        angle = wrap_angle(atan2(y, x))
        if abs(angle) <= self._options.tolerance:
            return SkillResult(SkillStatus.SUCCEEDED, "facing it already", {"turned": 0.0})
        goal = self._action.goal()
        goal.target_yaw = angle
        goal.time_allowance = duration_message(2.0 + abs(angle) / self._options.yaw_rate)

        def on_feedback(feedback: Message) -> None:
            run.report("turning", abs(float(feedback.angular_distance_traveled) / angle))

        ended = await self._action.run(goal, on_feedback, run.stopping)
        status, meaning = status_of(ended.end, "nav2", code_of(ended.result, "error_code"))
        detail = str(field_of(ended.result, "error_msg") or "") or meaning
        if status is SkillStatus.SUCCEEDED:
            return SkillResult(status, "facing it", {"turned": angle})
        return SkillResult(status, f"turning: {detail}")


class HeadMotion:
    """Pans and tilts the head, after turning the base where the head cannot reach."""

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        frames: Frames,
        options: HeadBackend,
        transforms: TransformBuffer,
    ) -> None:
        self._frames, self._options, self._transforms = frames, options, transforms
        self._action = ForeignAction(scope, node, FOLLOW_JOINT_TRAJECTORY, options.action)
        self._spin = SpinMotion(scope, node, frames, options.spin, transforms) if options.spin else None

    @property
    def unavailable(self) -> str:
        """Reason why the head cannot be moved now."""
        if not self._action.ready:
            return f"no action server at {self._action.name}; start it"
        return missing_transform(self._transforms, self._frames, self._options.pan_frame)

    async def execute(self, run: Run) -> SkillResult:
        """Aim at parameter ``target``."""
        target = LookAtRequest.read(Params(run.params)).target
        pan, tilt = self._angles(target)
        if not self._reaches(pan, self._options.pan_range) and self._spin is not None:
            turned = await self._spin.execute(run)
            if not turned.success:
                return turned
            pan, tilt = self._angles(target)
        self._check(pan, tilt)
        run.report("looking", 0.5)
        ended = await self._action.run(self._goal(pan, tilt), lambda _: None, run.stopping)
        return self._result(ended, pan, tilt)

    def _angles(self, target: Pose) -> tuple[float, float]:
        """Pan and tilt that aim the camera at a target in map [rad]."""
        x, y, z = direction(self._transforms, self._frames, self._options.pan_frame, target)
        upward = atan2(z - self._options.tilt_height, hypot(x, y))
        return wrap_angle(atan2(y, x)), -upward if self._options.tilt_down_is_positive else upward

    @staticmethod
    def _reaches(angle: float, bounds: tuple[float, float]) -> bool:
        return bounds[0] <= angle <= bounds[1]

    def _check(self, pan: float, tilt: float) -> None:
        for name, angle, bounds in (
            ("pan", pan, self._options.pan_range),
            ("tilt", tilt, self._options.tilt_range),
        ):
            if not self._reaches(angle, bounds):
                low, high = bounds
                raise NotReachable(f"{name} of {angle:.2f} rad: the head can {name} {low:.2f} to {high:.2f}")

    def _goal(self, pan: float, tilt: float) -> Message:
        goal = self._action.goal()
        goal.trajectory.joint_names = [self._options.pan_joint, self._options.tilt_joint]
        # The head may have to cross its whole range: its present posture is the controller's to know.
        widest = max(high - low for low, high in (self._options.pan_range, self._options.tilt_range))
        time = duration_message(max(MIN_MOTION, widest / self._options.speed))
        goal.trajectory.points = [JointTrajectoryPoint(positions=[pan, tilt], time_from_start=time)]
        return goal

    @staticmethod
    def _result(ended: Ended, pan: float, tilt: float) -> SkillResult:
        status, meaning = status_of(ended.end, "trajectory", code_of(ended.result, "error_code"))
        if status is SkillStatus.SUCCEEDED:
            return SkillResult(status, "looking at it", {"pan": pan, "tilt": tilt})
        detail = str(field_of(ended.result, "error_string") or "") or meaning
        return SkillResult(status, f"head: {detail}")
