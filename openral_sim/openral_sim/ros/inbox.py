"""Brings calls from other threads home to the executor."""

from collections.abc import Callable
from queue import Empty, SimpleQueue

from openral_ros.callback_guard import name_of
from openral_ros.scopes import Scope


class ExecutorInbox:
    """Calls posted from any thread are made on the node's executor, in order."""

    def __init__(self, scope: Scope) -> None:
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._scope = scope
        self._guard = scope.guard_condition(self._deliver)

    def post(self, call: Callable[[], None]) -> None:
        """Have ``call`` made on the executor soon; one that breaks does not keep back those behind it."""
        self._calls.put(self._scope.guarded(f"call {name_of(call)}", call))
        self._guard.trigger()

    def _deliver(self) -> None:
        while (call := self._next()) is not None:
            call()

    def _next(self) -> Callable[[], None] | None:
        try:
            return self._calls.get_nowait()
        except Empty:
            return None
