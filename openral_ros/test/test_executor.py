"""The executor that runs transitions apart from everything else."""

from collections.abc import Callable, Iterator
from threading import Event, current_thread
from time import monotonic
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.task import Task
from rclpy.waitable import NumberOfEntities, Waitable
from std_msgs.msg import Empty as EmptyMessage
from std_srvs.srv import Empty

from openral_ros.callback_guard import FatalNodeError, guard_of
from openral_ros.executor import (
    TransitionCallbackGroup,
    TransitionThreadExecutor,
    describe_callback,
)

PATIENCE = 20.0


class TooLate(FatalNodeError):
    """A fatal error of the tests."""

    kind = "too_late"


@pytest.fixture
def node(ros_context: Any) -> Iterator[Node]:
    made = Node("apart", context=ros_context)
    yield made
    made.destroy_node()


@pytest.fixture
def executor(ros_context: Any, node: Node) -> Iterator[TransitionThreadExecutor]:
    made = TransitionThreadExecutor(context=ros_context)
    made.add_node(node)
    yield made
    made.shutdown()


def spin(executor: Executor, until: Callable[[], object]) -> None:
    end = monotonic() + PATIENCE
    while not until():
        assert monotonic() < end
        executor.spin_once(timeout_sec=0.1)


def asked(node: Node, callback: Callable[[Any, Any], Any], name: str) -> Any:
    """The future answer of a service among the transitions."""
    node.create_service(Empty, name, callback, callback_group=TransitionCallbackGroup())
    return node.create_client(Empty, name).call_async(Empty.Request())


def test_a_transition_that_waits_leaves_the_other_callbacks_alone(
    node: Node, executor: TransitionThreadExecutor
) -> None:
    begun, over, threads = Event(), Event(), []

    def wait(request: Any, response: Any) -> Any:
        threads.append(current_thread())
        begun.set()
        assert over.wait(PATIENCE)
        return response

    answer, ticks = asked(node, wait, "slow"), list[Any]()
    spin(executor, begun.is_set)
    node.create_timer(0.001, lambda: ticks.append(current_thread()))
    spin(executor, lambda: len(ticks) >= 5)
    assert not answer.done()
    assert set(ticks) == {current_thread()}
    over.set()
    spin(executor, answer.done)
    assert threads != [current_thread()]
    assert len(threads) == 1


def test_callbacks_are_offered_once_however_late_they_are_begun(
    node: Node, executor: TransitionThreadExecutor
) -> None:
    done: list[int] = []
    for number in range(100):
        executor.create_task(done.append, number)
    spin(executor, lambda: len(done) >= 100)
    assert sorted(done) == list(range(100))


@pytest.fixture
def broken(node: Node, executor: TransitionThreadExecutor) -> Callable[[Exception], None]:
    """Have a task, a callback and a transition raise."""

    def raising(error: Exception) -> None:
        def raise_it(*_: Any) -> None:
            raise error

        executor.create_task(raise_it)
        asked(node, raise_it, "in_a_transition")
        node.create_timer(0.01, raise_it)

    return raising


def test_what_a_callback_raises_is_counted_with_its_source(
    node: Node,
    executor: TransitionThreadExecutor,
    broken: Callable[[Exception], None],
    callback_errors: list[str],
) -> None:
    broken(ValueError("odd"))
    sources = ("task broken.<locals>", "service in_a_transition", "timer broken.<locals>")
    counts = guard_of(node).counts
    spin(executor, lambda: all(any(kind.startswith(each) for kind in counts) for each in sources))
    assert {kind.rpartition(": ")[2] for kind in counts} == {"ValueError"}


@pytest.mark.parametrize("times", range(3))
def test_who_cannot_go_on_reaches_who_spins(
    node: Node, executor: TransitionThreadExecutor, broken: Callable[[Exception], None], times: int
) -> None:
    broken(TooLate("no more"))
    for _ in range(times + 1):
        with pytest.raises(TooLate):
            spin(executor, lambda: False)


class Vanishing(Waitable):
    """An event handler whose handle another thread destroys once the executor has begun to gather."""

    def __init__(self, node: Node) -> None:
        super().__init__(node.default_callback_group)
        self.gathered = 0

    def __enter__(self) -> None:
        self.gathered += 1

    def __exit__(self, *_: object) -> None:
        """Nothing was entered."""

    def get_num_entities(self) -> NumberOfEntities:
        return NumberOfEntities()

    def add_to_wait_set(self, wait_set: object) -> None:
        if self.gathered == 1:
            raise InvalidHandle("cannot use Destroyable because destruction was requested")

    def is_ready(self, wait_set: object) -> bool:
        return False

    def take_data(self) -> None:
        """Never ready."""

    async def execute(self, taken_data: object) -> None:
        """Never ready."""


def test_what_another_thread_destroys_while_it_is_waited_for_ends_no_node(
    node: Node, executor: TransitionThreadExecutor
) -> None:
    vanishing, ticks = Vanishing(node), []
    node.add_waitable(vanishing)
    node.create_timer(0.01, lambda: ticks.append(None))
    spin(executor, lambda: ticks)
    assert vanishing.gathered > 1
    node.remove_waitable(vanishing)


def test_a_subscription_that_was_destroyed_before_its_callback_ran_can_be_described(node: Node) -> None:
    gone = node.create_subscription(EmptyMessage, "gone", lambda _: None, 1)
    node.destroy_subscription(gone)
    assert describe_callback(Task(lambda: None), gone) == "destroyed subscription"
