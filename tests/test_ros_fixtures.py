"""The fixtures that node tests stand on."""

import re
from collections.abc import Callable, Iterator

import pytest
from dds_ports import ports_held, ports_there
from rclpy.context import Context
from rclpy.node import Node
from std_msgs.msg import String


@pytest.fixture
def node(ros_context: Context) -> Iterator[Node]:
    made = Node("listener", context=ros_context, enable_rosout=False)
    yield made
    made.destroy_node()


def test_a_message_arrives_in_the_tests_own_domain(node: Node, spin_until: Callable[..., None]) -> None:
    heard: list[str] = []
    node.create_subscription(String, "words", lambda message: heard.append(message.data), 1)
    publisher = node.create_publisher(String, "words", 1)
    spin_until(node, lambda: publisher.get_subscription_count() == 1)
    publisher.publish(String(data="bread"))
    spin_until([node], lambda: heard == ["bread"])


def test_waiting_ends_with_the_condition_that_stayed_false(
    node: Node, spin_until: Callable[..., None]
) -> None:
    with pytest.raises(AssertionError, match=re.escape("still false after 0.1 s")):
        spin_until(node, lambda: False, timeout=0.1)


def test_a_participant_is_seen_in_its_domain_until_its_node_is_destroyed(
    ros_domain: int, ros_context: Context
) -> None:
    assert ports_held(ros_domain) == ports_there(ros_domain) == set()
    node = Node("listener", context=ros_context, enable_rosout=False)
    assert ports_held(ros_domain) == ports_there(ros_domain) != set()
    node.destroy_node()
    assert ports_held(ros_domain) == set()


def test_a_domain_is_legal_and_kept_from_others(ros_domain: int) -> None:
    import domain_coordinator

    assert 1 <= ros_domain <= 100
    taken = iter([ros_domain, ros_domain, ros_domain % 100 + 1, *range(1, 101)])
    with domain_coordinator.domain_id(lambda: next(taken)) as other:
        assert other != ros_domain
