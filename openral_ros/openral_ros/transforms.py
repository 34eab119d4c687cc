"""Fills a `TransformTree` from /tf and /tf_static."""

import numpy as np
from numpy.typing import NDArray
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from openral_core.geometry.transform_tree import TransformTree
from openral_ros.conversions.geometry import pose_from_transform
from openral_ros.conversions.times import seconds
from openral_ros.scopes import Scope

DYNAMIC = QoSProfile(depth=100)
STATIC = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class TransformBuffer:
    """Transforms of the last ``history`` [s] of the graph's clock."""

    def __init__(self, scope: Scope, history: float = 10.0) -> None:
        self._tree = TransformTree(history)
        scope.subscription(TFMessage, "tf", self._on_moving, DYNAMIC)
        scope.subscription(TFMessage, "tf_static", self._on_static, STATIC)

    def lookup(self, target: str, source: str, stamp: float) -> NDArray[np.float64]:
        """``T_target_source`` at a stamp [s], shape (4, 4); see `TransformTree.lookup`."""
        return self._tree.lookup(target, source, stamp)

    def newest(self, target: str, source: str) -> float:
        """Last time [s] at which that is known; see `TransformTree.newest`."""
        return self._tree.newest(target, source)

    def _on_moving(self, message: TFMessage) -> None:
        for each in message.transforms:
            pose = pose_from_transform(each.transform)
            self._tree.add(
                each.header.frame_id,
                each.child_frame_id,
                pose,
                seconds(each.header.stamp),
            )

    def _on_static(self, message: TFMessage) -> None:
        for each in message.transforms:
            self._tree.add_static(
                each.header.frame_id,
                each.child_frame_id,
                pose_from_transform(each.transform),
            )
