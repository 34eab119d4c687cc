"""Transforms from the wire: one that is none costs nothing but itself."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from openral_core.geometry import StaleTransform, UnknownFrame

pytest.importorskip("rclpy")
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from tf2_msgs.msg import TFMessage

from openral_ros.callback_guard import guard_of
from openral_ros.conversions.stamps import stamp_of
from openral_ros.qos import SENSOR
from openral_ros.resources import ResourceScope
from openral_ros.tf_buffer import MOVING, STATIC, PolledTransformBuffer, TransformBuffer

SpinUntil = Callable[..., None]
NAN = float("nan")


def transform(child: str, time: float = 0.0, **rotation: float) -> TransformStamped:
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = "map", stamp_of(time)
    message.transform.translation.x = time
    for axis, value in rotation.items():
        setattr(message.transform.rotation, axis, value)
    return message


@pytest.fixture
def node(ros_context: Any) -> Iterator[Node]:
    made = Node("listener", context=ros_context, parameter_overrides=[Parameter("use_sim_time", value=True)])
    yield made
    made.destroy_node()


@pytest.fixture
def scope(node: Node) -> Iterator[ResourceScope]:
    made = ResourceScope(node)
    yield made
    made.close()


@pytest.fixture(params=[TransformBuffer, PolledTransformBuffer])
def make_buffer(request: pytest.FixtureRequest) -> type[TransformBuffer]:
    return request.param


@pytest.mark.parametrize(("topic", "qos"), [("tf", MOVING), ("tf_static", STATIC)])
@pytest.mark.parametrize(
    "bad",
    [
        transform("base", w=0.0),
        transform("base", w=NAN),
        transform("base", x=float("inf")),
        transform("map"),
        transform(""),
    ],
    ids=["zero", "nan", "inf", "itself", "nameless"],
)
def test_a_bad_transform_is_ignored_alone(
    node: Node,
    scope: ResourceScope,
    spin_until: SpinUntil,
    callback_errors: list[str],
    make_buffer: type[TransformBuffer],
    topic: str,
    qos: Any,
    bad: TransformStamped,
) -> None:
    buffer = make_buffer(scope)
    publisher = scope.publisher(TFMessage, topic, qos)
    good = transform("lidar")

    def known() -> bool:
        publisher.publish(TFMessage(transforms=[bad, good, bad]))
        try:
            return bool(buffer.lookup("map", "lidar", 0.0).shape)
        except UnknownFrame:
            return False

    spin_until(node, known)
    assert list(guard_of(node).counts) == [f"transform on {topic}: InvalidTransform"]
    assert all("to 'lidar'" not in callback_error for callback_error in callback_errors)


def test_a_clock_that_begins_anew_takes_moving_transforms_with_it(
    node: Node, scope: ResourceScope, spin_until: SpinUntil, make_buffer: type[TransformBuffer]
) -> None:
    buffer = make_buffer(scope)
    clock = scope.publisher(Clock, "/clock", SENSOR)
    moving, still = scope.publisher(TFMessage, "tf", MOVING), scope.publisher(TFMessage, "tf_static", STATIC)

    def known(frame: str, time: float) -> bool:
        clock.publish(Clock(clock=stamp_of(time)))
        try:
            return bool(buffer.lookup("map", frame, time).shape)
        except UnknownFrame:
            return False
        except StaleTransform:
            return True

    still.publish(TFMessage(transforms=[transform("lidar")]))
    moving.publish(TFMessage(transforms=[transform("base", 5.0)]))
    spin_until(node, lambda: known("base", 5.0) and known("lidar", 5.0))
    spin_until(node, lambda: not known("base", 1.0))
    assert known("lidar", 1.0)


def test_polled_transforms_call_no_callback_of_the_executor(
    node: Node, scope: ResourceScope, spin_until: SpinUntil
) -> None:
    buffer = PolledTransformBuffer(scope)
    moving = scope.publisher(TFMessage, "tf", MOVING)
    spin_until(node, lambda: moving.get_subscription_count() > 0)
    received = [each for each in node.subscriptions if each.topic_name == moving.topic_name]
    assert received
    assert not any(each.callback_group.can_execute(each) for each in received)
    moving.publish(TFMessage(transforms=[transform("base", 5.0)]))

    def is_known() -> bool:
        try:
            return buffer.newest("map", "base") == 5.0
        except UnknownFrame:
            return False

    spin_until(node, is_known)
    scope.close()
    assert is_known(), "a closed scope must not raise"
