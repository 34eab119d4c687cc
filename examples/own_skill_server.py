"""A skill server of your own: a base that drives wherever it is sent.

Replace `_drive` by calls to your robot (Nav2, MoveIt, a vendor's SDK). The server announces its verbs on
``openral/skills`` once a second; the reasoner offers only skills with an announced verb.

Usage: tools/env python examples/own_skill_server.py
"""

from contextlib import suppress
from typing import TypeAlias

import rclpy
from geometry_msgs.msg import Pose, TransformStamped
from rclpy.action import ActionServer
from rclpy.action.server import ServerGoalHandle
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from openral_core import CONTRACT_VERSION
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import SkillCatalogue

Result: TypeAlias = ExecuteRskill.Result


class SkillServer(Node):
    """Serves the verb NAVIGATE."""

    def __init__(self) -> None:
        super().__init__("skill_server")
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._skills = self.create_publisher(SkillCatalogue, "openral/skills", latched)
        self._tf = self.create_publisher(TFMessage, "tf", 10)
        self._pose = Pose()
        self._busy_with = ""
        self._server = ActionServer(self, ExecuteRskill, "openral/execute_rskill", self._execute)
        self.create_timer(1.0, self._announce)
        self.create_timer(0.1, self._publish_pose)
        self._announce()

    def _announce(self) -> None:
        self._skills.publish(
            SkillCatalogue(contract_version=CONTRACT_VERSION, verbs=["NAVIGATE"], busy_with=self._busy_with)
        )

    def _publish_pose(self) -> None:
        transform = TransformStamped(child_frame_id="base_link")
        transform.header.frame_id = "map"
        transform.header.stamp = self.get_clock().now().to_msg()
        transform.transform.translation.x = self._pose.position.x
        transform.transform.translation.y = self._pose.position.y
        transform.transform.rotation = self._pose.orientation
        self._tf.publish(TFMessage(transforms=[transform]))

    def _execute(self, handle: ServerGoalHandle) -> Result:
        goal = handle.request
        targets = [param.pose_value.pose for param in goal.params if param.key == "goal"]
        if goal.rskill_id != "navigate":
            handle.abort()
            return Result(
                status=Result.UNSUPPORTED, message=f"no skill {goal.rskill_id!r}: valid is 'navigate'"
            )
        if not targets:
            handle.abort()
            return Result(status=Result.BAD_REQUEST, message="parameter 'goal' is missing")
        self._busy_with = "NAVIGATE"
        self._drive(targets[0])
        self._busy_with = ""
        self._announce()
        handle.succeed()
        return Result(success=True, status=Result.SUCCEEDED, message="arrived")

    def _drive(self, target: Pose) -> None:
        """Move the base to a pose in map; here it arrives at once."""
        self._pose = target


if __name__ == "__main__":
    rclpy.init()
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(SkillServer())
