"""Selection of the depth image of a time stamp."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy")
from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection2DArray

from openral_core.detectors import Box, Detection
from openral_core.geometry import Pose
from openral_ros.conversions.detections import detections_message
from openral_ros.conversions.geometry import transform_message
from openral_ros.conversions.images import image_message
from openral_ros.conversions.stamps import stamp_of
from openral_ros.tf_buffer import TransformBuffer
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.ros import subscriptions
from openral_world_state.ros.subscriptions import (
    DepthSubscription,
    DetectionBuffer,
    NoDepthFrame,
    parse_detections,
)

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


K = np.array([[500.0, 0.0, 320.0], [0.0, 500.0, 240.0], [0.0, 0.0, 1.0]])


def message(count: int = 1, stamp: float = 10.0) -> Detection2DArray:
    one = detections_message(
        [Detection(Box(1, 1, 9, 9), "mug", 0.5)], Header(frame_id="head", stamp=stamp_of(stamp))
    )
    one.detections = list(one.detections) * count
    return one


def test_large_images_are_kept_for_a_shorter_time(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MAX_IMAGE_BYTES", 2 * 4 * 3 * 4)
    for stamp in (1.0, 1.2, 1.4):
        scene.show(stamp)
    assert scene.depth(1.4) == pytest.approx(1.4)
    assert scene.depth(1.2) == pytest.approx(1.2)
    assert len(scene.feed._images) == 2
    monkeypatch.setattr(subscriptions, "MAX_IMAGE_BYTES", 1)
    scene.show(1.6)
    assert scene.depth(1.6) == pytest.approx(1.6)
    assert len(scene.feed._images) == 1


def blind(camera: str, stamp: float) -> DepthView:
    raise NoDepthFrame(camera, stamp, 0, 0.0, 0.0)


def test_of_a_hundred_thousand_boxes_only_as_many_as_allowed_are_taken() -> None:
    found, problems = parse_detections(message(100_000), 200)
    assert len(found) == 200
    assert "number of detections 100000 is not valid: expected at most 200" in str(problems[0])


@pytest.mark.parametrize("patience", [0.0, 1e6])
def test_what_waits_is_bounded_and_what_waited_too_long_is_counted(patience: float) -> None:
    taken: list[str] = []
    intake = DetectionBuffer(blind, lambda view, seen, source: taken.append(source), patience, 200)
    for stamp in (0.0, 1e9, 5.0) * 500:
        intake.add("detector", message(stamp=stamp))
    assert len(intake._pending) <= 64
    assert intake.refused["NoDepthFrame"] == (0 if patience else 1500)
    assert not taken


def test_snapshots_wait_for_their_image_in_the_order_they_came() -> None:
    shown: list[float] = []
    taken: list[tuple[float, int]] = []

    def view_at(camera: str, stamp: float) -> DepthView:
        if stamp not in shown:
            raise NoDepthFrame(camera, stamp, 0, 0.0, 0.0)
        return DepthView(camera, stamp, np.ones((480, 640), np.float32), Intrinsics(K, 640, 480), np.eye(4))

    def take_in(view: DepthView, seen: Sequence[Detection], source: str) -> None:
        taken.append((view.stamp, len(seen)))

    intake = DetectionBuffer(view_at, take_in, 1e6, 200)
    for stamp in (10.0, 11.0, 2.0):
        intake.add("detector", message(stamp=stamp))
    shown += [2.0, 11.0]
    intake.process()
    assert taken == [(11.0, 1), (2.0, 1)]
    shown.append(10.0)
    intake.process()
    assert taken[-1] == (10.0, 1)
