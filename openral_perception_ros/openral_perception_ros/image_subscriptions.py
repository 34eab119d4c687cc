"""Subscriptions of one camera, filling its cache."""
# MERGED Shots as frames: the one place where a detector's images are decoded.
# MERGED Frames that show nothing, whatever is before the camera.

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
from openral_ros.conversions.geometry import nanoseconds
from openral_ros.conversions.images import depth_of, image_view, rgb_of, rgb_of_compressed
from openral_ros.qos import LATCHED, SENSOR
from openral_ros.resources import ResourceScope


def make_image_cache(camera: Camera, sensors: Sequence[Sensor]) -> ImageCache:
    """An empty cache; instance ids need their labels."""
    return ImageCache(camera.id, [sensor.value for sensor in sensors], Sensor.SEMANTIC in sensors)


def subscribe_camera(
    scope: ResourceScope,
    camera: Camera,
    cache: ImageCache,
    compressed: bool,
    on_shot: Callable[[], None],
) -> list[Subscription]:
    """Keep a camera's newest images; ``on_shot`` is called when those of one stamp are complete.

    Returns:
        The subscriptions of its images, which come all the time.
    """
    if Sensor.SEMANTIC.value in cache.sensors:
        scope.subscription(
            LabelInfo, camera.labels_topic, lambda message: _keep_labels(cache, message), LATCHED
        )
    sensors = [Sensor(name) for name in cache.sensors]
    return [
        _subscribe(scope, camera.topic(each), each, compressed and each is Sensor.RGB, cache, on_shot)
        for each in sensors
    ]


def _subscribe(
    scope: ResourceScope,
    topic: str,
    sensor: Sensor,
    compressed: bool,
    cache: ImageCache,
    on_shot: Callable[[], None],
) -> Subscription:
    def keep(message: Image | CompressedImage) -> None:
        header = message.header
        if cache.put(sensor.value, message, nanoseconds(header.stamp), header.frame_id, time.monotonic()):
            on_shot()

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
_SPREAD = 2
"""Levels by which the pixels of one colour differ in a frame that shows nothing: rounding of a codec."""
_DARK = 8.0
"""Level below which nearly all pixels lie in a frame too dark to see anything: noise of a covered sensor."""


def is_blank(rgb: NDArray[np.uint8]) -> bool:
    """Whether an image, uint8 of shape (H, W, 3), is all of one colour, or black but for noise.

    A detector that sees nothing in it has not seen that something is absent.
    """
    return _shows_nothing(rgb[::_STRIDE, ::_STRIDE]) and _shows_nothing(rgb)


def _shows_nothing(rgb: NDArray[np.uint8]) -> bool:
    low, high = rgb.min(axis=(0, 1)).astype(int), rgb.max(axis=(0, 1)).astype(int)
    return bool((high - low).max() <= _SPREAD or np.percentile(rgb, 99) <= _DARK)


def _colour(message: object) -> Plane:
    return rgb_of_compressed(message) if isinstance(message, CompressedImage) else rgb_of(message)


def _instances(message: object) -> Plane:
    return image_view(message).astype(np.uint16, copy=False)


_DECODERS: Mapping[Sensor, Callable[[object], Plane]] = {
    Sensor.RGB: _colour,
    Sensor.DEPTH: depth_of,
    Sensor.SEMANTIC: _instances,
}


def decode_frame(shot: ImageSet) -> EngineFrame:
    """The planes of a shot.

    Raises:
        UnsupportedEncoding: If an image's encoding cannot be read.
        MalformedImage: If an image's sizes contradict its data.
        UndecodableImage: If compressed data is neither JPEG nor PNG.
        ImageTooLarge: If it is larger than any camera's; nothing of it is decoded.
        BlankFrame: If its colours show nothing.
    """
    planes = {name: _DECODERS[Sensor(name)](image) for name, image in shot.images.items()}
    colour = planes.get(Sensor.RGB.value)
    if colour is not None and is_blank(colour.astype(np.uint8, copy=False)):
        raise BlankFrame(shot.camera)
    return EngineFrame(planes, shot.camera, shot.stamp, shot.labels)
