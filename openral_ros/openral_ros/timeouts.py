"""Deadlines of steady time: a dead simulator cannot stop them."""

import time
from collections.abc import Callable, Hashable

from rclpy.node import Node

from openral_ros.callback_guard import name_of
from openral_ros.resources import ResourceScope

_SOONEST = 1e-3


class TimeoutScheduler:
    """Any number of them on one timer: rclpy loses 190 bytes with every timer that is made."""

    def __init__(self, scope: ResourceScope, node: Node) -> None:
        self._scope, self._node = scope, node
        self._open: dict[Hashable, tuple[float, Callable[[], None]]] = {}
        self._timer = scope.timer(_SOONEST, self._look, autostart=False)
        scope.callback(self._open.clear)

    def set(self, key: Hashable, seconds: float, on_passed: Callable[[], None]) -> None:
        """Call ``on_passed`` on the executor, once, in so many seconds; it replaces an earlier one."""
        guarded = self._scope.guarded(f"deadline {name_of(on_passed)}", on_passed)
        self._open[key] = (time.monotonic() + seconds, guarded)
        self._wait()

    def drop(self, key: Hashable) -> None:
        """It matters no more; so does one that has passed."""
        self._open.pop(key, None)

    def _look(self) -> None:
        now = time.monotonic()
        passed = [key for key, (due, _) in self._open.items() if due <= now]
        callbacks = [self._open.pop(key)[1] for key in passed]
        self._wait()
        for callback in callbacks:
            callback()

    def _wait(self) -> None:
        """Until the next one."""
        if not self._open:
            self._timer.cancel()
            return
        left = min(due for due, _ in self._open.values()) - time.monotonic()
        self._timer.timer_period_ns = int(1e9 * max(left, _SOONEST))
        self._timer.reset()
        if self._node.executor is not None:
            self._node.executor.wake()
