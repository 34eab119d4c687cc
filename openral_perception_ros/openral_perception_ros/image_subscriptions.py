"""Camera subscriptions that fill the image cache, and the decoding of image sets into engine frames."""

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription
from sensor_msgs.msg import CompressedImage, Image
from vision_msgs.msg import LabelInfo

from openral_core.rskills import Sensor
from openral_perception_ros.detector import Camera
from openral_perception_ros.engines import EngineFrame, Plane
from openral_perception_ros.image_cache import ImageCache, ImageSet
from openral_perception_ros.locate.errors import BlankFrame
from openral_ros.conversions.images import depth_of, image_view, rgb_of, rgb_of_compressed
from openral_ros.conversions.stamps import nanoseconds
from openral_ros.qos import LATCHED, SENSOR
from openral_ros.resources import ResourceScope


def make_image_cache(camera: Camera, sensors: Sequence[Sensor]) -> ImageCache:
    """Create the empty cache of a camera; semantic images also need their labels."""
    return ImageCache(camera.id, [sensor.value for sensor in sensors], Sensor.SEMANTIC in sensors)


def subscribe_camera(
    scope: ResourceScope,
    camera: Camera,
    cache: ImageCache,
    compressed: bool,
    on_image_set: Callable[[], None],
) -> list[Subscription]:
    """Keep a camera's newest images; ``on_shot`` is called when those of one stamp are complete.

    Returns:
        The subscriptions of its image streams, without the latched labels.
    """
    if Sensor.SEMANTIC.value in cache.sensors:
        scope.subscription(
            LabelInfo, camera.labels_topic, lambda message: _keep_labels(cache, message), LATCHED
        )
    sensors = [Sensor(name) for name in cache.sensors]
    return [
        _subscribe(scope, camera.topic(each), each, compressed and each is Sensor.RGB, cache, on_image_set)
        for each in sensors
    ]


def _subscribe(
    scope: ResourceScope,
    topic: str,
    sensor: Sensor,
    compressed: bool,
    cache: ImageCache,
    on_image_set: Callable[[], None],
) -> Subscription:
    def keep(message: Image | CompressedImage) -> None:
        header = message.header
        if cache.put(sensor.value, message, nanoseconds(header.stamp), header.frame_id, time.monotonic()):
            on_image_set()

    return scope.subscription(
        CompressedImage if compressed else Image,
        f"{topic}/compressed" if compressed else topic,
        keep,
        SENSOR,
        qos_overriding_options=QoSOverridingOptions.with_default_policies(),
    )


def _keep_labels(cache: ImageCache, message: LabelInfo) -> None:
    cache.put_labels({each.class_id: each.class_name for each in message.class_map})


_STRIDE = 8
"""Stride of the fast check [px]: most frames that show something pass on a 64th of their pixels."""
_MAX_SPREAD = 2
"""Largest spread of a uniform frame [levels of 255]: rounding of a codec."""
_DARK_LEVEL = 8.0
"""99th percentile of a frame that is too dark [level of 255]: noise of a covered sensor."""


def is_blank(rgb: NDArray[np.uint8]) -> bool:
    """Return True if an image, uint8 of shape (H, W, 3), is uniform, or black except for noise.

    An empty detection in such a frame is no evidence of absence.
    """
    return _is_uniform_or_dark(rgb[::_STRIDE, ::_STRIDE]) and _is_uniform_or_dark(rgb)


def _is_uniform_or_dark(rgb: NDArray[np.uint8]) -> bool:
    low, high = rgb.min(axis=(0, 1)).astype(int), rgb.max(axis=(0, 1)).astype(int)
    return bool((high - low).max() <= _MAX_SPREAD or np.percentile(rgb, 99) <= _DARK_LEVEL)


def _colour(message: object) -> Plane:
    return rgb_of_compressed(message) if isinstance(message, CompressedImage) else rgb_of(message)


def _instances(message: object) -> Plane:
    return image_view(message).astype(np.uint16, copy=False)


_DECODERS: Mapping[Sensor, Callable[[object], Plane]] = {
    Sensor.RGB: _colour,
    Sensor.DEPTH: depth_of,
    Sensor.SEMANTIC: _instances,
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
    return EngineFrame(planes, image_set.camera, image_set.stamp, image_set.labels)
