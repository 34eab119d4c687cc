"""Resources of one lifecycle state, released in reverse order when the state is left."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from inspect import iscoroutinefunction
from threading import RLock
from typing import Any, Protocol, TypeVar

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.clock import Clock, ClockType, JumpThreshold
from rclpy.duration import Duration
from rclpy.exceptions import NameValidationException
from rclpy.guard_condition import GuardCondition
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.service import Service
from rclpy.subscription import Subscription
from rclpy.timer import Timer

from openral_core.errors import OpenRALError
from openral_ros.callback_guard import (
    FailureResponder,
    FatalNodeError,
    callback_name,
    describe_error,
    failure_responder,
    fill_failure,
    guard_of,
    guard_service,
)

T = TypeVar("T")
Callback = Callable[..., Any]


class InvalidInterfaceName(OpenRALError):
    """A name of a topic or service, often made from a parameter, that ROS does not allow."""

    def __init__(self, name: str, reason: Exception) -> None:
        super().__init__(f"{name[:100]!r} cannot name a topic or service: {str(reason)[:300]}")


def forget_request(handle: ServerGoalHandle) -> None:
    """Reset every field of a goal's request to its default: rclpy refers to ended goals for 15 minutes."""
    request = handle.request
    blank = type(request)()
    for name in request.get_fields_and_field_types():
        setattr(request, name, getattr(blank, name))


@contextmanager
def _valid_name(name: str) -> Iterator[None]:
    try:
        yield
    except (NameValidationException, rclpy_implementation.RCLError) as error:
        raise InvalidInterfaceName(name, error) from error


class ActionType(Protocol):
    """Class generated from an .action file."""

    Result: Callable[[], object]


class StreamScope(Protocol):
    """Part of a scope that reads streams; the playback of a recording has it without a node."""

    def subscription(
        self, message_type: type, topic: str, callback: Callback, qos: QoSProfile, **options: object
    ) -> Subscription:
        """Call ``callback`` with each message of a topic."""

    def guarded(self, source: str, callback: Callable[..., T]) -> Callable[..., T | None]:
        """Return a callback whose exceptions are caught."""

    def on_time_jumped_back(self, callback: Callable[[], object]) -> None:
        """Register a callback for jumps back of ROS time."""


class ResourceScope:
    """Creates a node's interfaces and destroys them, last first, on `close`.

    Every callback is guarded (`CallbackGuard`): exceptions are logged and counted, a client gets a typed
    failure, and the node continues. No callback starts once the scope is closing, and closing waits for a
    running one, so a callback may use everything in its scope.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._stack = ExitStack()
        self._guard = guard_of(node)
        self._in_callback = RLock()
        self._life = 0
        self._parts: list[ResourceScope] = []

    def part(self) -> "ResourceScope":
        """Return a scope that closes with this one, or earlier; a closed one leaves nothing behind."""
        part = ResourceScope(self._node)
        self._parts.append(part)
        part.callback(self._parts.remove, part)
        return part

    def publisher(self, message_type: type, topic: str, qos: QoSProfile, **options: object) -> Publisher:
        """Create a publisher; ``options`` are those of `Node.create_publisher`."""
        with _valid_name(topic):
            publisher = self._node.create_publisher(message_type, topic, qos, **options)
        self._stack.callback(self._node.destroy_publisher, publisher)
        return publisher

    def subscription(
        self, message_type: type, topic: str, callback: Callback, qos: QoSProfile, **options: object
    ) -> Subscription:
        """Create a subscription; ``options`` are those of `Node.create_subscription`."""
        with _valid_name(topic):
            guarded = self.guarded(f"subscription {self._node.resolve_topic_name(topic)}", callback)
            subscription = self._node.create_subscription(message_type, topic, guarded, qos, **options)
        self._stack.callback(self._node.destroy_subscription, subscription)
        return subscription

    def service(self, service_type: type, name: str, callback: Callback) -> Service:
        """Create a service; a coroutine function may answer later, other callbacks run meanwhile.

        Raises:
            NoFailureResponse: If the response type cannot express an internal error.
        """
        failure = failure_responder(service_type)
        source = f"service {self._node.resolve_service_name(name)}"
        group = ReentrantCallbackGroup() if iscoroutinefunction(callback) else None
        service = self._node.create_service(
            service_type, name, self._while_open(callback, failure), callback_group=group
        )
        guard_service(self._guard, source, service, failure)
        self._stack.callback(self._node.destroy_service, service)
        return service

    def action_server(
        self, action_type: type[ActionType], name: str, execute: Callback, cancel: Callback
    ) -> ActionServer:
        """Create an action server; ``execute`` is a coroutine function.

        A goal whose ``execute`` raises is aborted with a typed result.
        """
        source = f"action {self._node.resolve_service_name(name)}"
        fill_failure(action_type.Result(), "")

        async def guarded(handle: ServerGoalHandle) -> object:
            try:
                return await execute(handle)
            except FatalNodeError:
                raise
            except Exception as error:
                self._guard.record(source, error)
                if handle.is_active:
                    handle.abort()
                return fill_failure(action_type.Result(), describe_error(error))
            finally:
                forget_request(handle)

        def cancelled(handle: ServerGoalHandle) -> CancelResponse:
            return self._guard.run(f"{source}, cancel", cancel, handle) or CancelResponse.REJECT

        server = ActionServer(self._node, action_type, name, guarded, cancel_callback=cancelled)
        self._stack.callback(server.destroy)
        return server

    def client(self, service_type: type, name: str) -> Client:
        """Create a service client."""
        with _valid_name(name):
            client = self._node.create_client(service_type, name)
        self._stack.callback(self._node.destroy_client, client)
        return client

    def timer(self, period: float, callback: Callable[[], object], **options: object) -> Timer:
        """Create a timer with a ``period`` [s] of steady time, which a stopped simulation cannot stop."""
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        guarded = self.guarded(f"timer {callback_name(callback)}", callback)
        timer = self._node.create_timer(period, guarded, clock=steady, **options)
        self._stack.callback(self._node.destroy_timer, timer)
        return timer

    def guard_condition(self, callback: Callable[[], object]) -> GuardCondition:
        """Create a guard condition; its callback runs also while a coroutine of the node is suspended."""
        guarded = self.guarded(f"guard condition {callback_name(callback)}", callback)
        condition = self._node.create_guard_condition(guarded, ReentrantCallbackGroup())
        self._stack.callback(self._node.destroy_guard_condition, condition)
        return condition

    def on_time_jumped_back(self, callback: Callable[[], object]) -> None:
        """Register a callback for jumps back of ROS time, as when a simulation restarts."""
        guarded = self.guarded(f"time jump {callback_name(callback)}", callback)
        threshold = JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1))
        clock = self._node.get_clock()
        self._stack.callback(
            clock.create_jump_callback(threshold, post_callback=lambda _: guarded()).unregister
        )

    def guarded(self, source: str, callback: Callable[..., T]) -> Callable[..., T | None]:
        """Return a guarded callback, for interfaces that this scope does not create.

        Args:
            source: Description of the callback for logs and diagnostics.
            callback: Called until `close`; all its exceptions but `FatalNodeError` are caught.
        """
        life = self._life

        def run(*arguments: object) -> T | None:
            with self._in_callback:
                if life != self._life:
                    return None
                return self._guard.run(source, callback, *arguments)

        return run

    def callback(self, undo: Callable[..., object], *arguments: object) -> None:
        """Call ``undo(*arguments)`` when the scope closes."""
        self._stack.callback(undo, *arguments)

    def enter_context(self, context: AbstractContextManager[T]) -> T:
        """Enter a context manager that exits when the scope closes."""
        return self._stack.enter_context(context)

    def close(self) -> None:
        """Stop all callbacks, then release everything, last acquired first."""
        with self._in_callback:
            self._life += 1
        for part in tuple(self._parts):
            part.close()
        self._stack.close()

    def _while_open(self, callback: Callback, failure: FailureResponder) -> Callback:
        """Wrap the callback of a service so that it answers with a failure once the scope is closed."""
        if iscoroutinefunction(callback):
            return callback
        life = self._life

        def answer(request: object, response: object) -> object:
            with self._in_callback:
                if life != self._life:
                    return failure(
                        request, "the node is leaving the lifecycle state that provides this service"
                    )
                return callback(request, response)

        return answer
