"""State of other people's nodes is heard whatever quality of service they offer."""

from collections.abc import Callable

import pytest

pytest.importorskip("rclpy")
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from openral_ros.foreign_topics import subscribe_state
from openral_ros.resources import ResourceScope

SpinUntil = Callable[..., None]
RELIABILITIES = (ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT)
DURABILITIES = (DurabilityPolicy.TRANSIENT_LOCAL, DurabilityPolicy.VOLATILE)


@pytest.mark.parametrize("durability", DURABILITIES)
@pytest.mark.parametrize("reliability", RELIABILITIES)
def test_every_publisher_is_heard_and_each_message_once(
    ros_context: Context, spin_until: SpinUntil, reliability: ReliabilityPolicy, durability: DurabilityPolicy
) -> None:
    vendor, ours = Node("vendor", context=ros_context), Node("ours", context=ros_context)
    publisher = vendor.create_publisher(
        String, "pose", QoSProfile(depth=1, reliability=reliability, durability=durability)
    )
    scope, heard = ResourceScope(ours), list[str]()
    subscribe_state(scope, String, "pose", lambda message: heard.append(message.data))
    suited = 2 if (durability, reliability) == (DURABILITIES[0], RELIABILITIES[0]) else 1
    spin_until([vendor, ours], lambda: publisher.get_subscription_count() == suited)
    for word in ("one", "two", "one"):
        publisher.publish(String(data=word))
        spin_until([vendor, ours], lambda word=word: heard[-1:] == [word])
    publisher.publish(String(data="end"))
    spin_until([vendor, ours], lambda: heard[-1:] == ["end"])
    assert heard == ["one", "two", "one", "end"]
    scope.close()
    vendor.destroy_node()
    ours.destroy_node()


def test_the_last_word_of_a_latched_publisher_is_heard_by_a_late_joiner(
    ros_context: Context, spin_until: SpinUntil
) -> None:
    vendor, ours = Node("vendor", context=ros_context), Node("ours", context=ros_context)
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    vendor.create_publisher(String, "pose", latched).publish(String(data="here"))
    scope, heard = ResourceScope(ours), list[str]()
    subscribe_state(scope, String, "pose", lambda message: heard.append(message.data))
    spin_until([vendor, ours], lambda: heard == ["here"])
    scope.close()
    vendor.destroy_node()
    ours.destroy_node()
