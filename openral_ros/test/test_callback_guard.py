"""A callback that raises is logged once and counted; its node continues."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from std_msgs.msg import String

from openral_ros.callback_guard import MAX_KINDS, OTHERS, FatalNodeError, guard_of
from openral_ros.executor import GuardedExecutor
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.timeouts import TimeoutScheduler

SpinUntil = Callable[..., None]
pytestmark = pytest.mark.usefixtures("callback_errors")


class TooLate(FatalNodeError):
    """A fatal error of the tests."""

    kind = "too_late"


@pytest.fixture
def node(ros_context: Any) -> Iterator[Node]:
    made = Node("guarded", context=ros_context)
    yield made
    made.destroy_node()


@pytest.fixture
def scope(node: Node) -> Iterator[ResourceScope]:
    made = ResourceScope(node)
    yield made
    made.close()


def breaks(*_: Any) -> Any:
    raise ValueError("odd")


async def breaks_later(*_: Any) -> Any:
    raise ValueError("odd")


def test_a_subscription_that_breaks_hears_on_and_says_so_once(
    node: Node, scope: ResourceScope, spin_until: SpinUntil, capfd: pytest.CaptureFixture[str]
) -> None:
    told: list[DiagnosticArray] = []
    scope.subscription(DiagnosticArray, "/diagnostics", told.append, RELIABLE)
    scope.subscription(String, "chatter", breaks, RELIABLE)
    chatter = scope.publisher(String, "chatter", RELIABLE)
    kind = "subscription /chatter: ValueError"

    def counted() -> bool:
        chatter.publish(String())
        return guard_of(node).counts[kind] >= 5

    spin_until(node, counted)
    spin_until(node, lambda: bool(told))
    status = told[0].status[0]
    assert (status.name, status.level) == ("/guarded: callbacks", b"\x01")
    assert [value.key for value in status.values] == [kind]
    assert capfd.readouterr().err.count("subscription /chatter raised ValueError: odd") == 1


def test_timers_and_deadlines_that_break_do_not_keep_back_others(
    node: Node, scope: ResourceScope, spin_until: SpinUntil
) -> None:
    passed: list[str] = []
    scope.timer(0.01, breaks)
    deadlines = TimeoutScheduler(scope, node)
    deadlines.schedule("first", 0.01, breaks)
    deadlines.schedule("second", 0.01, lambda: passed.append("second"))
    spin_until(node, lambda: bool(passed) and guard_of(node).counts["timer breaks: ValueError"] > 2)
    assert guard_of(node).counts["timeout breaks: ValueError"] == 1


def test_who_cannot_go_on_ends_the_spin(node: Node, scope: ResourceScope, spin_until: SpinUntil) -> None:
    def tick() -> None:
        raise TooLate("no more")

    scope.timer(0.01, tick)
    with pytest.raises(TooLate):
        spin_until(node, lambda: False)


def test_kinds_are_bounded(node: Node) -> None:
    guard = guard_of(node)
    for number in range(MAX_KINDS + 10):
        guard.record(f"subscription /{number}", ValueError("odd"))
    assert len(guard.counts) == MAX_KINDS + 1
    assert guard.counts[OTHERS] == 10


def test_what_rclpy_itself_calls_back_cannot_end_the_spin(
    ros_context: Any, node: Node, scope: ResourceScope
) -> None:
    executor = GuardedExecutor(context=ros_context)
    executor.add_node(node)
    node.create_subscription(String, "chatter", breaks, RELIABLE)
    chatter = scope.publisher(String, "chatter", RELIABLE)
    scope.timer(0.01, lambda: chatter.publish(String()))
    counts = guard_of(node).counts
    for _ in range(1000):
        executor.spin_once(timeout_sec=0.1)
        if counts["subscription /chatter: ValueError"] > 2:
            break
    assert counts["subscription /chatter: ValueError"] > 2
    executor.shutdown()
