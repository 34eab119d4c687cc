"""One camera's topics: colour, depth, intrinsics, semantic instances."""
# MERGED A camera at work: its topics, its renderer and its rate.
# MERGED Pictures on their way out, one per control period.

from collections import deque
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from sensor_msgs.msg import CameraInfo, Image
from vision_msgs.msg import LabelInfo, VisionClass

from openral_ros.conversions.geometry import stamp_of
from openral_ros.conversions.images import image_message
from openral_ros.qos import LATCHED, RELIABLE, SENSOR
from openral_ros.resources import ResourceScope
from openral_sim.rendering import CameraRenderer, InstanceLabels
from openral_sim.scene.schema import CameraStyle
from openral_sim.simulation import RateTimer

Letter = tuple[Publisher, CameraInfo | Image]
"""A message and who sends it."""


class CameraTopics:
    """Draws what is asked for: a picture nobody subscribes to is not drawn.

    Args:
        name: First part of the topics' and the optical frame's names.
        style: The image's size.
        labels: What semantic ids mean; None publishes no semantic images.
        images: Quality of service of the images; intrinsics are reliable, which serves every subscriber.
    """

    def __init__(
        self,
        scope: ResourceScope,
        name: str,
        style: CameraStyle,
        labels: InstanceLabels | None,
        images: QoSProfile = SENSOR,
    ) -> None:
        self._frame = f"{name}_camera_optical_frame"
        self._style = style
        self._info = scope.publisher(CameraInfo, f"{name}/camera_info", RELIABLE)
        self._colour = scope.publisher(Image, f"{name}/image_raw", images)
        self._depth = scope.publisher(Image, f"{name}/depth", images)
        self._semantic = scope.publisher(Image, f"{name}/semantic", images) if labels else None
        if labels:
            scope.publisher(LabelInfo, f"{name}/labels", LATCHED).publish(_label_info(labels, self._frame))

    @property
    def wanted(self) -> bool:
        """Whether anybody subscribes to anything of this camera."""
        return any(map(_listened_to, (self._info, self._colour, self._depth, self._semantic)))

    def draw(self, renderer: CameraRenderer, time: float) -> Iterator[Letter]:
        """Draw what is wanted of the world as it is now, stamped ``time`` [s], ready to be sent."""
        yield self._info, self._camera_info(renderer.K, time)
        colour, depth = _listened_to(self._colour), _listened_to(self._depth)
        if colour or depth:
            frame = renderer.render()
        if colour:
            yield self._colour, image_message(frame.rgb, "rgb8", time, self._frame)
        if self._semantic is not None and _listened_to(self._semantic):
            yield self._semantic, image_message(renderer.segment(), "mono16", time, self._frame)
        if depth:
            yield self._depth, image_message(frame.depth, "32FC1", time, self._frame)

    def _camera_info(self, K: NDArray[np.float64], time: float) -> CameraInfo:
        width, height = self._style.width, self._style.height
        message = CameraInfo(width=width, height=height, distortion_model="plumb_bob")
        message.header.frame_id, message.header.stamp = self._frame, stamp_of(time)
        message.d = [0.0] * 5
        message.k = K.ravel()
        message.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
        message.p = [*K[0], 0.0, *K[1], 0.0, *K[2], 0.0]
        return message


def _listened_to(publisher: Publisher | None) -> bool:
    return publisher is not None and publisher.get_subscription_count() > 0


def _label_info(labels: InstanceLabels, frame: str) -> LabelInfo:
    classes = [VisionClass(class_id=number, class_name=phrase) for number, phrase in labels.phrases.items()]
    message = LabelInfo(class_map=classes)
    message.header.frame_id = frame
    return message


class CameraImageSource:
    """Belongs to the thread that made its renderer."""

    def __init__(self, topics: CameraTopics, renderer: CameraRenderer, rate: float) -> None:
        self._topics, self._renderer = topics, renderer
        self._metronome = RateTimer(rate)

    def due(self, time: float) -> bool:
        """Whether an image is due at ``time`` [s] and somebody wants it."""
        return self._metronome.due(time) and self._topics.wanted

    def draw(self, time: float) -> Iterator[Letter]:
        """The pictures of this instant, ready to be sent."""
        return self._topics.draw(self._renderer, time)


_MOST_WAITING = 6


class ImageQueue:
    """Sends small messages at once and pictures one at a time.

    All pictures of an instant at once overrun the shared memory that Fast DDS gives a process (512 KiB by
    default): best-effort subscribers then lose the first of them.
    """

    def __init__(self) -> None:
        self._waiting: deque[Letter] = deque()

    def add(self, letters: Iterable[Letter]) -> None:
        """Take over messages; those that are no pictures go out now."""
        for publisher, message in letters:
            if isinstance(message, Image):
                self._waiting.append((publisher, message))
            else:
                publisher.publish(message)

    def send(self) -> None:
        """Send the picture that waits longest, and more where too many wait."""
        while self._waiting:
            publisher, message = self._waiting.popleft()
            publisher.publish(message)
            if len(self._waiting) < _MOST_WAITING:
                return

    def clear(self) -> None:
        """Forget what waits."""
        self._waiting.clear()
