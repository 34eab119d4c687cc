"""Images of a robot's cameras, subscribed to only while a page shows them."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import cv2
from rclpy.node import Node
from rclpy.subscription import Subscription
from sensor_msgs.msg import Image

from openral_console.sections import Json
from openral_console.source import Frame, NothingToShow, RejectedCommand
from openral_core.errors import OpenRALError, format_choices
from openral_ros.conversions.images import rgb_of
from openral_ros.conversions.stamps import seconds
from openral_ros.node_thread import Deliver
from openral_ros.qos import SENSOR
from openral_ros.resources import ResourceScope

IMAGE = "sensor_msgs/msg/Image"
SUFFIX = "/image_raw"
MAX_CAMERAS = 32
LINGER = 3.0
"""Time without a request after which a subscription ends [s]."""
IMAGE_TIMEOUT = 2.0
"""Longest wait for an image [s]."""
QUALITY = 75
"""Quality of the JPEG [1]: a 640x480 image has about 35 kB."""
CHECK_PERIOD = 0.25


@dataclass
class Watched:
    """A camera that pages show: its newest image, and the requests that wait for another one."""

    subscription: Subscription
    asked: float
    image: Image | None = None
    encoded: Frame | None = None
    waiting: list[tuple[float, float, Deliver[Frame]]] = field(default_factory=list)


class Cameras:
    """Subscriptions that follow the requests; used on the node's thread alone."""

    def __init__(self, scope: ResourceScope, node: Node) -> None:
        self._scope, self._node = scope, node
        self._topics: dict[str, str] = {}
        self._watched: dict[str, Watched] = {}
        scope.timer(CHECK_PERIOD, self._check)
        scope.callback(self._fail_all)

    def discover(self, topics: Iterable[tuple[str, list[str]]], own: str) -> Json:
        """Take the cameras below the robot's namespace from the graph; return their ids."""
        found = {
            topic.removeprefix(own).removesuffix(SUFFIX): topic
            for topic, types in topics
            if types == [IMAGE] and topic.startswith(own) and topic.endswith(SUFFIX)
        }
        self._topics = dict(sorted(found.items())[:MAX_CAMERAS])
        return list(self._topics)

    def request(self, camera: str, after: float, done: Deliver[Frame]) -> None:
        """Answer with an image whose stamp differs from ``after`` [s], at once or when one comes.

        Raises:
            RejectedCommand: If there is no such camera.
        """
        if camera not in self._topics:
            raise RejectedCommand(f"unknown camera {camera[:60]!r}: {format_choices(sorted(self._topics))}")
        now = time.monotonic()
        watched = self._watched.get(camera) or self._watch(camera, now)
        watched.asked = now
        watched.waiting.append((after, now + IMAGE_TIMEOUT, done))
        self._serve(watched)

    def _watch(self, camera: str, now: float) -> Watched:
        def keep(message: Image) -> None:
            watched.image, watched.encoded = message, None
            self._serve(watched)

        subscription = self._scope.subscription(Image, self._topics[camera], keep, SENSOR)
        self._watched[camera] = watched = Watched(subscription, now)
        return watched

    def _serve(self, watched: Watched) -> None:
        image = watched.image
        if image is None or not watched.waiting:
            return
        stamp = seconds(image.header.stamp)
        ready = [entry for entry in watched.waiting if abs(entry[0] - stamp) > 1e-6]
        watched.waiting = [entry for entry in watched.waiting if entry not in ready]
        if not ready:
            return
        try:
            watched.encoded = watched.encoded or encoded(image)
        except OpenRALError as error:
            for _, _, done in ready:
                done(NothingToShow(str(error)))
            return
        for _, _, done in ready:
            done(watched.encoded)

    def _check(self) -> None:
        """End requests that waited too long, and subscriptions that no page uses."""
        now = time.monotonic()
        for camera, watched in tuple(self._watched.items()):
            late = [entry for entry in watched.waiting if entry[1] < now]
            watched.waiting = [entry for entry in watched.waiting if entry not in late]
            for _, _, done in late:
                done(NothingToShow(f"camera {camera} has sent no new image for {IMAGE_TIMEOUT:g} s"))
            if now - watched.asked > LINGER:
                del self._watched[camera]
                self._node.destroy_subscription(watched.subscription)

    def _fail_all(self) -> None:
        for watched in self._watched.values():
            for _, _, done in watched.waiting:
                done(NothingToShow("the console ends"))


def encoded(image: Image) -> Frame:
    """Encode an image as JPEG.

    Raises:
        OpenRALError: If it cannot be converted.
    """
    done, data = cv2.imencode(
        ".jpg", cv2.cvtColor(rgb_of(image), cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, QUALITY]
    )
    if not done:
        raise NothingToShow(f"image of {image.width}x{image.height} gives no JPEG")
    return Frame(bytes(data), image.header.frame_id, seconds(image.header.stamp))
