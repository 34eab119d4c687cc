"""Images of the cameras: subscriptions, the latest complete image set of each camera, and its decoding."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription
from sensor_msgs.msg import CompressedImage, Image
from vision_msgs.msg import LabelInfo

from openral_core.arrays import ImagePlane
from openral_core.rskills import Sensor
from openral_perception_ros.detector import CameraSource
from openral_perception_ros.engines import EngineFrame
from openral_perception_ros.locate_errors import BlankFrame
from openral_ros.conversions.images import depth_of, image_view, rgb_of, rgb_of_compressed
from openral_ros.conversions.stamps import nanoseconds
from openral_ros.foreign_topics import subscribe_state
from openral_ros.qos import SENSOR
from openral_ros.resources import ResourceScope


@dataclass(frozen=True, slots=True, eq=False)
class ImageSet:
    """Undecoded images of one camera with the same stamp, by sensor.

    ``stamp`` is ROS time [ns]; ``received`` is steady time [s] of the last of them;
    ``instance_names`` names the ids in semantic images.
    """

    camera: str
    stamp: int
    frame_id: str
    received: float
    images: Mapping[str, object]
    instance_names: Mapping[int, str] = field(default_factory=dict)

    def age(self, ros_now: int, steady_now: float) -> float:
        """Return the age [s]: the larger of both clocks, since either may stop or jump."""
        return max((ros_now - self.stamp) / 1e9, steady_now - self.received, 0.0)


MAX_PARTIAL_STAMPS = 8
"""Incomplete stamps kept per camera [count]: sensors of one stamp arrive within a few frames."""


class ImageCache:
    """Match one camera's images by stamp; thread-safe. Semantic images also need the names of instances."""

    def __init__(self, camera: str, sensors: Sequence[Sensor]) -> None:
        self._camera = camera
        self.sensors = tuple(sensor.value for sensor in sensors)
        self._needs_names = Sensor.SEMANTIC in sensors
        self._lock = Lock()
        self._partial: OrderedDict[int, dict[str, object]] = OrderedDict()
        self._instance_names: Mapping[int, str] = {}
        self._latest: ImageSet | None = None
        self._received: set[str] = set()

    def put(self, sensor: str, image: object, stamp: int, frame_id: str, received: float) -> bool:
        """Store one image; True if it completes an image set, which drops older incomplete ones."""
        with self._lock:
            self._received.add(sensor)
            images = self._partial.setdefault(stamp, {})
            images[sensor] = image
            while len(self._partial) > MAX_PARTIAL_STAMPS:
                self._partial.popitem(last=False)
            if len(images) < len(self.sensors):
                return False
            for old in [partial_stamp for partial_stamp in self._partial if partial_stamp <= stamp]:
                del self._partial[old]
            self._latest = ImageSet(self._camera, stamp, frame_id, received, images, self._instance_names)
            return True

    def put_instance_names(self, instance_names: Mapping[int, str]) -> None:
        """Set the names of instance ids."""
        with self._lock:
            self._instance_names = dict(instance_names)
            if self._latest is not None:
                self._latest = replace(self._latest, instance_names=self._instance_names)

    def latest(self) -> ImageSet | None:
        """Return the latest complete image set with the current names; None before the first."""
        with self._lock:
            return None if self._needs_names and not self._instance_names else self._latest

    def missing_topics(self) -> tuple[str, ...]:
        """Return the inputs that have never arrived, for an error message."""
        with self._lock:
            absent = [sensor for sensor in self.sensors if sensor not in self._received]
            if self._needs_names and not self._instance_names:
                absent.append("labels")
            return tuple(absent) or ("images of one stamp",)


def subscribe_camera(
    scope: ResourceScope,
    camera: CameraSource,
    cache: ImageCache,
    compressed: bool,
    on_image_set: Callable[[], None] | None,
) -> list[Subscription]:
    """Keep a camera's newest images; ``on_image_set`` is called when those of one stamp are complete.

    Returns:
        The subscriptions of its image streams, without the latched names.
    """
    if Sensor.SEMANTIC.value in cache.sensors:

        def keep_names(message: LabelInfo) -> None:
            cache.put_instance_names({element.class_id: element.class_name for element in message.class_map})

        subscribe_state(scope, LabelInfo, camera.labels_topic, keep_names)
    return [
        subscribe_images(
            scope, camera.topic(item), item, compressed and item is Sensor.RGB, cache, on_image_set
        )
        for item in map(Sensor, cache.sensors)
    ]


def subscribe_images(
    scope: ResourceScope,
    topic: str,
    sensor: Sensor,
    compressed: bool,
    cache: ImageCache,
    on_image_set: Callable[[], None] | None,
) -> Subscription:
    """Keep the images of one topic in ``cache``; ``on_image_set`` as in `subscribe_camera`."""

    def keep(message: Image | CompressedImage) -> None:
        header = message.header
        stamp = nanoseconds(header.stamp)
        complete = cache.put(sensor.value, message, stamp, header.frame_id, time.monotonic())
        if complete and on_image_set is not None:
            on_image_set()

    return scope.subscription(
        CompressedImage if compressed else Image,
        f"{topic}/compressed" if compressed else topic,
        keep,
        SENSOR,
        qos_overriding_options=QoSOverridingOptions.with_default_policies(),
    )


VIEW_SAMPLES = 1024
"""Bytes of an image that are compared [count]: enough for a view, too few to cost anything at 1080p."""
VIEW_CHANGE = 10.0
"""Mean difference of two images from which their view changed [levels of 255]; noise gives 1 to 6."""


class ViewChange:
    """Tell if the view of a camera differs from the image last looked at: it, or something, moved."""

    def __init__(self) -> None:
        self._looked_at: NDArray[np.int16] | None = None

    def looked_at(self, image_set: ImageSet) -> None:
        """Note the image that was looked at."""
        self._looked_at = view_samples(image_set)

    def differs(self, image_set: ImageSet) -> bool:
        """Return True if the view changed since then; False where that cannot be told, as if compressed."""
        before, now = self._looked_at, view_samples(image_set)
        if before is None or now is None or before.shape != now.shape:
            return False
        return bool(np.abs(now - before).mean() >= VIEW_CHANGE)


def view_samples(image_set: ImageSet) -> NDArray[np.int16] | None:
    """Sample the bytes of a raw colour image of 8 bits evenly; None if there is none."""
    image = image_set.images.get(Sensor.RGB.value)
    if not isinstance(image, Image) or image.encoding.endswith("16") or not image.data:
        return None
    data = np.frombuffer(image.data, np.uint8)
    return data[:: max(len(data) // VIEW_SAMPLES, 1)].astype(np.int16)


_SIDE = 64
"""Rows and columns of the fast check [count]: most frames that show something pass on these pixels."""
_MAX_SPREAD = 2
"""Largest spread of a uniform frame [levels of 255]: rounding of a codec."""
_DARK_LEVEL = 8
"""Level that no more than `_BRIGHT` of a dark frame exceeds [of 255]: noise of a covered sensor."""
_BRIGHT = 0.01
"""Fraction of bright values in a frame that is still dark [1]."""


def is_blank(rgb: NDArray[np.uint8]) -> bool:
    """Return True if an image, uint8 of shape (H, W, 3), is uniform, or black except for noise.

    An empty detection in such a frame is no evidence of absence.
    """
    rows, columns = (max(length // _SIDE, 1) for length in rgb.shape[:2])
    return is_uniform_or_dark(rgb[::rows, ::columns]) and is_uniform_or_dark(rgb)


def is_uniform_or_dark(rgb: NDArray[np.uint8]) -> bool:
    """Return True if the colours of an image hardly differ, or nearly all of it is dark."""
    rows = rgb.reshape(len(rgb), -1)  # reduced along columns first: a hundred times as fast as by colour
    low = rows.min(axis=0).reshape(-1, 3).min(axis=0).astype(int)
    high = rows.max(axis=0).reshape(-1, 3).max(axis=0).astype(int)
    is_dark = np.count_nonzero(rows > _DARK_LEVEL) <= _BRIGHT * (rows.size - 1)
    return bool((high - low).max() <= _MAX_SPREAD or is_dark)


_DECODERS: Mapping[Sensor, Callable[[object], ImagePlane]] = {
    Sensor.RGB: lambda m: rgb_of_compressed(m) if isinstance(m, CompressedImage) else rgb_of(m),
    Sensor.DEPTH: depth_of,
    Sensor.SEMANTIC: lambda message: image_view(message).astype(np.uint16, copy=False),
}


def decode_frame(image_set: ImageSet) -> EngineFrame:
    """Decode an image set into an engine frame.

    Raises:
        UnsupportedEncoding: If an image's encoding is not supported.
        MalformedImage: If an image's sizes contradict its data.
        UndecodableImage: If compressed data is neither JPEG nor PNG.
        ImageTooLarge: If it exceeds the size limit; nothing is decoded.
        BlankFrame: If the colour image is blank.
    """
    planes = {name: _DECODERS[Sensor(name)](image) for name, image in image_set.images.items()}
    colour = planes.get(Sensor.RGB.value)
    if colour is not None and is_blank(colour.astype(np.uint8, copy=False)):
        raise BlankFrame(image_set.camera)
    return EngineFrame(planes, image_set.camera, image_set.stamp, image_set.instance_names)


def decode_depth(image_set: ImageSet) -> NDArray[np.float32] | None:
    """Decode the depth image of an image set [m], shape (H, W); None if it has none.

    Raises:
        UnsupportedEncoding, MalformedImage: See `decode_frame`.
    """
    image = image_set.images.get(Sensor.DEPTH.value)
    return None if image is None else depth_of(image)
