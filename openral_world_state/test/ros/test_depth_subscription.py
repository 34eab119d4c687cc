"""Selection of the depth image of a time stamp, its registration, and the intrinsics of its camera."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy")
from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import CameraInfo, Image, RegionOfInterest
from tf2_msgs.msg import TFMessage

from openral_core.geometry import Pose, UnknownFrame
from openral_ros.conversions.geometry import transform_message
from openral_ros.conversions.images import image_message
from openral_ros.conversions.stamps import stamp_of
from openral_ros.tf_buffer import TransformBuffer
from openral_world_state.depth_camera import SizeMismatch
from openral_world_state.ros import depth_subscription
from openral_world_state.ros.depth_subscription import (
    DepthSubscription,
    NoDepthFrame,
    UnalignedDepth,
    UnsupportedRectification,
    intrinsics_of,
)

FRAME, DEPTH_FRAME = "head_camera_optical_frame", "head_depth_optical_frame"
K = [5.0, 0.0, 2.0, 0.0, 5.0, 1.5, 0.0, 0.0, 1.0]
P = [4.0, 0.0, 1.0, 0.0, 0.0, 4.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
STEREO = [4.0, 0.0, 1.0, -0.4, *P[4:]]
TURNED = [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]


class Scene:
    """A camera that publishes depth images in which every pixel is their stamp, and where it was then."""

    def __init__(self, rectified: tuple[str, ...] = ()) -> None:
        self._callbacks: dict[str, Callable[[Any], None]] = {}
        self.feed = DepthSubscription(self, "head", 8.0, 0.02, 1.5, rectified)
        self.transforms = TransformBuffer(self)
        self.describe("head/camera_info", FRAME)

    def subscription(
        self, kind: type, topic: str, callback: Callable[[Any], None], qos: object, **_: object
    ) -> None:
        """As a `Scope` makes them."""
        self._callbacks[topic] = callback

    def guarded(self, source: str, callback: Callable[..., Any]) -> Callable[..., Any]:
        return callback

    def on_time_jumped_back(self, callback: Callable[[], object]) -> None:
        """Time goes on here."""

    def describe(self, topic: str, frame: str, **fields: object) -> None:
        """Publish a CameraInfo."""
        info = CameraInfo(**{"width": 4, "height": 3, "k": K, **fields})
        info.header.frame_id = frame
        self._callbacks[topic](info)

    def mount(self, frame: str, x: float) -> None:
        """Place a frame beside the camera."""
        static = TransformStamped(child_frame_id=frame, transform=transform_message(Pose((x, 0.0, 0.0))))
        static.header.frame_id = FRAME
        self._callbacks["tf_static"](TFMessage(transforms=[static]))

    def show(self, stamp: float, frame: str = FRAME) -> None:
        image: Image = image_message(np.full((3, 4), stamp, np.float32), "32FC1", stamp, frame)
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


def test_large_images_are_kept_for_a_shorter_time(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(depth_subscription, "MAX_IMAGE_BYTES", 2 * 4 * 3 * 4)
    for stamp in (1.0, 1.2, 1.4):
        scene.show(stamp)
    assert scene.depth(1.4) == pytest.approx(1.4)
    assert scene.depth(1.2) == pytest.approx(1.2)
    assert len(scene.feed._images) == 2
    monkeypatch.setattr(depth_subscription, "MAX_IMAGE_BYTES", 1)
    scene.show(1.6)
    assert scene.depth(1.6) == pytest.approx(1.6)
    assert len(scene.feed._images) == 1


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


def test_depth_of_another_frame_is_registered_by_its_own_intrinsics(scene: Scene) -> None:
    scene.mount(DEPTH_FRAME, 0.2)
    scene.describe("head/depth/camera_info", DEPTH_FRAME)
    scene.show(1.0, DEPTH_FRAME)
    view = scene.feed.view(1.0, scene.transforms, "map")
    assert (view.intrinsics.width, view.depth.shape) == (4, (3, 4))
    assert view.depth[1].tolist() == [0.0, 1.0, 1.0, 1.0]  # 0.2 m to the right at 1 m: one pixel
    assert scene.feed.view(1.0, scene.transforms, "map").depth is view.depth


def test_depth_of_the_same_frame_with_another_lens_is_registered(scene: Scene) -> None:
    scene.describe("head/depth/camera_info", FRAME, k=[10.0, 0.0, 1.5, 0.0, 10.0, 1.0, 0.0, 0.0, 1.0])
    scene.show(1.0)
    depth = scene.feed.view(1.0, scene.transforms, "map").depth
    assert depth[0, 0] == 0.0
    assert depth[1, 2] == 1.0


def test_depth_of_another_frame_without_its_intrinsics_is_refused(scene: Scene) -> None:
    scene.mount(DEPTH_FRAME, 0.2)
    scene.show(1.0, DEPTH_FRAME)
    with pytest.raises(UnalignedDepth, match=r"publish them on head/depth/camera_info"):
        scene.depth(1.0)


def test_depth_of_a_frame_off_the_tree_is_refused(scene: Scene) -> None:
    scene.describe("head/depth/camera_info", DEPTH_FRAME)
    scene.show(1.0, DEPTH_FRAME)
    with pytest.raises(UnknownFrame, match=DEPTH_FRAME):
        scene.depth(1.0)


def test_depth_of_another_size_than_its_calibration_is_refused(scene: Scene) -> None:
    scene.mount(DEPTH_FRAME, 0.2)
    scene.describe("head/depth/camera_info", DEPTH_FRAME, width=8, height=6)
    scene.show(1.0, DEPTH_FRAME)
    with pytest.raises(SizeMismatch, match=r"4x3 px does not fit its calibration: expected 8x6 px"):
        scene.depth(1.0)


def test_a_rectified_camera_has_the_intrinsics_of_p() -> None:
    scene = Scene(("head",))
    scene.stands(1.0, 0.0)
    scene.describe("head/camera_info", FRAME, p=P, d=[0.3, 0.1, 0.0, 0.0, 0.0], distortion_model="plumb_bob")
    scene.show(1.0)
    intrinsics = scene.feed.view(1.0, scene.transforms, "map").intrinsics
    assert intrinsics.K[0].tolist() == [4.0, 0.0, 1.0]
    assert not intrinsics.is_distorted


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({}, "P is 0"),
        ({"p": STEREO}, r"translation \(-0.4, 0\) of a second stereo camera"),
        ({"p": P, "roi": RegionOfInterest(width=2, height=2, do_rectify=True)}, "do_rectify"),
    ],
)
def test_a_rectified_image_that_cannot_be_lifted_is_refused(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(UnsupportedRectification, match=problem):
        intrinsics_of(CameraInfo(width=4, height=3, k=K, **fields), rectified=True)


def test_a_raw_image_with_a_rotated_rectification_is_refused() -> None:
    with pytest.raises(UnsupportedRectification, match="rectified_cameras"):
        intrinsics_of(CameraInfo(width=4, height=3, k=K, r=TURNED))
    assert intrinsics_of(CameraInfo(width=4, height=3, k=K, r=list(np.eye(3).ravel()))).width == 4
