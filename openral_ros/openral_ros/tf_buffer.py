"""Fills a `TfTree` from /tf and /tf_static; a transform that is none is ignored, alone."""

import numpy as np
from geometry_msgs.msg import TransformStamped
from numpy.typing import NDArray
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from openral_core.geometry import InvalidGeometry, Pose
from openral_core.geometry.tf_tree import InvalidTransform, TfTree
from openral_ros.conversions.geometry import pose_from_transform, seconds
from openral_ros.resources import ResourceScope

DYNAMIC = QoSProfile(depth=100)
STATIC = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class TransformBuffer:
    """Transforms of the last ``history`` [s] of the graph's clock."""

    def __init__(self, scope: ResourceScope, history: float = 10.0) -> None:
        self._tree = TfTree(history)
        self._add = scope.guarded("transform on tf", self._add_moving)
        self._add_static = scope.guarded("transform on tf_static", self._add_fixed)
        scope.on_time_jumped_back(self._tree.forget_moving)
        scope.subscription(TFMessage, "tf", self._on_moving, DYNAMIC)
        scope.subscription(TFMessage, "tf_static", self._on_static, STATIC)

    def lookup(self, target: str, source: str, stamp: float) -> NDArray[np.float64]:
        """``T_target_source`` at a stamp [s], shape (4, 4); see `TfTree.lookup`."""
        return self._tree.lookup(target, source, stamp)

    def newest(self, target: str, source: str) -> float:
        """Last time [s] at which that is known; see `TfTree.newest`."""
        return self._tree.newest(target, source)

    def _on_moving(self, message: TFMessage) -> None:
        for each in message.transforms:
            self._add(each)

    def _on_static(self, message: TFMessage) -> None:
        for each in message.transforms:
            self._add_static(each)

    def _add_moving(self, each: TransformStamped) -> None:
        parent, child, pose = _read(each)
        self._tree.add(parent, child, pose, seconds(each.header.stamp))

    def _add_fixed(self, each: TransformStamped) -> None:
        self._tree.add_static(*_read(each))


def _read(message: TransformStamped) -> tuple[str, str, Pose]:
    """Parent, child and the child's pose.

    Raises:
        InvalidTransform: If it is no transform; tf2 ignores the same ones.
    """
    parent, child = message.header.frame_id, message.child_frame_id
    try:
        return parent, child, pose_from_transform(message.transform)
    except InvalidGeometry as error:
        raise InvalidTransform(parent, child, error) from error
