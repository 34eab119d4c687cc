"""Recording of one topic: messages pass to the file in their serialised form, images compressed.

Compressed topics are named as the transports of `image_transport` name them.
"""

import struct
import time
from importlib import import_module
from typing import Any

import cv2
import numpy as np
import yaml
from rclpy.duration import Duration
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message
from rclpy.topic_endpoint_info import TopicEndpointInfo
from sensor_msgs.msg import CompressedImage, Image

from openral_core.errors import OpenRALError
from openral_core.token_bucket import TokenBucket
from openral_recorder.schemas import ros_schema
from openral_recorder.selection import BULK, COMPRESSED_IMAGE, IMAGE, StampSlots
from openral_recorder.stillness import KEPT_PERIOD, STATE_PERIOD, Stillness
from openral_recorder.writer import McapRecording
from openral_ros.conversions.images import DEPTH_CONFIG, depth_of, rgb_of
from openral_ros.message_types import DamagedMessage, decoded

JPEG_QUALITY = 80
"""Quality at which boxes and labels of a 640x480 image stay readable [1]; about 40 kB."""
PNG_LEVEL = 1
"""Fastest compression of depth; higher levels save a tenth."""
DEPTH_HEADER = DEPTH_CONFIG.pack(0, 0.0, 0.0)
"""ConfigHeader of compressed_depth_image_transport: format, and parameters that 16UC1 does not use."""
MAX_DEPTH = 65.535
"""Largest depth that millimetres in 16 bits express [m]."""
DEPTH_ENCODINGS = frozenset({"16UC1", "32FC1", "mono16"})
STATES = frozenset(
    {
        "nav_msgs/msg/Odometry",
        "sensor_msgs/msg/CameraInfo",
        "sensor_msgs/msg/JointState",
        "tf2_msgs/msg/TFMessage",
    }
)
"""Types that say again and again where a resting robot is."""
MAX_STATES = 500
"""Sets of frames that are told apart; peers can name any."""


class NotCompressible(OpenRALError):
    """An image that the codec refuses."""

    def __init__(self, image: Image, codec: str) -> None:
        super().__init__(f"image of {image.width}x{image.height} {image.encoding[:32]!r} gives no {codec}")


def compressed(image: Image) -> tuple[str, CompressedImage]:
    """Compress an image: JPEG for colour and grey, PNG in [mm] for depth.

    Returns:
        The suffix of its topic and the message, with the header of the image.

    Raises:
        OpenRALError: If its encoding or data is invalid.
    """
    if image.encoding in DEPTH_ENCODINGS:
        return "compressedDepth", _depth(image)
    return "compressed", _colour(image)


def _colour(image: Image) -> CompressedImage:
    pixels = cv2.cvtColor(rgb_of(image), cv2.COLOR_RGB2BGR)
    data = _encoded(image, ".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return CompressedImage(header=image.header, format="rgb8; jpeg compressed bgr8", data=data)


def _depth(image: Image) -> CompressedImage:
    metres = np.clip(depth_of(image), 0.0, MAX_DEPTH)
    millimetres = np.rint(metres * 1000.0).astype(np.uint16)
    data = _encoded(image, ".png", millimetres, [cv2.IMWRITE_PNG_COMPRESSION, PNG_LEVEL])
    return CompressedImage(header=image.header, format="16UC1; compressedDepth png", data=DEPTH_HEADER + data)


def _encoded(image: Image, suffix: str, pixels: np.ndarray, options: list[int]) -> bytes:
    try:
        ok, data = cv2.imencode(suffix, pixels, options)
    except cv2.error as error:
        raise NotCompressible(image, suffix[1:].upper()) from error
    if not ok:
        raise NotCompressible(image, suffix[1:].upper())
    return bytes(data)


CDR_HEADER = 4
"""Length of the encapsulation header of serialised messages [bytes]; its second byte gives the byte order."""
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
        kind = getattr(import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError, TypeError) as error:
        raise UnknownType(message_type) from error
    if not isinstance(kind, type):
        raise UnknownType(message_type)
    return kind


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


def qos_yaml(publishers: list[TopicEndpointInfo]) -> str:
    """Return the profiles that publishers offer as rosbag2 writes them since version 9 of its metadata."""
    distinct = {repr(profile): profile for profile in map(_qos_values, publishers)}
    return yaml.safe_dump(list(distinct.values()), sort_keys=False)


def _qos_values(publisher: TopicEndpointInfo) -> dict[str, object]:
    profile = publisher.qos_profile
    return {
        "history": profile.history.short_key,
        "depth": profile.depth,
        "reliability": profile.reliability.short_key,
        "durability": profile.durability.short_key,
        "deadline": _duration(profile.deadline),
        "lifespan": _duration(profile.lifespan),
        "liveliness": profile.liveliness.short_key,
        "liveliness_lease_duration": _duration(profile.liveliness_lease_duration),
        "avoid_ros_namespace_conventions": profile.avoid_ros_namespace_conventions,
    }


def _duration(duration: Duration) -> dict[str, int]:
    seconds, nanoseconds = divmod(duration.nanoseconds, 1_000_000_000)
    return {"sec": seconds, "nsec": nanoseconds}


def stamp_in(data: bytes) -> float:
    """Return the stamp of a serialised message that begins with a header [s], 0 if it is not set."""
    order = "<" if data[1] & 1 else ">"
    seconds, nanoseconds = struct.unpack_from(f"{order}iI", data, CDR_HEADER)
    return float(seconds + nanoseconds * 1e-9)


class TopicRecorder:
    """Writer of the messages of one topic, at most ``rate`` of them per second.

    While the view of the cameras is still, images and the state of the robot are recorded less often. What
    is no message of the type is counted in ``damaged`` and left out.

    Raises:
        OpenRALError: If the type or its definition is not installed.
    """

    def __init__(
        self,
        recording: McapRecording,
        topic: str,
        message_type: str,
        rate: float,
        stillness: Stillness,
        qos: str = "",
    ) -> None:
        self._recording, self._topic, self._qos, self._stillness = recording, topic, qos, stillness
        self._is_bulk, self._is_image = message_type in BULK, message_type == IMAGE
        self._slots, self._bucket = StampSlots(rate), TokenBucket(rate, burst=rate)
        self._still_slots = StampSlots(1.0 / KEPT_PERIOD)
        self._is_state = message_type in STATES
        self._states: dict[object, float] = {}
        self.damaged = 0
        self.message_class = message_class(message_type)
        self._schema = ros_schema(COMPRESSED_IMAGE if self._is_image else message_type)

    def on_message(self, data: bytes) -> None:
        """Record a serialised message, unless it comes too early or bulk has no space left."""
        if self._is_bulk and not self._recording.takes_bulk:
            return
        now = time.monotonic()
        try:
            due = self._slots.passes(stamp_in(data) or now) if self._is_bulk else self._bucket.take(now)
            if not due:
                return
            message: Any = decoded(data, self.message_class)
        except (struct.error, IndexError, DamagedMessage):
            self.damaged += 1
            return
        if not self._is_image:
            if self._is_due(message, stamp_in(data) if self._is_bulk else 0.0, now):
                self._recording.write(self._topic, self._schema, data, time.time_ns(), self._qos)
            return
        if message.encoding not in DEPTH_ENCODINGS:
            self._stillness.see(self._topic, rgb_of(message), now)
        if self._is_due(message, stamp_in(data), now):
            suffix, image = compressed(message)
            topic, content = f"{self._topic}/{suffix}", serialize_message(image)
            self._recording.write(topic, self._schema, content, time.time_ns(), self._qos)

    def _is_due(self, message: object, stamp: float, now: float) -> bool:
        """Return whether a message adds to what was recorded, in view of what the cameras see."""
        if self._is_bulk:
            return self._still_slots.passes(stamp or now) or not self._stillness.is_still(now)
        if not self._is_state or not self._stillness.is_still(now):
            return True
        of = tuple(each.child_frame_id for each in getattr(message, "transforms", ()))
        if now - self._states.get(of, 0.0) < STATE_PERIOD:
            return False
        if len(self._states) >= MAX_STATES:
            self._states.clear()
        self._states[of] = now
        return True
