"""Images of recordings, folders and a running camera."""

from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

pytest.importorskip("rclpy")
import rclpy
from mcap.writer import Writer
from rclpy.serialization import serialize_message
from sensor_msgs.msg import Image

from openral_ros.conversions.images import image_message
from openral_testing.recordings.recovery import NotARecording
from openral_training.ros.sources import NoImages, frames_of, images_of


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Two cameras for a second, at 10 Hz; the level of an image is its number."""
    file = tmp_path / "run.mcap"
    with file.open("wb") as out:
        writer = Writer(out)
        writer.start()
        schema = writer.register_schema("sensor_msgs/msg/Image", "ros2msg", b"")
        for camera in ("head", "wrist"):
            channel = writer.register_channel(f"/robot/{camera}/image_raw", "cdr", schema)
            for number in range(10):
                pixels = np.full((12, 16, 3), 20 * number, np.uint8)
                image = image_message(pixels, "rgb8", 0.1 * number, "optical")
                time = number * 100_000_000
                writer.add_message(channel, time, serialize_message(image), time)
        writer.finish()
    return file


def test_images_of_one_camera_come_at_the_asked_interval(recording: Path) -> None:
    found = list(frames_of(str(recording), "head", 0.3))
    assert [int(rgb[0, 0, 0]) for rgb, _ in found] == [0, 60, 120, 180]
    assert len({origin for _, origin in found}) == 4
    assert all("/robot/head/image_raw" in origin for _, origin in found)


def test_images_of_a_recording_have_names_and_come_from_its_first_camera(recording: Path) -> None:
    named = dict(images_of(recording, "", 0.25))
    assert list(named) == [
        f"/robot/head/image_raw {second}" for second in ("0.000", "0.300", "0.600", "0.900")
    ]
    assert [int(rgb[0, 0, 0]) for rgb in named.values()] == [0, 60, 120, 180]
    assert next(images_of(recording, "wrist", 1.0))[0] == "/robot/wrist/image_raw 0.000"
    with pytest.raises(NoImages, match="no topic of camera 'rear'"):
        list(images_of(recording, "rear", 1.0))


def test_a_source_without_images_is_refused_with_what_it_has(recording: Path, tmp_path: Path) -> None:
    with pytest.raises(NoImages, match="no topic of camera 'rear' among '/robot/head/image_raw'"):
        list(frames_of(str(recording), "rear", 1.0))
    with pytest.raises(NotARecording):
        list(frames_of(str(tmp_path / "nothing"), "head", 1.0))
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "broken.jpg").write_bytes(b"no image")
    with pytest.raises(NoImages, match=r"broken\.jpg"):
        list(frames_of(str(folder), "head", 1.0))


@pytest.mark.usefixtures("ros_domain")
def test_images_of_a_running_camera_come_as_they_are_published() -> None:
    stop = Event()

    def publish() -> None:
        context = rclpy.Context()
        rclpy.init(context=context)
        node = rclpy.create_node("camera", context=context)
        publisher = node.create_publisher(Image, "/robot/head/image_raw", 10)
        number = 0
        while not stop.wait(0.05):
            number += 1
            level = np.full((12, 16, 3), number % 250, np.uint8)
            publisher.publish(image_message(level, "rgb8", 0.05 * number, "optical"))
        node.destroy_node()
        rclpy.shutdown(context=context)

    camera = Thread(target=publish)
    camera.start()
    images = frames_of("live", "/robot/head/image_raw", 0.0)
    try:
        found = [next(images) for _ in range(3)]
    finally:
        images.close()
        stop.set()
        camera.join(30.0)
    assert len({origin for _, origin in found}) == 3
    assert found[0][0].shape == (12, 16, 3)
