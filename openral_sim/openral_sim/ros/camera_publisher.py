"""Publication of a camera: colour, depth, intrinsics and semantic instances.

`CameraTopics` has the publishers, `CameraImageSource` adds a renderer and a rate, and `ImageQueue` spreads
the images of one instant over several control periods.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from sensor_msgs.msg import CameraInfo, Image
from vision_msgs.msg import LabelInfo, VisionClass

from openral_core.arrays import Intrinsics
from openral_ros.conversions.images import image_message
from openral_ros.conversions.stamps import stamp_of
from openral_ros.qos import LATCHED, RELIABLE, SENSOR
from openral_ros.resources import ResourceScope
from openral_sim.rendering.camera import CameraRenderer, InstanceLabels
from openral_sim.scene.schema import CameraStyle
from openral_sim.simulation import RateTimer

MAX_QUEUED_IMAGES = 6
"""Number of waiting images from which `ImageQueue` sends more than one per control period."""

OutgoingMessage = tuple[Publisher, CameraInfo | Image]
"""A message and the publisher that sends it."""


class CameraTopics:
    """Publishers of one camera; an image without subscribers is not rendered.

    Args:
        name: First part of the names of the topics and the optical frame.
        style: Size of the images.
        labels: Phrases of the semantic ids; None publishes no semantic images.
        images: Quality of service of the images; intrinsics are always reliable.
        topics: First part of the names of the topics if it differs; "" = ``name``.
    """

    def __init__(
        self,
        scope: ResourceScope,
        name: str,
        style: CameraStyle,
        labels: InstanceLabels | None,
        images: QoSProfile = SENSOR,
        topics: str = "",
    ) -> None:
        topics = topics or name
        self._frame = f"{name}_camera_optical_frame"
        self._style = style
        self._info = scope.publisher(CameraInfo, f"{topics}/camera_info", RELIABLE)
        self._colour = scope.publisher(Image, f"{topics}/image_raw", images)
        self._depth = scope.publisher(Image, f"{topics}/depth", images)
        self._semantic = scope.publisher(Image, f"{topics}/semantic", images) if labels else None
        if labels:
            scope.publisher(LabelInfo, f"{topics}/labels", LATCHED).publish(_label_info(labels, self._frame))

    @property
    def has_subscribers(self) -> bool:
        """True if any topic of this camera has a subscriber."""
        return any(map(_has_subscribers, (self._info, self._colour, self._depth, self._semantic)))

    def render(self, renderer: CameraRenderer, time: float) -> Iterator[OutgoingMessage]:
        """Yield intrinsics and the images that have subscribers, stamped ``time`` [s]."""
        yield self._info, self._camera_info(renderer.K, time)
        colour, depth = _has_subscribers(self._colour), _has_subscribers(self._depth)
        if colour or depth:
            frame = renderer.render()
        if colour:
            yield self._colour, image_message(frame.rgb, "rgb8", time, self._frame)
        if self._semantic is not None and _has_subscribers(self._semantic):
            yield self._semantic, image_message(renderer.segment(), "mono16", time, self._frame)
        if depth:
            yield self._depth, image_message(frame.depth, "32FC1", time, self._frame)

    def _camera_info(self, K: Intrinsics, time: float) -> CameraInfo:
        width, height = self._style.width, self._style.height
        message = CameraInfo(width=width, height=height, distortion_model="plumb_bob")
        message.header.frame_id, message.header.stamp = self._frame, stamp_of(time)
        message.d = [0.0] * 5
        message.k = K.ravel()
        message.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
        message.p = [*K[0], 0.0, *K[1], 0.0, *K[2], 0.0]
        return message


def _has_subscribers(publisher: Publisher | None) -> bool:
    return publisher is not None and publisher.get_subscription_count() > 0


def _label_info(labels: InstanceLabels, frame: str) -> LabelInfo:
    classes = [VisionClass(class_id=number, class_name=phrase) for number, phrase in labels.phrases.items()]
    message = LabelInfo(class_map=classes)
    message.header.frame_id = frame
    return message


class CameraImageSource:
    """Source of a camera's messages at its rate; used by the thread that created its renderer."""

    def __init__(self, topics: CameraTopics, renderer: CameraRenderer, rate: float) -> None:
        self._topics, self._renderer = topics, renderer
        self._timer = RateTimer(rate)

    def due(self, time: float) -> bool:
        """Return True if an image is due at ``time`` [s] and has subscribers."""
        return self._timer.due(time) and self._topics.has_subscribers

    def render(self, time: float) -> Iterator[OutgoingMessage]:
        """Yield the messages of this instant."""
        return self._topics.render(self._renderer, time)


class ImageQueue:
    """Queue that sends small messages immediately and images one per control period.

    Sending all images of an instant at once overruns the shared memory of Fast DDS (512 KiB per process by
    default), and best-effort subscribers lose the first of them.
    """

    def __init__(self) -> None:
        self._outgoing: deque[OutgoingMessage] = deque()

    def add(self, messages: Iterable[OutgoingMessage]) -> None:
        """Queue images, and publish every other message."""
        for publisher, message in messages:
            if isinstance(message, Image):
                self._outgoing.append((publisher, message))
            else:
                publisher.publish(message)

    def send(self) -> None:
        """Publish the oldest image, and more while too many are waiting."""
        while self._outgoing:
            publisher, message = self._outgoing.popleft()
            publisher.publish(message)
            if len(self._outgoing) < MAX_QUEUED_IMAGES:
                return

    def clear(self) -> None:
        """Discard the waiting images."""
        self._outgoing.clear()
