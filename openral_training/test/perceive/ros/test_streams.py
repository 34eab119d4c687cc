"""Names of recorded topics in the graph, and the subscriptions that a recording feeds."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

pytest.importorskip("rclpy")
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock

from openral_core.errors import OpenRALError
from openral_ros.conversions.stamps import stamp_of
from openral_training.perceive.bag import BagMessage, open_bag
from openral_training.perceive.ros.streams import PlaybackScope, StreamNames, played

IMAGE, COMPRESSED = "sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage"
QOS = QoSProfile(depth=1)


class Topics:
    """A bag of topics without messages."""

    path = Path("bag")

    def __init__(self, topics: Mapping[str, str]) -> None:
        self.topics = topics

    def messages(self, topics: object) -> Iterator[BagMessage]:
        return iter(())


def test_a_run_of_a_robot_in_a_namespace_has_the_names_of_the_graph() -> None:
    bag = Topics(
        {
            "/r1/openral/scene_graph": "openral_msgs/msg/SceneGraph",
            "/r1/head/image_raw/compressed": COMPRESSED,
            "/r1/head/depth/compressedDepth": COMPRESSED,
            "/r1/openral/perception/eye/objects": "vision_msgs/msg/Detection2DArray",
            "/tf_static": "tf2_msgs/msg/TFMessage",
            "/r1/head/semantic": IMAGE,
            "/r1/odom": "nav_msgs/msg/Odometry",
        }
    )
    names = StreamNames.of(bag, None)
    assert set(names.streams(bag).values()) == {
        "openral/scene_graph",
        "head/image_raw",
        "head/depth",
        "openral/perception/eye/objects",
        "tf_static",
    }
    assert names.cameras(bag) == ("head",)


def test_of_an_image_recorded_twice_the_raw_one_is_read() -> None:
    bag = Topics({"/head/image_raw/compressed": COMPRESSED, "/head/image_raw": IMAGE})
    assert StreamNames().streams(bag) == {"/head/image_raw": "head/image_raw"}


def test_depth_is_decompressed_and_damaged_messages_are_counted(record: Callable[..., Path]) -> None:
    bag = open_bag(record())
    streams = {"/head/depth/compressedDepth": "head/depth"}
    failures: Counter[str] = Counter()
    images = [message for _, message, _ in played(bag, streams, failures)]
    assert {image.encoding for image in images} == {"32FC1"}
    assert not failures
    wrong = {"/openral/perception/eye/info": "head/depth"}

    class Damaged(Topics):
        def messages(self, topics: object) -> Iterator[BagMessage]:
            yield BagMessage("/openral/perception/eye/info", COMPRESSED, b"\x00\x01\x00\x00" + bytes(40), 1.0)

    assert list(played(Damaged({}), wrong, failures)) == []
    assert sum(failures.values()) == 1


def test_a_clock_that_jumps_back_is_told_and_an_error_ends_one_callback_only() -> None:
    scope, jumps, heard = PlaybackScope(), list[str](), list[object]()
    scope.on_time_jumped_back(lambda: jumps.append("back"))

    def fail(message: object) -> None:
        raise OpenRALError(str(message))

    scope.subscription(Clock, "clock", fail, QOS)
    scope.subscription(Clock, "clock", heard.append, QOS)
    for time in (5.0, 6.0, 1.0, 2.0):
        scope.publish("clock", Clock(clock=stamp_of(time)))
    assert (jumps, len(heard), scope.failures["OpenRALError"]) == (["back"], 4, 4)
