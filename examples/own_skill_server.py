"""A skill server of your own: a base that drives straight to where it is sent.

`openral_ros.skill_server.SkillServer` validates goals, refuses all but one, keeps deadlines and the emergency
stop, and publishes the catalogue. Yours to write is `Base`: replace `_step` by calls to your robot. The
conformance kit tests it:

    pytest --openral-skill-server / --openral-skill-goals examples/own_skill_goals.yaml

Usage: tools/env python examples/own_skill_server.py
"""

from contextlib import suppress
from math import atan2, cos, hypot, sin
from pathlib import Path

import rclpy
from geometry_msgs.msg import TransformStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage

from openral_core.geometry import Pose
from openral_core.rskills import Registry
from openral_core.skill_requests import NavigateRequest, Params
from openral_core.skills import Feedback, SkillResult, SkillStatus, Verb
from openral_ros.consent import SkillServerOptions
from openral_ros.conversions.geometry import transform_message
from openral_ros.conversions.stamps import seconds
from openral_ros.parameters import declare
from openral_ros.resources import ResourceScope
from openral_ros.skill_server import QueuedGoal, SkillServer

RSKILLS = Path(__file__).parents[1] / "rskills"
PERIOD = 0.05
"""Time between two steps of the base [s]."""
SPEED = 1.0
"""Speed of the base [m/s]."""


class Base:
    """The robot: what it serves, its progress, and the goal that it carries out."""

    served = available = (Verb.NAVIGATE,)
    holding = ""

    def __init__(self, node: Node, scope: ResourceScope) -> None:
        self._node = node
        self._goal: QueuedGoal | None = None
        self._target, self._x, self._y, self._yaw = Pose(), 0.0, 0.0, 0.0
        self._tf = scope.publisher(TFMessage, "tf", QoSProfile(depth=10))
        self.feedback = Feedback("", 0.0)
        scope.timer(PERIOD, self._step)

    @property
    def time(self) -> float:
        """ROS time [s]."""
        return seconds(self._node.get_clock().now().to_msg())

    def submit(self, goal: QueuedGoal) -> None:
        """Begin a goal; `SkillServer` has checked its parameters."""
        target = NavigateRequest.read(Params(goal.goal.params)).goal
        if target is not None:
            self._goal, self._target = goal, target

    def halt(self, reason: str) -> None:
        """Stop for an emergency; `SkillServer` sends no goal until `release`."""
        self._end(SkillStatus.CANCELLED, f"stopped: {reason}")

    def release(self) -> None:
        """Allow motion again."""

    def _step(self) -> None:
        """Drive on; end the goal once the base has arrived or has to stop."""
        if self._goal is not None:
            x, y, _ = self._target.position
            left = hypot(x - self._x, y - self._y)
            self.feedback = Feedback("driving", 1.0 / (1.0 + left))
            if self._goal.cancelled.is_set():
                self._end(SkillStatus.CANCELLED, f"stopped {left:.1f} m before the goal")
            elif left < PERIOD * SPEED:
                self._x, self._y, self._yaw = x, y, self._target.yaw
                self._end(SkillStatus.SUCCEEDED, "arrived")
            else:
                self._yaw = atan2(y - self._y, x - self._x)
                self._x += PERIOD * SPEED * cos(self._yaw)
                self._y += PERIOD * SPEED * sin(self._yaw)
        self._publish_pose()

    def _end(self, status: SkillStatus, message: str) -> None:
        goal, self._goal = self._goal, None
        self.feedback = Feedback("", 0.0)
        if goal is not None:
            goal.on_end(SkillResult(status, message, {"x": self._x, "y": self._y}))

    def _publish_pose(self) -> None:
        pose = TransformStamped(child_frame_id="base_link")
        pose.header.frame_id, pose.header.stamp = "map", self._node.get_clock().now().to_msg()
        pose.transform = transform_message(Pose.planar(self._x, self._y, self._yaw))
        self._tf.publish(TFMessage(transforms=[pose]))


def main() -> None:
    """Serve until interrupted."""
    rclpy.init()
    node = Node("skill_server")
    scope = ResourceScope(node)
    base = Base(node, scope)
    registry, options = Registry.load([RSKILLS]), declare(node, SkillServerOptions)
    SkillServer(scope, node, registry, base, options).serve(scope, base)
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(node)


if __name__ == "__main__":
    main()
