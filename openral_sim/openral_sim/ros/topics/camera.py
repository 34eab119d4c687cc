"""One camera's topics: colour, depth, intrinsics, semantic instances."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from sensor_msgs.msg import CameraInfo, Image
from vision_msgs.msg import LabelInfo, VisionClass

from openral_ros.conversions.images import image_message
from openral_ros.conversions.times import stamp_of
from openral_ros.qos import LATCHED, RELIABLE, SENSOR
from openral_ros.scopes import Scope
from openral_sim.rendering import CameraRenderer, InstanceLabels
from openral_sim.scenes import CameraStyle

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
        scope: Scope,
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
