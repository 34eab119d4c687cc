"""Service calls that never block and always end."""

from collections.abc import Callable
from typing import Generic, TypeVar

from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future

from openral_core.errors import OpenRALError
from openral_ros.callback_guard import guard_of
from openral_ros.resources import ResourceScope
from openral_ros.timeouts import TimeoutScheduler

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


class AsyncServiceClient(Generic[Response]):
    """A client whose every call ends, in its answer or a `CallError`, within a deadline of steady time."""

    def __init__(self, scope: ResourceScope, node: Node, service_type: type, name: str) -> None:
        self._client, self._guard = scope.client(service_type, name), guard_of(node)
        self._name = str(node.resolve_service_name(name))
        self._deadlines = TimeoutScheduler(scope, node)
        self._open: set[_PendingCall[Response]] = set()
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
        call = _PendingCall(self._client, self._name, deadline, self._deadlines, self._ended_with(on_done))
        self._open.add(call)
        call.send(request)

    def _ended_with(
        self, on_done: Callable[[Response | CallError], None]
    ) -> "Callable[[_PendingCall[Response], Response | CallError], None]":
        def ended(call: "_PendingCall[Response]", outcome: Response | CallError) -> None:
            self._open.discard(call)
            self._guard.run(f"answer of {self._name}", on_done, outcome)

        return ended

    def _abandon(self) -> None:
        for call in tuple(self._open):
            call.end(ServiceFailed(self.name, "the caller shut down"))


class _PendingCall(Generic[Response]):
    """One request on its way."""

    def __init__(
        self,
        client: Client,
        name: str,
        deadline: float,
        deadlines: TimeoutScheduler,
        on_end: "Callable[[_PendingCall[Response], Response | CallError], None]",
    ) -> None:
        self._client, self._name = client, name
        self._deadline, self._deadlines, self._on_end = deadline, deadlines, on_end
        self._future: Future | None = None

    def send(self, request: object) -> None:
        """Send the request; its deadline runs from now on."""
        self._deadlines.set(self, self._deadline, self._late)
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
        self._deadlines.drop(self)
        self._client.remove_pending_request(future)
        self._on_end(self, outcome)
