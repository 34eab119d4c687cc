"""The executor that waits less often than rclpy's."""

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.task import Future
from std_msgs.msg import Empty

from openral_ros import lean_executor
from openral_ros.executor import GuardedExecutor

PATIENCE = 20.0
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.fixture
def node(ros_context: Any) -> Iterator[Node]:
    made = Node("lean", context=ros_context)
    yield made
    made.destroy_node()


@pytest.fixture
def executor(ros_context: Any, node: Node) -> Iterator[GuardedExecutor]:
    made = GuardedExecutor(context=ros_context)
    made.add_node(node)
    yield made
    made.shutdown()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Waits so far: True for those that included QoS events."""
    made: list[bool] = []
    build = lean_executor.WaitingEntities.__init__

    def count(self: Any, *arguments: Any, events: bool) -> None:
        made.append(events)
        build(self, *arguments, events=events)

    monkeypatch.setattr(lean_executor.WaitingEntities, "__init__", count)
    return made


def spin(executor: GuardedExecutor, until: Callable[[], object]) -> None:
    end = monotonic() + PATIENCE
    while not until():
        assert monotonic() < end
        executor.spin_once(timeout_sec=PATIENCE)


def test_a_callback_costs_one_wait(node: Node, executor: GuardedExecutor, waits: list[bool]) -> None:
    done: list[None] = []
    guards = [node.create_guard_condition(lambda: done.append(None)) for _ in range(20)]
    executor.spin_once(timeout_sec=0.0)
    waits.clear()
    for number, guard in enumerate(guards):
        guard.trigger()
        spin(executor, lambda number=number: len(done) > number)
    assert len(done) == 20
    assert len(waits) - sum(waits) <= 21, "rclpy's own executor waits twice per callback"


def test_most_waits_are_without_qos_events(node: Node, executor: GuardedExecutor, waits: list[bool]) -> None:
    ticks: list[None] = []
    node.create_timer(0.001, lambda: ticks.append(None))
    spin(executor, lambda: len(ticks) >= 100)
    assert 0 < sum(waits) < len(waits) / 2


def test_an_incompatible_publisher_is_still_reported(node: Node, executor: GuardedExecutor) -> None:
    reported: list[object] = []
    node.create_subscription(
        Empty,
        "latched",
        lambda _: None,
        LATCHED,
        event_callbacks=SubscriptionEventCallbacks(incompatible_qos=reported.append),
    )
    node.create_publisher(Empty, "latched", 1)
    spin(executor, lambda: reported)


def test_a_coroutine_that_finishes_resumes_the_one_that_awaits_it(
    node: Node, executor: GuardedExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lean_executor, "EVENTS_PERIOD", int(1e12))  # else every wait ends within a second
    first, second, order = Future(executor=executor), Future(executor=executor), []

    async def awaits(future: Future, name: str, then: Future | None) -> None:
        await future
        order.append(name)
        if then is not None:
            then.set_result(None)

    executor.create_task(awaits, first, "first", second)
    executor.create_task(awaits, second, "second", None)
    executor.spin_once(timeout_sec=0.0)
    executor.spin_once(timeout_sec=0.0)
    timer = node.create_timer(0.001, lambda: (first.set_result(None), timer.cancel()))
    spin(executor, lambda: order == ["first", "second"])


def test_a_timeout_ends_the_wait_and_a_callback_of_another_thread_begins_it_anew(
    node: Node, executor: GuardedExecutor
) -> None:
    done: list[None] = []
    executor.spin_once(timeout_sec=0.01)
    assert not done
    executor.create_task(lambda: done.append(None))
    executor.spin_once(timeout_sec=PATIENCE)
    assert done
