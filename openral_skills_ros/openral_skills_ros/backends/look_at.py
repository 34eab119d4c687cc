"""LOOK_AT by a pan-tilt head, by turning the base, or by both."""

from abc import ABC, abstractmethod
from math import atan2, hypot, isfinite

import numpy as np
from builtin_interfaces.msg import Duration
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from openral_core.arrays import Vector3
from openral_core.errors import format_choices
from openral_core.geometry import Pose, StaleTransform, UnknownFrame, transform_points, wrap_angle
from openral_core.robot import Frames, HeadBackend, PanTiltBackend, PanTiltDescription, SpinBackend
from openral_core.skill_errors import NotReachable, SkillFailed
from openral_core.skill_requests import LookAtRequest, Params
from openral_core.skills import SkillResult, SkillStatus
from openral_ros.qos import RELIABLE, SENSOR
from openral_ros.resources import ResourceScope
from openral_ros.tf_buffer import TransformBuffer
from openral_skills_ros.backends.backend import Pauses, Run
from openral_skills_ros.foreign_actions.client import ForeignAction
from openral_skills_ros.foreign_actions.goal_templates import Message, code_of, field_of
from openral_skills_ros.foreign_actions.status_table import status_of

SPIN = "nav2_msgs/action/Spin"
FOLLOW_JOINT_TRAJECTORY = "control_msgs/action/FollowJointTrajectory"
MIN_MOTION = 0.5
"""Shortest duration of a motion of the head [s]; controllers reject a trajectory that ends at once."""


ARRIVAL_MARGIN = 1.0
"""Time beyond the duration of a motion after which the head has not arrived [s]."""


class NoTransform(SkillFailed):
    """A target that cannot be transformed to the robot."""

    def __init__(self, error: object) -> None:
        super().__init__(f"the target's direction is unknown: {error}")


def direction(transforms: TransformBuffer, frames: Frames, frame: str, target: Pose) -> Vector3:
    """Return a target in map as a point in a frame of the robot, shape (3,).

    Raises:
        NoTransform: If there is no transform.
    """
    try:
        T_frame_map = transforms.lookup_newest(frame, frames.map)
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


class HeadMotion(ABC):
    """Pans and tilts the head, after turning the base where the head cannot reach."""

    def __init__(
        self, frames: Frames, head: PanTiltDescription, transforms: TransformBuffer, spin: SpinMotion | None
    ) -> None:
        self._frames, self._head, self._transforms, self._spin = frames, head, transforms, spin

    @property
    def unavailable(self) -> str:
        """Reason why the head cannot be moved now."""
        missing = missing_transform(self._transforms, self._frames, self._head.pan_frame)
        return self._unconnected or missing

    @property
    @abstractmethod
    def _unconnected(self) -> str:
        """Reason why the head's driver gets no command."""

    @abstractmethod
    async def _move(self, pan: float, tilt: float, run: Run) -> SkillResult:
        """Move both joints [rad]."""

    async def execute(self, run: Run) -> SkillResult:
        """Aim at parameter ``target``."""
        target = LookAtRequest.read(Params(run.params)).target
        pan, tilt = self._angles(target)
        if not _reaches(pan, self._head.pan_range) and self._spin is not None:
            turned = await self._spin.execute(run)
            if not turned.success:
                return turned
            pan, tilt = self._angles(target)
        self._check(pan, tilt)
        run.report("looking", 0.5)
        return await self._move(pan, tilt, run)

    @property
    def _duration(self) -> float:
        """Time to cross the whole range [s]: the present posture is the driver's to know."""
        widest = max(high - low for low, high in (self._head.pan_range, self._head.tilt_range))
        return max(MIN_MOTION, widest / self._head.speed)

    def _angles(self, target: Pose) -> tuple[float, float]:
        """Pan and tilt that aim the camera at a target in map [rad]."""
        x, y, z = direction(self._transforms, self._frames, self._head.pan_frame, target)
        upward = atan2(z - self._head.tilt_height, hypot(x, y))
        return wrap_angle(atan2(y, x)), -upward if self._head.tilt_down_is_positive else upward

    def _check(self, pan: float, tilt: float) -> None:
        for name, angle, bounds in (
            ("pan", pan, self._head.pan_range),
            ("tilt", tilt, self._head.tilt_range),
        ):
            if not _reaches(angle, bounds):
                low, high = bounds
                raise NotReachable(f"{name} of {angle:.2f} rad: the head can {name} {low:.2f} to {high:.2f}")


def _reaches(angle: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] <= angle <= bounds[1]


def _looking(pan: float, tilt: float) -> SkillResult:
    return SkillResult(SkillStatus.SUCCEEDED, "looking at it", {"pan": pan, "tilt": tilt})


class TrajectoryHead(HeadMotion):
    """Head moved by an action of its controller."""

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        frames: Frames,
        options: HeadBackend,
        transforms: TransformBuffer,
    ) -> None:
        self._action = ForeignAction(scope, node, FOLLOW_JOINT_TRAJECTORY, options.action)
        spin = SpinMotion(scope, node, frames, options.spin, transforms) if options.spin else None
        super().__init__(frames, options, transforms, spin)

    @property
    def _unconnected(self) -> str:
        return "" if self._action.ready else f"no action server at {self._action.name}; start it"

    async def _move(self, pan: float, tilt: float, run: Run) -> SkillResult:
        goal = self._action.goal()
        goal.trajectory = trajectory(self._head, (pan, tilt), self._duration)
        ended = await self._action.run(goal, lambda _: None, run.stopping)
        status, meaning = status_of(ended.end, "trajectory", code_of(ended.result, "error_code"))
        if status is SkillStatus.SUCCEEDED:
            return _looking(pan, tilt)
        detail = str(field_of(ended.result, "error_string") or "") or meaning
        return SkillResult(status, f"head: {detail}")


class PanTiltHead(HeadMotion):
    """Head moved by a topic, and observed by joint_states."""

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        frames: Frames,
        options: PanTiltBackend,
        transforms: TransformBuffer,
    ) -> None:
        kind = JointTrajectory if options.type == "trajectory" else Float64MultiArray
        self._options, self._pauses = options, Pauses(scope)
        self._publisher = scope.publisher(kind, options.topic, RELIABLE)
        self._joints: dict[str, float] = {}
        scope.subscription(JointState, "joint_states", self._on_joints, SENSOR)
        spin = SpinMotion(scope, node, frames, options.spin, transforms) if options.spin else None
        super().__init__(frames, options, transforms, spin)

    @property
    def _unconnected(self) -> str:
        if self._publisher.get_subscription_count() == 0:
            return f"nothing subscribes {self._publisher.topic_name}; start the head's driver"
        missing = {self._head.pan_joint, self._head.tilt_joint} - self._joints.keys()
        return f"joint_states lacks {format_choices(sorted(missing))}" if missing else ""

    @property
    def _posture(self) -> tuple[float, float]:
        return self._joints[self._head.pan_joint], self._joints[self._head.tilt_joint]

    async def _move(self, pan: float, tilt: float, run: Run) -> SkillResult:
        run.check()
        self._command((pan, tilt))

        def arrived() -> bool:
            errors = (abs(pan - self._posture[0]), abs(tilt - self._posture[1]))
            return max(errors) <= self._options.tolerance

        time = self._duration + ARRIVAL_MARGIN
        await self._pauses.until(lambda: run.stopping() or arrived(), time)
        if arrived():
            return _looking(pan, tilt)
        self._command(self._posture)
        run.check()
        where = ", ".join(f"{angle:.2f}" for angle in self._posture)
        message = f"head: pan and tilt are ({where}) after {time:.1f} s, not ({pan:.2f}, {tilt:.2f})"
        return SkillResult(SkillStatus.BLOCKED, message)

    def _command(self, posture: tuple[float, float]) -> None:
        if self._options.type == "trajectory":
            self._publisher.publish(trajectory(self._head, posture, self._duration))
        else:
            self._publisher.publish(Float64MultiArray(data=list(posture)))

    def _on_joints(self, message: JointState) -> None:
        pairs = zip(message.name, message.position, strict=False)
        self._joints |= {name: position for name, position in pairs if isfinite(position)}


def trajectory(head: PanTiltDescription, posture: tuple[float, float], duration: float) -> JointTrajectory:
    """Make a motion of pan and tilt to a posture [rad] that lasts ``duration`` [s]."""
    point = JointTrajectoryPoint(positions=list(posture), time_from_start=duration_message(duration))
    return JointTrajectory(joint_names=[head.pan_joint, head.tilt_joint], points=[point])
