"""Service calls that never block and always end."""

from collections.abc import Callable
from typing import Generic, TypeVar

from rclpy.client import Client
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future

from openral_core.errors import OpenRALError
from openral_ros.scopes import Scope

Response = TypeVar("Response")


class CallError(OpenRALError):
    """Base of the ways a service call can end without an answer."""


class ServiceUnavailable(CallError):
    """Nobody serves this name."""

    def __init__(self, service: str) -> None:
        super().__init__(f"no node serves {service}")


class ServiceTimedOut(CallError):
    """The server did not answer in time."""

    def __init__(self, service: str, deadline: float) -> None:
        super().__init__(f"{service} did not answer within {deadline:.1f} s")


class ServiceFailed(CallError):
    """The call broke on its way."""

    def __init__(self, service: str, reason: object) -> None:
        super().__init__(f"{service} failed: {reason}")


class ServiceCaller(Generic[Response]):
    """A client whose every call ends, in its answer or a `CallError`, within a deadline of steady time."""

    def __init__(self, scope: Scope, node: Node, service_type: type, name: str) -> None:
        self._node = node
        self._client = scope.client(service_type, name)
        self._name = str(node.resolve_service_name(name))
        # One for all calls: rclpy loses 190 bytes with each clock and timer made for a call, 80 with a timer.
        self._clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._open: set[_Call[Response]] = set()
        scope.callback(self._abandon)

    @property
    def name(self) -> str:
        """The service's fully qualified name."""
        return self._name

    @property
    def ready(self) -> bool:
        """Whether a server is there now."""
        return bool(self._client.service_is_ready())

    def call(
        self,
        request: object,
        deadline: float,
        on_done: Callable[[Response | CallError], None],
    ) -> None:
        """Send ``request``; ``on_done`` gets the response or the error, once, on the executor.

        Args:
            request: A request message.
            deadline: Time to wait for the answer [s].
            on_done: Called also when nobody serves the name.
        """
        if not self.ready:
            on_done(ServiceUnavailable(self.name))
            return
        call = _Call(self._node, self._client, self._name, deadline, self._clock, self._ended_with(on_done))
        self._open.add(call)
        call.send(request)

    def _ended_with(
        self, on_done: Callable[[Response | CallError], None]
    ) -> "Callable[[_Call[Response], Response | CallError], None]":
        def ended(call: "_Call[Response]", outcome: Response | CallError) -> None:
            self._open.discard(call)
            on_done(outcome)

        return ended

    def _abandon(self) -> None:
        for call in tuple(self._open):
            call.end(ServiceFailed(self.name, "the caller shut down"))


class _Call(Generic[Response]):
    """One request on its way."""

    def __init__(
        self,
        node: Node,
        client: Client,
        name: str,
        deadline: float,
        clock: Clock,
        on_end: "Callable[[_Call[Response], Response | CallError], None]",
    ) -> None:
        self._node, self._client, self._name = node, client, name
        self._deadline, self._on_end = deadline, on_end
        self._future: Future | None = None
        self._timer = node.create_timer(deadline, self._late, clock=clock)

    def send(self, request: object) -> None:
        """Send the request; the timer is running already."""
        self._future = self._client.call_async(request)
        self._future.add_done_callback(self._answered)

    def _answered(self, future: Future) -> None:
        error = future.exception()
        self.end(future.result() if error is None else ServiceFailed(self._name, error))

    def _late(self) -> None:
        self.end(ServiceTimedOut(self._name, self._deadline))

    def end(self, outcome: Response | CallError) -> None:
        """Give the outcome once and drop everything this call held."""
        future, self._future = self._future, None
        if future is None:
            return
        self._node.destroy_timer(self._timer)
        self._client.remove_pending_request(future)
        self._on_end(self, outcome)
