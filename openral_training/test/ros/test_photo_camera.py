"""Photographs of a folder on the topics of a robot's camera."""

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy")
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_srvs.srv import Trigger
from typer.testing import CliRunner

from openral_core.robot import Camera, load_robot
from openral_ros.conversions.images import rgb_of, rgb_of_compressed
from openral_ros.node_thread import NodeThread
from openral_ros.qos import LATCHED, SENSOR
from openral_training.ros import photo_camera
from openral_training.ros.detect_cli import commands
from openral_training.ros.photo_camera import NEXT, PhotoCamera
from openral_training.ros.sources import NoImages

FILE = Path(__file__).parents[3] / "robots" / "photographs.yaml"
ROBOT = load_robot(FILE)
SpinUntil = Callable[..., None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dark photograph, a file that is none, a broken one, and a bright one, larger than images are."""
    folder = tmp_path / "photographs"
    folder.mkdir()
    cv2.imwrite(str(folder / "1.png"), np.full((48, 64, 3), (10, 20, 30), np.uint8))
    (folder / "2.jpg").write_bytes(b"\xff\xd8 no image")
    (folder / "notes.txt").write_text("no image either")
    cv2.imwrite(str(folder / "3.PNG"), np.full((400, 300, 3), 200, np.uint8))
    return folder


@pytest.fixture
def thread(ros_domain: int) -> Iterator[NodeThread]:
    thread = NodeThread("photo_camera", domain=ros_domain)
    yield thread
    thread.close()


class Viewer:
    """Subscriber to the images and intrinsics of a camera."""

    def __init__(self, node: Node, camera: Camera) -> None:
        self.node, self.images, self.infos = node, list[Image](), list[CameraInfo]()
        node.create_subscription(Image, camera.image, self.images.append, SENSOR)
        node.create_subscription(CameraInfo, camera.info, self.infos.append, LATCHED)
        self._client = node.create_client(Trigger, NEXT)

    def shown(self, width: int) -> list[tuple[Image, CameraInfo]]:
        """Return the images of a width with the intrinsics of the same stamp."""
        pairs = ((image, info) for image in self.images for info in self.infos)
        return [(a, b) for a, b in pairs if a.header == b.header and a.width == width]

    def next(self, spin_until: SpinUntil) -> Trigger.Response:
        """Request the next photograph."""
        future = self._client.call_async(Trigger.Request())
        spin_until(self.node, future.done)
        return future.result()


def test_photographs_are_shown_one_after_another(
    ros_context: object,
    thread: NodeThread,
    folder: Path,
    spin_until: SpinUntil,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(photo_camera, "LONGER_SIDE", 80)
    lines = list[str]()
    (camera,) = ROBOT.cameras.values()
    node = rclpy.create_node("viewer", context=ros_context)
    viewer = Viewer(node, camera)
    PhotoCamera(thread.node, thread.scope, camera, folder, 20.0, 90.0, lines.append)
    thread.start()
    spin_until(node, lambda: viewer.shown(64))
    image, info = viewer.shown(64)[0]
    assert rgb_of(image)[0, 0].tolist() == [30, 20, 10]
    assert image.header.frame_id == camera.optical_frame
    assert (info.width, info.height) == (64, 48)
    assert info.k[:6] == pytest.approx([32.0, 0.0, 32.0, 0.0, 32.0, 24.0])
    broken = viewer.next(spin_until)
    assert not broken.success
    assert "2.jpg" in broken.message
    assert viewer.next(spin_until).message == "3.PNG"
    spin_until(node, lambda: viewer.shown(60))
    image, info = viewer.shown(60)[0]
    assert (image.height, info.k[0]) == (80, pytest.approx(40.0))
    assert viewer.next(spin_until).message == "1.png"
    assert lines[0] == "1 of 3: 1.png, 64x48"
    assert "cannot be decoded" in lines[1]
    node.destroy_node()


def test_a_camera_of_compressed_transport_shows_compressed_photographs(
    ros_context: object, thread: NodeThread, folder: Path, spin_until: SpinUntil
) -> None:
    (camera,) = ROBOT.cameras.values()
    node, images = rclpy.create_node("viewer", context=ros_context), list[CompressedImage]()
    node.create_subscription(CompressedImage, f"{camera.image}/compressed", images.append, SENSOR)
    compressed = camera.model_copy(update={"transport": "compressed"})
    PhotoCamera(thread.node, thread.scope, compressed, folder, 20.0, 90.0, lambda _: None)
    thread.start()
    spin_until(node, lambda: images)
    assert rgb_of_compressed(images[0]).shape == (48, 64, 3)
    assert rgb_of_compressed(images[0])[0, 0].tolist() == pytest.approx([30, 20, 10], abs=3)
    node.destroy_node()


@pytest.mark.parametrize(
    ("files", "problem"),
    [(None, "no such folder"), ([], "expected files that end with .jpg"), (["1.jpg"], "cannot be decoded")],
)
def test_a_folder_without_photographs_is_refused(
    ros_domain: int, tmp_path: Path, files: list[str] | None, problem: str
) -> None:
    folder = tmp_path / "photographs"
    if files is not None:
        folder.mkdir()
        for name in files:
            (folder / name).write_text("no image")
    result = CliRunner().invoke(commands, ["camera", str(folder), "--robot", str(FILE)])
    assert isinstance(result.exception, NoImages)
    assert problem in str(result.exception)
    assert str(folder) in str(result.exception)
