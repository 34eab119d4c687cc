"""Recording of one topic: messages pass from the middleware to the file in their serialised form."""

import time
from collections.abc import Callable
from importlib import import_module

from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    QoSProfile,
    ReliabilityPolicy,
)
from rclpy.serialization import deserialize_message, serialize_message
from rclpy.topic_endpoint_info import TopicEndpointInfo
from sensor_msgs.msg import Image

from openral_core.errors import OpenRALError
from openral_recorder.ros.compression import compressed
from openral_recorder.schemas import ros_schema
from openral_recorder.selection import BULK, COMPRESSED_IMAGE, IMAGE, RateLimit
from openral_recorder.writer import McapRecording

DEPTH = 50
"""Messages that wait while the recorder is busy; at 200 Hz a quarter of a second."""


class UnknownType(OpenRALError):
    """A message type whose Python class is not installed."""

    def __init__(self, message_type: str) -> None:
        super().__init__(f"message type {message_type} is not in this environment")


def message_class(message_type: str) -> type:
    """Return the class of a type such as ``std_msgs/msg/String``.

    Raises:
        UnknownType: If it is not installed, or not a message.
    """
    package, _, name = message_type.partition("/msg/")
    try:
        found = getattr(import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError, TypeError) as error:
        raise UnknownType(message_type) from error
    if not isinstance(found, type):
        raise UnknownType(message_type)
    return found


def compatible_qos(publishers: list[TopicEndpointInfo]) -> QoSProfile:
    """Return the profile that receives from every publisher: the weakest of what they offer."""
    profiles = [publisher.qos_profile for publisher in publishers]
    reliable = all(profile.reliability == ReliabilityPolicy.RELIABLE for profile in profiles)
    latched = all(profile.durability == DurabilityPolicy.TRANSIENT_LOCAL for profile in profiles)
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


class TopicRecorder:
    """Writer of the messages of one topic, at most ``rate`` of them per second.

    Raises:
        OpenRALError: If the type or its definition is not installed.
    """

    def __init__(self, recording: McapRecording, topic: str, message_type: str, rate: float) -> None:
        self._recording, self._topic = recording, topic
        self._is_bulk = message_type in BULK
        self._limit = RateLimit(rate, burst=1.0 if self._is_bulk else rate)
        self.message_class = message_class(message_type)
        is_image = message_type == IMAGE
        self._schema = ros_schema(COMPRESSED_IMAGE if is_image else message_type)
        self._write: Callable[[bytes], None] = self._write_image if is_image else self._write_plain

    def on_message(self, data: bytes) -> None:
        """Record a serialised message, unless it comes too early or bulk has no space left."""
        if self._is_bulk and not self._recording.takes_bulk:
            return
        if self._limit.passes(time.monotonic()):
            self._write(data)

    def _write_plain(self, data: bytes) -> None:
        self._recording.write(self._topic, self._schema, data, time.time_ns())

    def _write_image(self, data: bytes) -> None:
        suffix, message = compressed(deserialize_message(data, Image))
        topic = f"{self._topic}/{suffix}"
        self._recording.write(topic, self._schema, serialize_message(message), time.time_ns())
