"""Publishers whose messages are lost, repeated, damaged or stamped wrongly while a switch is on."""

from collections.abc import Callable, Mapping

from graph.fault_injection.goal_log import Execute, logged
from graph.fault_injection.switches import Switches
from rclpy.action import ActionServer
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Image
from tf2_msgs.msg import TFMessage

from openral_ros.conversions.stamps import seconds, stamp_of
from openral_ros.resources import Callback, ResourceScope

JUMP = 5.0
"""How far the clock jumps back each time [s]."""
BOMB = 60_000
"""Width and height that a bomb claims [px]; decoded, it would take 10.8 GB."""


class SharedClock:
    """Simulated time at which the clock last began anew; the same for every publisher of a process."""

    def __init__(self) -> None:
        self._times, self._began = 0, 0.0

    def offset(self, now: float, times: int) -> float:
        """Return how far stamps are to be put back [s], if the clock is to begin anew ``times`` times."""
        if times > self._times and now > 0.0:
            self._times, self._began = times, now
        return self._began


class TamperedPublisher:
    """Publishes as the simulation's switches say."""

    def __init__(self, publisher: Publisher, topic: str, switches: Switches, clock: SharedClock) -> None:
        self._publisher, self._switches, self._clock = publisher, switches, clock
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
        elif offset := self._clock.offset(time_of(message), self._switches.count("clock_anew")):
            put_back(message, offset)
        self._last = message
        for name, damage in DAMAGE.items():
            if self._switches.is_on(name):
                message = damage(message)
        self._publisher.publish(message)

    def _lost(self) -> bool:
        gone = self._of_camera and self._switches.is_on("camera_gone")
        return gone or (self._of_frames and self._switches.is_on("tf_gap"))


class TamperedScope(ResourceScope):
    """Makes everything as another scope does, but publishers that can be tampered with, and logs goals."""

    def __init__(self, scope: ResourceScope, switches: Switches) -> None:
        vars(self).update(vars(scope))  # the same node, and the same stack of what is to be given back
        self._switches, self._clock = switches, SharedClock()

    def publisher(
        self, message_type: type, topic: str, qos: QoSProfile, **options: object
    ) -> TamperedPublisher:
        made = super().publisher(message_type, topic, qos, **options)
        return TamperedPublisher(made, topic, self._switches, self._clock)

    def action_server(self, action_type: type, name: str, execute: Execute, cancel: Callback) -> ActionServer:
        return super().action_server(action_type, name, logged(execute, self._switches.folder), cancel)


def headers(message: object) -> list[object]:
    """Return what carries a stamp in a message."""
    stamped = message.transforms if isinstance(message, TFMessage) else [message]
    return [item.header for item in stamped if hasattr(item, "header")]


def time_of(message: object) -> float:
    """Return the stamp of a message [s], 0 if it has none."""
    if isinstance(message, Clock):
        return seconds(message.clock)
    return max((seconds(header.stamp) for header in headers(message)), default=0.0)


def put_back(message: object, by: float) -> None:
    """Stamp a message ``by`` [s] earlier, not before zero."""
    if isinstance(message, Clock):
        message.clock = stamp_of(max(0.0, seconds(message.clock) - by))
    for header in headers(message):
        header.stamp = stamp_of(max(0.0, seconds(header.stamp) - by))


def with_nan(message: object) -> object:
    """Return transforms with a NaN each, in turn in the translation and in the rotation."""
    if isinstance(message, TFMessage):
        for index, item in enumerate(message.transforms):
            part = item.transform.translation if index % 2 else item.transform.rotation
            part.x = float("nan")
    return message


def bomb(message: object) -> object:
    """Return an image that claims to be far larger than its data."""
    if not isinstance(message, Image):
        return message
    return Image(
        header=message.header, height=BOMB, width=BOMB, encoding=message.encoding, step=3 * BOMB, data=b"\0"
    )


DAMAGE: Mapping[str, Callable[[object], object]] = {"nan_tf": with_nan, "bomb_picture": bomb}
"""Damage to messages, by switch."""
