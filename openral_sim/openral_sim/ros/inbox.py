"""Brings calls from other threads home to the executor."""

from collections.abc import Callable
from queue import Empty, SimpleQueue

from rclpy.node import Node

from openral_ros.scopes import Scope


class ExecutorInbox:
    """Calls posted from any thread are made on the node's executor, in order."""

    def __init__(self, scope: Scope, node: Node) -> None:
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._guard = node.create_guard_condition(self._deliver)
        scope.callback(node.destroy_guard_condition, self._guard)

    def post(self, call: Callable[[], None]) -> None:
        """Have ``call`` made on the executor soon."""
        self._calls.put(call)
        self._guard.trigger()

    def _deliver(self) -> None:
        while (call := self._next()) is not None:
            call()

    def _next(self) -> Callable[[], None] | None:
        try:
            return self._calls.get_nowait()
        except Empty:
            return None
