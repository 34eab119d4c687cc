"""Many deadlines, one timer."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rclpy.node import Node

from openral_ros.resources import ResourceScope
from openral_ros.timeouts import TimeoutScheduler

SpinUntil = Callable[..., None]


@pytest.fixture
def node(ros_context: Any) -> Iterator[Node]:
    node = Node("waits", context=ros_context)
    yield node
    node.destroy_node()


def test_each_passes_once_the_soonest_first(node: Node, spin_until: SpinUntil) -> None:
    deadlines, passed = TimeoutScheduler(ResourceScope(node), node), list[str]()
    for key, seconds in (("late", 0.3), ("soon", 0.05), ("later", 0.5)):
        deadlines.schedule(key, seconds, lambda key=key: passed.append(key))
    spin_until([node], lambda: len(passed) == 3, 10.0)
    assert passed == ["soon", "late", "later"]
    assert len(list(node.timers)) == 1


def test_one_that_is_dropped_or_set_anew_does_not_pass(node: Node, spin_until: SpinUntil) -> None:
    deadlines, passed = TimeoutScheduler(ResourceScope(node), node), list[str]()
    deadlines.schedule("dropped", 0.05, lambda: passed.append("dropped"))
    deadlines.cancel("dropped")
    deadlines.schedule("anew", 0.05, lambda: passed.append("first"))
    deadlines.schedule("anew", 0.2, lambda: passed.append("anew"))
    spin_until([node], lambda: bool(passed), 10.0)
    assert passed == ["anew"]


def test_what_passes_may_set_the_next(node: Node, spin_until: SpinUntil) -> None:
    deadlines, passed = TimeoutScheduler(ResourceScope(node), node), list[int]()

    def again() -> None:
        passed.append(len(passed))
        if len(passed) < 3:
            deadlines.schedule("again", 0.02, again)

    deadlines.schedule("again", 0.02, again)
    spin_until([node], lambda: len(passed) == 3, 10.0)


def test_none_passes_once_its_scope_was_left(node: Node, spin_until: SpinUntil) -> None:
    scope, passed = ResourceScope(node), list[str]()
    TimeoutScheduler(scope, node).schedule("left", 0.05, lambda: passed.append("left"))
    scope.close()
    other = TimeoutScheduler(ResourceScope(node), node)
    other.schedule("other", 0.2, lambda: passed.append("other"))
    spin_until([node], lambda: bool(passed), 10.0)
    assert passed == ["other"]
