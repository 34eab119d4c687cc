"""Work leaves the executor free and its results come home to it."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Trigger

from openral_ros.resources import ResourceScope
from openral_ros.worker_thread import ExecutorQueue, WorkerThread

SpinUntil = Callable[..., None]


def test_the_executor_runs_on_while_work_blocks(ros_context: Any, spin_until: SpinUntil) -> None:
    node, release = Node("busy", context=ros_context), threading.Event()
    scope = ResourceScope(node)
    outcomes: list[tuple[Any, int]] = []
    ticks: list[int] = []
    scope.timer(0.01, lambda: ticks.append(1))
    WorkerThread(scope, "model").submit(
        lambda: release.wait(30.0), lambda outcome: outcomes.append((outcome, threading.get_ident()))
    )
    spin_until([node], lambda: len(ticks) > 5, 10.0)
    assert not outcomes
    release.set()
    spin_until([node], lambda: bool(outcomes), 10.0)
    assert outcomes == [(True, threading.get_ident())]
    scope.close()
    node.destroy_node()


def test_an_error_comes_home_as_a_value(ros_context: Any, spin_until: SpinUntil) -> None:
    node = Node("busy", context=ros_context)
    scope = ResourceScope(node)
    outcomes: list[Any] = []
    thread = WorkerThread(scope, "model")

    def fail() -> None:
        raise ValueError("bad answer")

    timer = scope.timer(0.01, lambda: (timer.cancel(), thread.submit(fail, outcomes.append)))
    spin_until([node], lambda: bool(outcomes), 10.0)
    assert isinstance(outcomes[0], ValueError)
    scope.close()
    node.destroy_node()


def test_posted_calls_run_on_the_executor_in_order_and_an_error_stops_none(
    ros_context: Any, spin_until: SpinUntil, callback_errors: list[str]
) -> None:
    node = Node("posted", context=ros_context)
    scope = ResourceScope(node)
    queue, seen = ExecutorQueue(scope), list[tuple[int, int]]()

    def fail() -> None:
        raise ValueError("broken call")

    def post() -> None:
        queue.post(lambda: seen.append((1, threading.get_ident())))
        queue.post(fail)
        queue.post(lambda: seen.append((2, threading.get_ident())))

    poster = threading.Thread(target=post)
    poster.start()
    poster.join()
    assert not seen
    spin_until([node], lambda: len(seen) == 2, 10.0)
    assert seen == [(1, threading.get_ident()), (2, threading.get_ident())]
    assert len(callback_errors) == 1
    scope.close()
    node.destroy_node()


def test_a_service_that_awaits_a_result_does_not_keep_it_from_coming(
    ros_context: Any, spin_until: SpinUntil
) -> None:
    """A suspended coroutine holds its callback group, and most interfaces share the one of the node."""
    node = Node("awaiting", context=ros_context)
    scope = ResourceScope(node)
    thread = WorkerThread(scope, "model")

    async def answer(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        found = Future(executor=node.executor)
        thread.submit(lambda: "found", found.set_result)
        response.message = await found
        response.success = True
        return response

    scope.service(Trigger, "answer", answer)
    client = scope.client(Trigger, "answer")
    spin_until([node], client.service_is_ready, 10.0)
    asked = client.call_async(Trigger.Request())
    spin_until([node], asked.done, 10.0)
    assert asked.result().message == "found"
    scope.close()
    node.destroy_node()


def test_a_call_of_a_thread_that_ends_late_is_dropped(ros_context: Any) -> None:
    node, ran = Node("late", context=ros_context), list[str]()
    scope = ResourceScope(node)
    queue = ExecutorQueue(scope)
    scope.close()
    queue.post(lambda: ran.append("late"))
    node.destroy_node()
    queue.post(lambda: ran.append("later"))
    assert ran == []
