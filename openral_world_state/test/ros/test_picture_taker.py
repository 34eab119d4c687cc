"""Pictures of objects, from real images on real DDS to their topic."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

pytest.importorskip("rclpy")
from sensor_msgs.msg import CompressedImage, Image

from openral_core.detectors import Box
from openral_core.spatial_memory import EditOperation
from openral_msgs.srv import EditMemory
from openral_ros.conversions.images import image_message
from openral_ros.qos import RELIABLE, SENSOR
from openral_world_state.ros.picture_taker import LONGEST_SIDE, cut_out

FORGET = int(EditOperation.FORGET)


def decoded(jpeg: bytes) -> np.ndarray:
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR))


@pytest.mark.parametrize(
    "box", [Box(300.0, 200.0, 340.0, 300.0), Box(-50.0, -50.0, 5.0, 900.0), Box(630.0, 470.0, 9000.0, 9000.0)]
)
def test_a_picture_is_small_whatever_the_box(box: Box) -> None:
    found = decoded(cut_out(np.full((480, 640, 3), 90, np.uint8), box))
    assert max(found.shape[:2]) <= LONGEST_SIDE


def test_a_picture_shows_what_is_in_the_box() -> None:
    image = np.zeros((480, 640, 3), np.uint8)
    image[100:140, 200:260] = (250, 20, 20)
    middle = decoded(cut_out(image, Box(200.0, 100.0, 260.0, 140.0)))
    assert np.allclose(middle[middle.shape[0] // 2, middle.shape[1] // 2], (20, 20, 250), atol=30)


def test_a_seen_object_is_pictured_until_it_is_forgotten(
    make_graph: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "home.db"
    graph = make_graph(spatial_memory_path=str(file))
    images = graph.robot.create_publisher(Image, "head/image_raw", SENSOR)
    heard: dict[str, bytes] = {}
    graph.robot.create_subscription(
        CompressedImage,
        "openral/world_state/pictures",
        lambda message: heard.update({message.header.frame_id: bytes(message.data)}),
        RELIABLE,
    )
    graph.activate()
    stamp, deadline = 10.0, time.monotonic() + 30.0
    while len(heard) < 3 and time.monotonic() < deadline:
        stamp += 1.0
        shot = graph.kitchen(stamp)
        pixels = np.full((*shot.view.depth.shape, 3), 120, np.uint8)
        images.publish(image_message(pixels, "rgb8", stamp, "head_camera_optical_frame"))
        graph.look(shot)
    assert {name.partition("_")[0] for name in heard} == {"bread", "mug"}
    assert all(max(decoded(jpeg).shape) <= LONGEST_SIDE for jpeg in heard.values())
    graph.call(EditMemory, "edit_memory", EditMemory.Request(operation=FORGET, node_id="mug_1"))
    graph.until(lambda: heard["mug_1"] == b"")
    assert (tmp_path / "home.pictures.db").exists()
    graph.until(lambda: images.get_subscription_count() == 0)
