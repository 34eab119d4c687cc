"""Selection of the depth image of a time stamp."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy")
from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import CameraInfo, Image
from tf2_msgs.msg import TFMessage

from openral_core.geometry import Pose
from openral_ros.conversions.geometry import stamp_of, transform_message
from openral_ros.conversions.images import image_message
from openral_ros.tf_buffer import TransformBuffer
from openral_world_state.ros.depth_subscription import DepthSubscription, NoDepthFrame

FRAME = "head_camera_optical_frame"


class Scene:
    """A camera that publishes depth images in which every pixel is their stamp, and where it was then."""

    def __init__(self) -> None:
        self._callbacks: dict[str, Callable[[Any], None]] = {}
        self.feed = DepthSubscription(self, "head", 8.0, 0.02, 1.5)
        self.transforms = TransformBuffer(self)
        info = CameraInfo(width=4, height=3, k=[5.0, 0.0, 2.0, 0.0, 5.0, 1.5, 0.0, 0.0, 1.0])
        info.header.frame_id = FRAME
        self._callbacks["head/camera_info"](info)

    def subscription(self, kind: type, topic: str, callback: Callable[[Any], None], qos: object) -> None:
        """As a `Scope` makes them."""
        self._callbacks[topic] = callback

    def guarded(self, source: str, callback: Callable[..., Any]) -> Callable[..., Any]:
        return callback

    def on_time_jumped_back(self, callback: Callable[[], object]) -> None:
        """Time goes on here."""

    def show(self, stamp: float) -> None:
        image: Image = image_message(np.full((3, 4), stamp, np.float32), "32FC1", stamp, FRAME)
        self._callbacks["head/depth"](image)

    def stands(self, stamp: float, x: float) -> None:
        moved = TransformStamped(child_frame_id=FRAME, transform=transform_message(Pose((x, 0.0, 1.0))))
        moved.header.frame_id, moved.header.stamp = "map", stamp_of(stamp)
        self._callbacks["tf"](TFMessage(transforms=[moved]))

    def depth(self, stamp: float) -> float:
        return float(self.feed.view(stamp, self.transforms, "map").depth[0, 0])


@pytest.fixture
def scene() -> Scene:
    made = Scene()
    for stamp in (0.0, 1.0, 2.0, 3.0):
        made.stands(stamp, 0.0)
    made.stands(4.0, 1.0)
    made.stands(9.0, 1.0)
    return made


def test_the_image_of_the_moment_is_taken(scene: Scene) -> None:
    for stamp in (1.0, 1.2, 1.4):
        scene.show(stamp)
    assert scene.depth(1.21) == pytest.approx(1.2)


def test_a_lost_image_is_replaced_by_the_nearest_of_a_camera_that_stood_still(scene: Scene) -> None:
    scene.show(1.0)
    with pytest.raises(NoDepthFrame):
        scene.depth(1.2)  # it may still come
    scene.show(1.8)
    assert scene.depth(1.2) == pytest.approx(1.0)


def test_a_camera_that_moved_has_no_other_image_of_that_moment(scene: Scene) -> None:
    scene.show(3.0)
    scene.show(4.0)
    with pytest.raises(
        NoDepthFrame,
        match=r"'head' has no depth image with intrinsics at 3.500 s: 2 images kept, from 3.000 s to 4.000 s",
    ):
        scene.depth(3.5)


def test_an_image_from_long_before_or_after_is_of_another_moment(scene: Scene) -> None:
    scene.show(4.5)
    scene.show(8.0)
    with pytest.raises(NoDepthFrame):
        scene.depth(6.2)
    assert scene.depth(5.9) == pytest.approx(4.5)
