"""Pictures of objects, cut from the images that they were detected in, and their topic.

An image is subscribed to only while a better view of an object is in sight. The answer of a locator comes
when its image has passed: its pictures are cut from a later image, if the camera has not moved.
"""

import struct
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from rclpy.clock import Clock
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import CompressedImage, Image

from openral_core.detectors import Box, Detection
from openral_core.errors import OpenRALError
from openral_core.lazy_modules import lazy_module
from openral_ros.conversions.images import rgb_of
from openral_ros.conversions.stamps import stamp_of
from openral_ros.qos import RELIABLE, SENSOR
from openral_ros.resources import ResourceScope
from openral_world_state.depth_camera import DepthView
from openral_world_state.observation import Observation
from openral_world_state.pictures import ObjectPictures, Picture
from openral_world_state.world.world_model import IntegrationResult

cv2 = lazy_module("cv2")

LINGER = 2.0
"""Time without a wanted picture after which images are no longer subscribed to [s]: a slow detector's
period and latency."""
LATEST = 5.0
"""Time after the image of a locator in which a later one shows the same [s]."""
MAX_BYTES = 32_000_000
"""Images of one camera that wait for their detections [bytes]: 35 of 640x480."""
MAX_VIEWS = 16
"""Images of one camera that are awaited [1]."""
MAX_PER_FRAME = 4
"""Pictures cut from one image [1]; each takes about a millisecond."""
MARGIN = 0.15
"""Border around the box of an object as a fraction of its longer side [1]."""
LONGEST_SIDE = 160
"""Longer side of a picture [px]: what a page shows."""
JPEG_QUALITY = 80
"""Quality of a picture, of 100 [1]: artefacts are not visible at this size."""
SENT_AT_ONCE = 50
"""Pictures sent to a new subscriber in one period [1]: 0.5 MB."""
_HEADER = struct.Struct("<4xiI")
"""Beginning of a serialised message with a header: encapsulation, stamp [s], [ns]."""


RatedBoxes = list[tuple[float, str, Box]]


@dataclass(frozen=True, slots=True)
class LocatedView:
    """Boxes of a locator in the image of time ``stamp`` [s], and whether the camera is still there later."""

    stamp: float
    boxes: RatedBoxes
    is_still: Callable[[float], bool]


@dataclass
class WatchedCamera:
    """Images and wanted boxes (quality, object, box) of a camera by stamp [s], until both have arrived."""

    scope: ResourceScope
    wanted_at: float = 0.0
    images: OrderedDict[float, bytes] = field(default_factory=OrderedDict)
    views: OrderedDict[float, RatedBoxes] = field(default_factory=OrderedDict)
    answer: LocatedView | None = None

    def bound(self) -> None:
        """Drop the oldest images beyond `MAX_BYTES`, and boxes beyond `MAX_VIEWS`."""
        while len(self.images) > 1 and sum(map(len, self.images.values())) > MAX_BYTES:
            self.images.popitem(last=False)
        while len(self.views) > MAX_VIEWS:
            self.views.popitem(last=False)


class PictureTaker:
    """Cuts pictures from the images of the cameras; used on the node's thread alone."""

    def __init__(self, scope: ResourceScope, pictures: ObjectPictures) -> None:
        self._scope, self._pictures = scope, pictures
        self._cameras: dict[str, WatchedCamera] = {}
        scope.timer(LINGER / 8.0, self._check)

    def on_view(self, view: DepthView, detections: Sequence[Detection], result: IntegrationResult) -> None:
        """Take pictures of the objects in a view that are shown better than before."""
        boxes = self._better_boxes(view, detections, result)
        if boxes:
            camera = self._watch(view.camera)
            camera.views[round(view.stamp, 4)] = boxes
            self._take(camera)

    def on_answer(
        self,
        view: DepthView,
        detections: Sequence[Detection],
        result: IntegrationResult,
        is_still: Callable[[float], bool],
    ) -> None:
        """Take pictures of what a locator found, from a later image if the camera stands still."""
        boxes = self._better_boxes(view, detections, result)
        if boxes:
            camera = self._watch(view.camera)
            camera.answer = LocatedView(view.stamp, boxes, is_still)

    def _better_boxes(
        self, view: DepthView, detections: Sequence[Detection], result: IntegrationResult
    ) -> RatedBoxes:
        """Return the boxes that show an object better than before, the best first."""
        boxes: RatedBoxes = []
        T_camera_map = np.linalg.inv(view.T_map_camera)
        for observation, record in zip(result.frame.observations, result.records, strict=True):
            box = box_of(observation, view, T_camera_map, detections)
            quality = 0.0 if box is None else observation.score * box.width * box.height
            if box is not None and not observation.truncated and self._pictures.wants(record.id, quality):
                boxes.append((quality, record.id, box))
        return sorted(boxes, reverse=True, key=lambda each: each[0])

    def _watch(self, name: str) -> "WatchedCamera":
        camera = self._cameras.get(name) or self._subscribe(name)
        camera.wanted_at = time.monotonic()
        return camera

    def _subscribe(self, name: str) -> "WatchedCamera":
        def keep(data: bytes) -> None:
            sec, nanosec = _HEADER.unpack_from(data)
            camera.images[round(sec + nanosec * 1e-9, 4)] = data
            camera.bound()
            self._take(camera)

        camera = self._cameras[name] = WatchedCamera(self._scope.part())
        camera.scope.subscription(Image, f"{name}/image_raw", keep, SENSOR, raw=True)
        return camera

    def _take(self, camera: "WatchedCamera") -> None:
        """Take the pictures whose image and detections have both arrived."""
        for stamp in camera.views.keys() & camera.images.keys():
            boxes = camera.views.pop(stamp)
            try:
                image = rgb_of(deserialize_message(camera.images[stamp], Image))
            except OpenRALError:
                continue  # an encoding that no detector reads either
            for quality, name, box in boxes[:MAX_PER_FRAME]:
                if self._pictures.wants(name, quality):
                    self._pictures.put(name, Picture(cut_out(image, box), quality, stamp))

    def _check(self) -> None:
        """Use the images that show what a locator found, and end subscriptions that nothing needs."""
        now = time.monotonic()
        for name, camera in tuple(self._cameras.items()):
            answer = camera.answer
            later = (
                stamp
                for stamp in camera.images
                if answer is not None and 0.0 <= stamp - answer.stamp < LATEST and answer.is_still(stamp)
            )
            if answer is not None and (stamp := next(later, None)) is not None:
                camera.views[stamp], camera.answer = answer.boxes, None
                self._take(camera)
            if now - camera.wanted_at > LINGER:
                self._cameras.pop(name).scope.close()


def box_of(
    observation: Observation, view: DepthView, T_camera_map: np.ndarray, detections: Sequence[Detection]
) -> Box | None:
    """Return the box that an observation was lifted from: of its label, the nearest to its projection."""
    point = T_camera_map[:3, :3] @ np.asarray(observation.pose.position) + T_camera_map[:3, 3]
    if point[2] <= 0.0:
        return None
    pixel = view.intrinsics.project(point[None])[0]

    def distance(box: Box) -> float:
        return float(np.hypot(*(np.asarray(box.center) - pixel)))

    boxes = [each.box for each in detections if each.label == observation.label]
    nearest = min(boxes, key=distance, default=None)
    return nearest if nearest is not None and distance(nearest) < max(nearest.width, nearest.height) else None


def cut_out(image: np.ndarray, box: Box) -> bytes:
    """Return the part of an RGB image around a box as JPEG."""
    height, width = image.shape[:2]
    border = MARGIN * max(box.width, box.height)
    x0, y0 = max(0, int(box.x_min - border)), max(0, int(box.y_min - border))
    x1 = max(x0 + 1, min(width, int(np.ceil(box.x_max + border))))
    y1 = max(y0 + 1, min(height, int(np.ceil(box.y_max + border))))
    part = np.ascontiguousarray(image[min(y0, height - 1) : y1, min(x0, width - 1) : x1])
    scale = LONGEST_SIDE / max(part.shape[:2])
    if scale < 1.0:
        size = (max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale)))
        part = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
    options = [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]
    _, data = cv2.imencode(".jpg", cv2.cvtColor(part, cv2.COLOR_RGB2BGR), options)
    return bytes(data)


class PicturePublisher:
    """Publisher of the pictures: changes as they come, all of them once more for a new subscriber.

    An empty image tells that the picture of an object was removed. Nothing is latched, so that a removed
    picture is not kept by the middleware.
    """

    def __init__(self, scope: ResourceScope, clock: Clock, pictures: ObjectPictures) -> None:
        self._clock, self._pictures = clock, pictures
        self._publisher = scope.publisher(CompressedImage, "openral/world_state/pictures", RELIABLE)
        self._pending: OrderedDict[str, Picture | None] = OrderedDict()
        self._subscribers = 0
        pictures.on_change(self._on_change)

    def publish(self) -> None:
        """Send some of what subscribers lack."""
        subscribers = self._publisher.get_subscription_count()
        if subscribers > self._subscribers:
            self._pending.update((name, self._pictures.get(name)) for name in self._pictures)
        self._subscribers = subscribers
        if not subscribers:
            self._pending.clear()
        for _ in range(min(SENT_AT_ONCE, len(self._pending))):
            name, picture = self._pending.popitem(last=False)
            message = CompressedImage(format="jpeg" if picture else "")
            message.header.frame_id = name
            message.header.stamp = stamp_of(picture.stamp) if picture else self._clock.now().to_msg()
            message.data = picture.jpeg if picture else b""
            self._publisher.publish(message)

    def _on_change(self, name: str, picture: Picture | None) -> None:
        self._pending[name] = picture
