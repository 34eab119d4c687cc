"""Service calls that never block and always end."""

from collections.abc import Callable
from typing import Generic, TypeVar

from openral_core.errors import OpenRALError
from openral_ros.scopes import Scope
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future

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
        self._open: set[_Call[Response]] = set()
        scope.callback(self._abandon)

    @property
    def name(self) -> str:
        """The service's fully qualified name."""
        return str(self._client.srv_name)

    @property
    def ready(self) -> bool:
        """Whether a server is there now."""
        return bool(self._client.service_is_ready())

    def call(self, request: object, deadline: float, on_done: Callable[[Response | CallError], None]) -> None:
        """Send ``request``; ``on_done`` gets the response or the error, once, on the executor.

        Args:
            request: A request message.
            deadline: Time to wait for the answer [s].
            on_done: Called also when nobody serves the name.
        """
        if not self.ready:
            on_done(ServiceUnavailable(self.name))
            return
        self._open.add(_Call(self, request, deadline, on_done))

    def _abandon(self) -> None:
        for call in tuple(self._open):
            call.end(ServiceFailed(self.name, "the caller shut down"))


class _Call(Generic[Response]):
    """One request on its way."""

    def __init__(
        self,
        caller: ServiceCaller[Response],
        request: object,
        deadline: float,
        on_done: Callable[[Response | CallError], None],
    ) -> None:
        self._caller, self._on_done = caller, on_done
        self._deadline = deadline
        self._ended = False
        self._timer = caller._node.create_timer(
            deadline, self._late, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        self._future = caller._client.call_async(request)
        self._future.add_done_callback(self._answered)

    def _answered(self, future: Future) -> None:
        if self._ended or future.cancelled():
            return
        error = future.exception()
        self.end(future.result() if error is None else ServiceFailed(self._caller.name, error))

    def _late(self) -> None:
        self.end(ServiceTimedOut(self._caller.name, self._deadline))

    def end(self, outcome: Response | CallError) -> None:
        """Give the outcome once and drop everything this call held."""
        if self._ended:
            return
        self._ended = True
        self._caller._open.discard(self)
        self._caller._node.destroy_timer(self._timer)
        self._caller._client.remove_pending_request(self._future)
        self._on_done(outcome)
