"""Worker thread for work that must not block the executor, and the queue of calls back to the executor."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeVar

from rclpy.node import Node

from openral_ros.callback_guard import callback_name
from openral_ros.executor import run_on_executor
from openral_ros.resources import ResourceScope

T = TypeVar("T")


class WorkerThread:
    """Runs functions in order; ``on_done`` is called on the executor until the scope closes."""

    def __init__(self, scope: ResourceScope, node: Node, name: str) -> None:
        self._scope, self._node, self._name = scope, node, name
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        scope.callback(lambda: self._pool.shutdown(wait=False, cancel_futures=True))

    def submit(self, work: Callable[[], T], on_done: Callable[[T | Exception], None]) -> "Future[T]":
        """Run ``work``; ``on_done`` gets its return value or exception."""
        deliver = self._scope.guarded(f"result of thread {self._name}", on_done)
        future = self._pool.submit(work)
        future.add_done_callback(lambda done: self._post_to_executor(done, deliver))
        return future

    def _post_to_executor(self, done: "Future[T]", deliver: Callable[[T | Exception], None]) -> None:
        if not done.cancelled():
            outcome = _outcome(done)
            run_on_executor(self._node, deliver, outcome)


def _outcome(done: "Future[T]") -> T | Exception:
    error = done.exception()
    if error is None:
        return done.result()
    if isinstance(error, Exception):
        return error
    raise error


class ExecutorQueue:
    """Queue of calls that any thread posts and the node's executor runs, in order."""

    def __init__(self, scope: ResourceScope) -> None:
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._scope = scope
        self._guard = scope.guard_condition(self._deliver)

    def post(self, call: Callable[[], None]) -> None:
        """Run ``call`` on the executor soon; an exception in it does not block later calls."""
        self._calls.put(self._scope.guarded(f"call {callback_name(call)}", call))
        self._guard.trigger()

    def _deliver(self) -> None:
        with suppress(Empty):
            while True:
                self._calls.get_nowait()()
