"""Images without subscribers are not rendered; queued ones are sent one at a time, in order, none lost."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy")
import rclpy
from sensor_msgs.msg import CameraInfo, Image

from openral_ros.qos import RELIABLE, SENSOR
from openral_ros.resources import ResourceScope
from openral_sim.rendering.camera import CameraFrame
from openral_sim.ros.camera_publisher import CameraTopics, ImageQueue
from openral_sim.scene.schema import CameraStyle

K = np.array([[50.0, 0.0, 3.5], [0.0, 50.0, 2.5], [0.0, 0.0, 1.0]])


class Renderer:
    """Counts what it draws."""

    def __init__(self) -> None:
        self.K, self.rendered, self.segmented = K, 0, 0

    def render(self) -> CameraFrame:
        self.rendered += 1
        return CameraFrame(np.zeros((6, 8, 3), np.uint8), np.ones((6, 8), np.float32), K, 0.0)

    def segment(self) -> Any:
        self.segmented += 1
        return np.ones((6, 8), np.uint16)


class Labels:
    """One thing."""

    phrases = {1: "red mug"}


@pytest.mark.parametrize(
    ("topics", "rendered", "segmented", "kinds"),
    [
        ([], 0, 0, [CameraInfo]),
        (["depth"], 1, 0, [CameraInfo, Image]),
        (["semantic"], 0, 1, [CameraInfo, Image]),
        (["image_raw", "depth", "semantic"], 1, 1, [CameraInfo, Image, Image, Image]),
    ],
)
def test_only_what_is_listened_to_is_drawn(
    ros_context: Any, topics: list[str], rendered: int, segmented: int, kinds: list[type]
) -> None:
    node = rclpy.create_node("eye", context=ros_context)
    style = CameraStyle(width=8, height=6, fovy=60.0, rate=5.0)
    camera = CameraTopics(ResourceScope(node), "head", style, Labels())
    listeners = [node.create_subscription(Image, f"head/{topic}", print, SENSOR) for topic in topics]
    renderer = Renderer()
    messages = list(camera.render(renderer, 1.5))
    assert (renderer.rendered, renderer.segmented) == (rendered, segmented)
    assert [type(message) for _, message in messages] == kinds
    assert {message.header.frame_id for _, message in messages} == {"head_camera_optical_frame"}
    assert camera.has_subscribers == bool(listeners)
    node.destroy_node()


@pytest.mark.parametrize(("reliable", "images"), [(False, 0), (True, 1)])
def test_a_subscriber_with_default_quality_of_service_gets_the_intrinsics_and_images_where_chosen(
    ros_context: Any, spin_until: Any, reliable: bool, images: int
) -> None:
    node = rclpy.create_node("eye", context=ros_context)
    style = CameraStyle(width=8, height=6, fovy=60.0, rate=5.0)
    camera = CameraTopics(ResourceScope(node), "head", style, Labels(), RELIABLE if reliable else SENSOR)
    heard: list[type] = []
    topics = {"camera_info": CameraInfo, "image_raw": Image, "depth": Image}
    for name, kind in topics.items():
        node.create_subscription(kind, f"head/{name}", lambda message: heard.append(type(message)), 10)

    def all_heard() -> bool:
        for publisher, message in camera.render(Renderer(), 1.5):
            publisher.publish(message)
        return heard.count(CameraInfo) >= 3 and heard.count(Image) >= images

    spin_until(node, all_heard, 20.0)
    assert (heard.count(Image) > 0) is reliable
    node.destroy_node()


def test_without_labels_there_is_no_semantic_topic(ros_context: Any) -> None:
    node = rclpy.create_node("eye", context=ros_context)
    CameraTopics(ResourceScope(node), "head", CameraStyle(width=8, height=6, fovy=60.0, rate=5.0), None)
    assert node.count_publishers("head/semantic") == node.count_publishers("head/labels") == 0
    assert node.count_publishers("head/depth") == 1
    node.destroy_node()


class Post:
    """Publisher that records."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def publish(self, message: Any) -> None:
        self.sent.append(message)


@pytest.fixture
def post() -> Post:
    return Post()


def images(count: int) -> list[Image]:
    return [Image(width=number) for number in range(count)]


def test_small_messages_go_at_once_and_images_one_by_one(post: Post) -> None:
    queue, info = ImageQueue(), CameraInfo()
    queue.add([(post, info), *((post, image) for image in images(3))])
    assert post.sent == [info]
    queue.send()
    assert len(post.sent) == 2
    queue.send()
    queue.send()
    queue.send()
    assert post.sent[1:] == images(3)


def test_where_too_many_wait_several_go_at_once_and_none_is_lost(post: Post) -> None:
    queue = ImageQueue()
    queue.add((post, image) for image in images(20))
    queue.send()
    assert len(post.sent) > 10
    for _ in range(10):
        queue.send()
    assert post.sent == images(20)


def test_what_waits_is_forgotten_when_cleared(post: Post) -> None:
    queue = ImageQueue()
    queue.add((post, image) for image in images(3))
    queue.clear()
    queue.send()
    assert post.sent == []
