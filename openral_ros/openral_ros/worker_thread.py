"""Worker thread for work that must not block the executor; results are delivered on the executor."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from rclpy.node import Node

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
        executor = self._node.executor
        if done.cancelled() or executor is None:
            return
        executor.create_task(deliver, _outcome(done))


def _outcome(done: "Future[T]") -> T | Exception:
    error = done.exception()
    if error is None:
        return done.result()
    if isinstance(error, Exception):
        return error
    raise error
