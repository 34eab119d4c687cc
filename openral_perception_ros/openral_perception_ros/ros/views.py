"""Subscriptions of one camera, filling its cache."""

import time
from collections.abc import Callable, Sequence

from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription
from sensor_msgs.msg import CompressedImage, Image
from vision_msgs.msg import LabelInfo

from openral_core.rskills import Sensor
from openral_perception_ros.cameras import Camera
from openral_perception_ros.frames import CameraCache
from openral_ros.conversions.times import nanoseconds
from openral_ros.qos import LATCHED, SENSOR
from openral_ros.scopes import Scope


def cache_for(camera: Camera, sensors: Sequence[Sensor]) -> CameraCache:
    """An empty cache; instance ids need their labels."""
    return CameraCache(camera.id, [sensor.value for sensor in sensors], Sensor.SEMANTIC in sensors)


def watch(
    scope: Scope,
    camera: Camera,
    cache: CameraCache,
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
    scope: Scope,
    topic: str,
    sensor: Sensor,
    compressed: bool,
    cache: CameraCache,
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


def _keep_labels(cache: CameraCache, message: LabelInfo) -> None:
    cache.put_labels({each.class_id: each.class_name for each in message.class_map})
