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
from openral_msgs.srv import EditMemory, ObserveDetections
from openral_ros.conversions.images import image_message
from openral_ros.qos import RELIABLE, SENSOR
from openral_world_state.ros.picture_taker import LONGEST_SIDE, cut_out


class HeardPictures(dict[str, bytes]):
    """Published pictures by object."""

    def __init__(self, robot: Any) -> None:
        super().__init__()
        robot.create_subscription(CompressedImage, "openral/world_state/pictures", self._on_picture, RELIABLE)

    def _on_picture(self, message: CompressedImage) -> None:
        self[message.header.frame_id] = bytes(message.data)


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


@pytest.mark.timeout(150)
def test_a_seen_object_is_pictured_until_it_is_forgotten(
    make_graph: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "home.db"
    graph = make_graph(spatial_memory_path=str(file))
    images = graph.robot.create_publisher(Image, "head/image_raw", SENSOR)
    heard = HeardPictures(graph.robot)
    graph.activate()
    stamp, deadline = 10.0, time.monotonic() + 90.0
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


@pytest.mark.timeout(150)
@pytest.mark.parametrize("still", [True, False])
def test_what_a_locator_found_is_pictured_from_a_later_image_if_the_camera_stands_still(
    still: bool, make_graph: Callable[..., Any]
) -> None:
    graph = make_graph()
    images = graph.robot.create_publisher(Image, "head/image_raw", SENSOR)
    heard = HeardPictures(graph.robot)
    graph.activate()
    shot = graph.kitchen(10.0)
    request = ObserveDetections.Request(
        detections=graph.robot.seen(shot, graph.labels), camera="head", detector="locator"
    )

    def is_remembered() -> bool:
        graph.robot.show(shot)
        answer = graph.call(ObserveDetections, "observe", request)
        return answer.status == ObserveDetections.Response.REMEMBERED

    pixels = np.full((*shot.view.depth.shape, 3), 120, np.uint8)

    def show_later_image() -> None:
        images.publish(image_message(pixels, "rgb8", 10.4, "head_camera_optical_frame"))

    while not is_remembered():  # until depth and transforms have arrived
        pass
    graph.until(lambda: images.get_subscription_count() > 0)
    if still:
        deadline = time.monotonic() + 60.0
        while len(heard) < 3 and time.monotonic() < deadline:
            show_later_image()
            graph.spin(0.3)
            if images.get_subscription_count() == 0:  # nothing came in time: the locator looks again
                is_remembered()
        assert len(heard) == 3
        return
    moved = shot.view.T_map_camera.copy()
    moved[0, 3] += 0.1
    graph.robot._place(moved)
    inputs = graph.node._active_world.inputs
    graph.until(lambda: not inputs._is_still(shot.view, 10.4))
    graph.until(lambda: show_later_image() or images.get_subscription_count() == 0)
    assert len(graph.node._active_world._pictures) == 0
