"""The robot's own links: their names from robot_description, their positions from tf."""

import numpy as np
from rclpy.node import Node
from std_msgs.msg import String

from openral_core.arrays import Array, Vector3
from openral_core.errors import OpenRALError
from openral_mapping.floor.robot_body import InvalidRobotDescription, body_lines
from openral_ros.foreign_topics import subscribe_state
from openral_ros.resources import ResourceScope
from openral_ros.tf_buffer import TransformBuffer

MAX_DESCRIPTION = 4_000_000
"""Size above which a robot description is refused [characters]."""


class BodySubscription:
    """Lines between the links of the newest `robot_description`; none without one.

    Args:
        scope: Owns the subscription.
        node: Logs a description that cannot be used.
        transforms: Poses of the links.
    """

    def __init__(self, scope: ResourceScope, node: Node, transforms: TransformBuffer) -> None:
        self._node, self._transforms = node, transforms
        self._pairs: tuple[tuple[str, str], ...] = ()
        subscribe_state(scope, String, "robot_description", self._describe)

    def _describe(self, message: String) -> None:
        try:
            if len(message.data) > MAX_DESCRIPTION:
                raise InvalidRobotDescription(f"it has {len(message.data)} characters")
            self._pairs = body_lines(message.data)
        except InvalidRobotDescription as error:
            self._node.get_logger().warning(str(error))

    def lines(self, frame: str, stamp: float) -> Array:
        """Return the ends of the lines in a frame at a stamp [s], (N, 2, 3); unknown links are left out."""
        positions: dict[str, Vector3] = {}
        for name in dict.fromkeys(name for pair in self._pairs for name in pair):
            try:
                positions[name] = self._transforms.lookup(frame, name, stamp)[:3, 3]
            except OpenRALError:
                continue
        ends = [
            (positions[parent], positions[child])
            for parent, child in self._pairs
            if parent in positions and child in positions
        ]
        return np.array(ends).reshape(-1, 2, 3)
