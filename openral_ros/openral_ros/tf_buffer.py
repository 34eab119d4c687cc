"""Buffers of transforms from /tf and /tf_static; invalid transforms are ignored one by one."""

from contextlib import suppress

from geometry_msgs.msg import TransformStamped
from rclpy.callback_groups import CallbackGroup
from rclpy.exceptions import InvalidHandle
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from tf2_msgs.msg import TFMessage

from openral_core.arrays import Transform
from openral_core.geometry import InvalidGeometry, InvalidTransform, Pose, TfTree, frame_name
from openral_ros.conversions.geometry import pose_from_transform
from openral_ros.conversions.stamps import seconds
from openral_ros.foreign_topics import subscribe_state
from openral_ros.rclpy_internals import take_waiting
from openral_ros.resources import ResourceScope, StreamScope

MOVING = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Suits every publisher of transforms; a lost one is interpolated."""
STATIC = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class TransformBuffer:
    """Transforms of the last ``history`` [s] of ROS time."""

    def __init__(self, scope: StreamScope, history: float = 10.0, **options: object) -> None:
        self._tree = TfTree(history)
        self._add = scope.guarded("transform on tf", self._add_moving_transform)
        self._add_static = scope.guarded("transform on tf_static", self._add_static_transform)
        scope.on_time_jumped_back(self._forget_moving)
        self._moving = scope.subscription(TFMessage, "tf", self._on_moving, MOVING, **options)
        subscribe_state(scope, TFMessage, "tf_static", self._on_static, STATIC.depth)

    def lookup(self, target: str, source: str, stamp: float) -> Transform:
        """Return ``T_target_source`` at a stamp [s], shape (4, 4); raises as `TfTree.lookup` does."""
        return self._tree.lookup(target, source, stamp)

    def newest(self, target: str, source: str) -> float:
        """Return the latest time [s] at which it is known; raises as `TfTree.newest` does."""
        return self._tree.newest(target, source)

    def lookup_newest(self, target: str, source: str) -> Transform:
        """Return ``T_target_source`` at the latest time at which it is known; raises as `lookup` does."""
        return self.lookup(target, source, self.newest(target, source))

    def _forget_moving(self) -> None:
        self._tree.forget_moving()

    def _on_moving(self, message: TFMessage) -> None:
        for transform in message.transforms:
            self._add(transform)

    def _on_static(self, message: TFMessage) -> None:
        for transform in message.transforms:
            self._add_static(transform)

    def _add_moving_transform(self, transform: TransformStamped) -> None:
        parent, child, pose = parse_transform(transform)
        self._tree.add(parent, child, pose, seconds(transform.header.stamp))

    def _add_static_transform(self, transform: TransformStamped) -> None:
        self._tree.add_static(*parse_transform(transform))


class NeverReady(CallbackGroup):
    """Callbacks that no executor runs, of subscriptions whose messages are taken."""

    def can_execute(self, entity: object) -> bool:
        """Return False."""
        return False

    def beginning_execution(self, entity: object) -> bool:
        """Return False."""
        return False

    def ending_execution(self, entity: object) -> None:
        """Do nothing."""


TAKE_PERIOD = 0.1
"""Longest time for which transforms wait [s]: `MOVING` holds those of a robot with 1,000 per second."""


class PolledTransformBuffer(TransformBuffer):
    """Transforms that are taken when one is looked up, and every `TAKE_PERIOD`.

    A callback for each would wake a node at rest as often as the wheels' odometry is published.
    """

    def __init__(self, scope: ResourceScope, history: float = 10.0) -> None:
        super().__init__(scope, history, callback_group=NeverReady())
        scope.timer(TAKE_PERIOD, self.take)

    def take(self) -> None:
        """Take the transforms that have arrived."""
        with suppress(InvalidHandle):  # its scope is closed
            for message in take_waiting(self._moving):
                self._on_moving(message)

    def _forget_moving(self) -> None:
        self.take()
        super()._forget_moving()

    def lookup(self, target: str, source: str, stamp: float) -> Transform:
        """Return ``T_target_source`` at a stamp [s], shape (4, 4); raises as `TfTree.lookup` does."""
        self.take()
        return super().lookup(target, source, stamp)

    def newest(self, target: str, source: str) -> float:
        """Return the latest time [s] at which it is known; raises as `TfTree.newest` does."""
        self.take()
        return super().newest(target, source)


def parse_transform(message: TransformStamped) -> tuple[str, str, Pose]:
    """Return parent frame, child frame and pose of the child.

    Raises:
        InvalidTransform: If the numbers are not a transform; tf2 ignores the same ones.
    """
    parent, child = frame_name(message.header.frame_id), frame_name(message.child_frame_id)
    try:
        return parent, child, pose_from_transform(message.transform)
    except InvalidGeometry as error:
        raise InvalidTransform(parent, child, error) from error
