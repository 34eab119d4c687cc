"""Pictures leave one at a time, in order, none lost."""

from typing import Any

import pytest

pytest.importorskip("rclpy")
from sensor_msgs.msg import CameraInfo, Image

from openral_sim.ros.camera_publisher import ImageQueue


class Post:
    """A publisher that remembers."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def publish(self, message: Any) -> None:
        self.sent.append(message)


@pytest.fixture
def post() -> Post:
    return Post()


def pictures(count: int) -> list[Image]:
    return [Image(width=number) for number in range(count)]


def test_small_messages_go_at_once_and_pictures_one_by_one(post: Post) -> None:
    outbox, info = ImageQueue(), CameraInfo()
    outbox.add([(post, info), *((post, picture) for picture in pictures(3))])
    assert post.sent == [info]
    outbox.send()
    assert len(post.sent) == 2
    outbox.send()
    outbox.send()
    outbox.send()
    assert post.sent[1:] == pictures(3)


def test_where_too_many_wait_several_go_at_once_and_none_is_lost(post: Post) -> None:
    outbox = ImageQueue()
    outbox.add((post, picture) for picture in pictures(20))
    outbox.send()
    assert len(post.sent) > 10
    for _ in range(10):
        outbox.send()
    assert post.sent == pictures(20)


def test_what_waits_is_forgotten_when_cleared(post: Post) -> None:
    outbox = ImageQueue()
    outbox.add((post, picture) for picture in pictures(3))
    outbox.clear()
    outbox.send()
    assert post.sent == []
