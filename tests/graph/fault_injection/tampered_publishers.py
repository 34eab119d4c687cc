"""Publishers whose messages are lost, repeated or stamped wrongly while a switch is on."""

from graph.fault_injection.switches import Switches
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock
from tf2_msgs.msg import TFMessage

from openral_ros.conversions.stamps import seconds, stamp_of
from openral_ros.resources import ResourceScope

JUMP = 5.0
"""How far the clock jumps back each time [s]."""


class TamperedPublisher:
    """Publishes as the simulation's switches say."""

    def __init__(self, publisher: Publisher, topic: str, switches: Switches) -> None:
        self._publisher, self._switches = publisher, switches
        self._of_camera, self._of_frames = topic.startswith("head/"), topic == "tf"
        self._last: object = None

    def get_subscription_count(self) -> int:
        return int(self._publisher.get_subscription_count())

    def publish(self, message: object) -> None:
        if self._lost():
            return
        if self._of_camera and self._last is not None and self._switches.is_on("frozen_camera"):
            message = self._last
        elif jumps := self._switches.count("clock_jump"):
            put_back(message, JUMP * jumps)
        self._last = message
        self._publisher.publish(message)

    def _lost(self) -> bool:
        gone = self._of_camera and self._switches.is_on("camera_gone")
        return gone or (self._of_frames and self._switches.is_on("tf_gap"))


class TamperedScope(ResourceScope):
    """Makes everything as another scope does, but publishers that can be tampered with."""

    def __init__(self, scope: ResourceScope, switches: Switches) -> None:
        vars(self).update(vars(scope))  # the same node, and the same stack of what is to be given back
        self._switches = switches

    def publisher(self, message_type: type, topic: str, qos: QoSProfile) -> TamperedPublisher:
        return TamperedPublisher(super().publisher(message_type, topic, qos), topic, self._switches)


def put_back(message: object, by: float) -> None:
    """Stamp a message ``by`` [s] earlier, not before zero."""
    if isinstance(message, Clock):
        message.clock = stamp_of(max(0.0, seconds(message.clock) - by))
        return
    stamped = message.transforms if isinstance(message, TFMessage) else [message]
    for header in (item.header for item in stamped if hasattr(item, "header")):
        header.stamp = stamp_of(max(0.0, seconds(header.stamp) - by))
