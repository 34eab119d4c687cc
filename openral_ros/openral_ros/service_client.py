"""Service client whose calls never block and always end, by timeouts in steady time."""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future

from openral_core.errors import OpenRALError
from openral_ros.callback_guard import callback_name, guard_of
from openral_ros.resources import ResourceScope

_MIN_PERIOD = 1e-3
"""Shortest period of the timer [s]; a period of 0 would never let the executor rest."""
SUSPENDED = 1.0
"""Delay of the timer that means that this process did not run [s]; a busy executor is quicker."""
GRACE = 5.0
"""Time that a timeout which fell due meanwhile gets, once [s]: more than a DDS announcement period."""


@dataclass(frozen=True, slots=True)
class _Timeout:
    """Time at which a timeout is due [s], and its callback; ``extended`` if it was put off already."""

    due: float
    callback: Callable[[], None]
    extended: bool = False


class TimeoutScheduler:
    """Any number of timeouts on one timer; rclpy leaks 190 bytes per created timer.

    A timeout that fell due while this process was suspended is put off by `GRACE`, so that responses which
    wait in its queues, or come once DDS has found its peers again, are handled first.
    """

    def __init__(self, scope: ResourceScope, node: Node) -> None:
        self._scope, self._node = scope, node
        self._open: dict[Hashable, _Timeout] = {}
        self._timer = scope.timer(_MIN_PERIOD, self._fire, autostart=False)
        scope.callback(self._open.clear)

    def schedule(self, key: Hashable, seconds: float, on_timeout: Callable[[], None]) -> None:
        """Call ``on_timeout`` once on the executor after ``seconds`` [s]; replaces the one with this key."""
        guarded = self._scope.guarded(f"timeout {callback_name(on_timeout)}", on_timeout)
        self._open[key] = _Timeout(time.monotonic() + seconds, guarded)
        self._restart_timer()

    def cancel(self, key: Hashable) -> None:
        """Cancel a timeout; no effect if it has fired."""
        self._open.pop(key, None)

    def _fire(self) -> None:
        now = time.monotonic()
        due = {key: timeout for key, timeout in self._open.items() if timeout.due <= now}
        was_suspended = bool(due) and now - min(timeout.due for timeout in due.values()) > SUSPENDED
        for key, timeout in tuple(due.items()):
            if was_suspended and not timeout.extended:
                self._open[key] = replace(timeout, due=now + GRACE, extended=True)
                del due[key]
        for key in due:
            del self._open[key]
        self._restart_timer()
        for timeout in due.values():
            timeout.callback()

    def _restart_timer(self) -> None:
        """Wait for the next timeout."""
        if not self._open:
            self._timer.cancel()
            return
        remaining = min(timeout.due for timeout in self._open.values()) - time.monotonic()
        self._timer.timer_period_ns = int(1e9 * max(remaining, _MIN_PERIOD))
        self._timer.reset()
        if self._node.executor is not None:
            self._node.executor.wake()


Response = TypeVar("Response")


class CallError(OpenRALError):
    """Base of errors that end a service call without a response."""


class ServiceUnavailable(CallError):
    """A service without a server."""

    def __init__(self, service: str) -> None:
        super().__init__(f"service {service} is not available")


class ServiceTimedOut(CallError):
    """A call without a response in time."""

    def __init__(self, service: str, deadline: float) -> None:
        super().__init__(f"service {service} did not respond within {deadline:.1f} s")


class ServiceFailed(CallError):
    """A call that failed on the client side."""

    def __init__(self, service: str, reason: object) -> None:
        super().__init__(f"call of service {service} failed: {reason}")


class AsyncServiceClient(Generic[Response]):
    """A client whose calls end with a response or a `CallError` within a deadline of steady time."""

    def __init__(self, scope: ResourceScope, node: Node, service_type: type, name: str) -> None:
        self._client, self._guard = scope.client(service_type, name), guard_of(node)
        self._name = str(node.resolve_service_name(name))
        self._timeouts = TimeoutScheduler(scope, node)
        self._open: set[_PendingCall[Response]] = set()
        scope.callback(self._abandon)

    @property
    def name(self) -> str:
        """The service's fully qualified name."""
        return self._name

    @property
    def ready(self) -> bool:
        """True while a server is available."""
        return bool(self._client.service_is_ready())

    def call(
        self,
        request: object,
        deadline: float,
        on_done: Callable[[Response | CallError], None],
    ) -> None:
        """Send ``request``; ``on_done`` gets the response or the error, once, on the executor.

        Args:
            deadline: Time to wait for the response [s].
            on_done: Called at once if the service is not available.
        """
        if not self.ready:
            on_done(ServiceUnavailable(self.name))
            return
        call = _PendingCall(self._client, self._name, deadline, self._timeouts, self._on_end(on_done))
        self._open.add(call)
        call.send(request)

    def _on_end(
        self, on_done: Callable[[Response | CallError], None]
    ) -> "Callable[[_PendingCall[Response], Response | CallError], None]":
        def on_end(call: "_PendingCall[Response]", outcome: Response | CallError) -> None:
            self._open.discard(call)
            self._guard.run(f"response of {self._name}", on_done, outcome)

        return on_end

    def _abandon(self) -> None:
        for call in tuple(self._open):
            call.end(ServiceFailed(self.name, "the client was shut down"))


class _PendingCall(Generic[Response]):
    """One request without a response yet."""

    def __init__(
        self,
        client: Client,
        name: str,
        deadline: float,
        timeouts: TimeoutScheduler,
        on_end: "Callable[[_PendingCall[Response], Response | CallError], None]",
    ) -> None:
        self._client, self._name = client, name
        self._deadline, self._timeouts, self._on_end = deadline, timeouts, on_end
        self._future: Future | None = None

    def send(self, request: object) -> None:
        """Send the request and start its timeout."""
        self._timeouts.schedule(self, self._deadline, self._on_timeout)
        self._future = self._client.call_async(request)
        self._future.add_done_callback(self._on_response)

    def _on_response(self, future: Future) -> None:
        error = future.exception()
        self.end(future.result() if error is None else ServiceFailed(self._name, error))

    def _on_timeout(self) -> None:
        self.end(ServiceTimedOut(self._name, self._deadline))

    def end(self, outcome: Response | CallError) -> None:
        """Deliver the outcome once and release everything this call holds."""
        future, self._future = self._future, None
        if future is None:
            return
        self._timeouts.cancel(self)
        self._client.remove_pending_request(future)
        self._on_end(self, outcome)
