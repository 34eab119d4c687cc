"""Worker thread for work that must not block the executor, and the queue of calls back to the executor."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import TypeVar

from rclpy.exceptions import InvalidHandle

from openral_ros.callback_guard import callback_name
from openral_ros.resources import ResourceScope

T = TypeVar("T")


class ExecutorQueue:
    """Queue of calls that any thread posts and the node's executor runs, in order, until the scope closes."""

    def __init__(self, scope: ResourceScope) -> None:
        self._calls: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._scope = scope
        self._guard = scope.guard_condition(self._run_calls)

    def post(self, call: Callable[[], object]) -> None:
        """Run ``call`` on the executor soon; an exception in it is logged and does not block later calls."""
        self._calls.put(self._scope.guarded(f"call {callback_name(call)}", call))
        with suppress(InvalidHandle):  # the scope is closed: a thread that ends late finds it gone
            self._guard.trigger()

    def _run_calls(self) -> None:
        with suppress(Empty):
            while True:
                self._calls.get_nowait()()


class WorkerThread:
    """Runs functions in order; ``on_done`` is called on the executor until the scope closes."""

    def __init__(self, scope: ResourceScope, name: str) -> None:
        self._results = ExecutorQueue(scope)
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        scope.callback(lambda: self._pool.shutdown(wait=False, cancel_futures=True))

    def submit(self, work: Callable[[], T], on_done: Callable[[T | Exception], None]) -> "Future[T]":
        """Run ``work``; ``on_done`` gets its return value or exception."""
        future = self._pool.submit(work)
        future.add_done_callback(lambda completed: self._deliver(completed, on_done))
        return future

    def _deliver(self, completed: "Future[T]", on_done: Callable[[T | Exception], None]) -> None:
        if not completed.cancelled():
            outcome = _outcome(completed)
            self._results.post(partial(on_done, outcome))


def _outcome(completed: "Future[T]") -> T | Exception:
    error = completed.exception()
    if error is None:
        return completed.result()
    if isinstance(error, Exception):
        return error
    raise error
