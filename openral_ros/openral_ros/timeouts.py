"""Timeouts in steady time, which a stopped simulation cannot stop."""

import time
from collections.abc import Callable, Hashable

from rclpy.node import Node

from openral_ros.callback_guard import callback_name
from openral_ros.resources import ResourceScope

_MIN_PERIOD = 1e-3
"""Shortest period of the timer [s]; a period of 0 would never let the executor rest."""


class TimeoutScheduler:
    """Any number of timeouts on one timer; rclpy leaks 190 bytes per created timer."""

    def __init__(self, scope: ResourceScope, node: Node) -> None:
        self._scope, self._node = scope, node
        self._open: dict[Hashable, tuple[float, Callable[[], None]]] = {}
        self._timer = scope.timer(_MIN_PERIOD, self._fire, autostart=False)
        scope.callback(self._open.clear)

    def schedule(self, key: Hashable, seconds: float, on_timeout: Callable[[], None]) -> None:
        """Call ``on_timeout`` once on the executor after ``seconds`` [s]; replaces the one with this key."""
        guarded = self._scope.guarded(f"timeout {callback_name(on_timeout)}", on_timeout)
        self._open[key] = (time.monotonic() + seconds, guarded)
        self._restart_timer()

    def cancel(self, key: Hashable) -> None:
        """Cancel a timeout; no effect if it has fired."""
        self._open.pop(key, None)

    def _fire(self) -> None:
        now = time.monotonic()
        due_keys = [key for key, (time_due, _) in self._open.items() if time_due <= now]
        callbacks = [self._open.pop(key)[1] for key in due_keys]
        self._restart_timer()
        for callback in callbacks:
            callback()

    def _restart_timer(self) -> None:
        """Wait for the next timeout."""
        if not self._open:
            self._timer.cancel()
            return
        left = min(due for due, _ in self._open.values()) - time.monotonic()
        self._timer.timer_period_ns = int(1e9 * max(left, _MIN_PERIOD))
        self._timer.reset()
        if self._node.executor is not None:
            self._node.executor.wake()
