"""What a lifecycle state acquired, to be given back in reverse when the state is left."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from inspect import iscoroutinefunction
from threading import RLock
from typing import Any, Protocol, TypeVar

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.client import Client
from rclpy.clock import Clock, ClockType, JumpThreshold
from rclpy.duration import Duration
from rclpy.guard_condition import GuardCondition
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.service import Service
from rclpy.subscription import Subscription
from rclpy.timer import Timer

from openral_ros.callback_guard import FatalNodeError, guard_of, in_words, name_of
from openral_ros.service_guard import FailureAnswer, failure_answer, fill_failure, guard_service

T = TypeVar("T")
Callback = Callable[..., Any]


class ActionType(Protocol):
    """The class that an .action file becomes."""

    Result: Callable[[], object]


class ResourceScope:
    """Creates a node's interfaces and destroys them, last first, on `close`.

    Every callback is guarded (`CallbackGuard`): what it raises is logged and counted, a client gets a typed
    answer, the node goes on. None begins once the scope is closing, and closing waits for one that another
    thread is in: a callback may use whatever its scope holds.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._stack = ExitStack()
        self._guard = guard_of(node)
        self._in_callback = RLock()
        self._life = 0

    def publisher(self, message_type: type, topic: str, qos: QoSProfile) -> Publisher:
        """A publisher for as long as this scope lives."""
        publisher = self._node.create_publisher(message_type, topic, qos)
        self._stack.callback(self._node.destroy_publisher, publisher)
        return publisher

    def subscription(
        self, message_type: type, topic: str, callback: Callback, qos: QoSProfile, **options: object
    ) -> Subscription:
        """A subscription for as long as this scope lives; ``options`` are those of `Node`."""
        guarded = self.guarded(f"subscription {self._node.resolve_topic_name(topic)}", callback)
        subscription = self._node.create_subscription(message_type, topic, guarded, qos, **options)
        self._stack.callback(self._node.destroy_subscription, subscription)
        return subscription

    def service(self, service_type: type, name: str, callback: Callback) -> Service:
        """A service for as long as this scope lives; a coroutine function may answer later.

        Raises:
            NoFailureAnswer: If its response cannot say that its server broke.
        """
        failure = failure_answer(service_type)
        source = f"service {self._node.resolve_service_name(name)}"
        service = self._node.create_service(service_type, name, self._while_open(callback, failure))
        guard_service(self._guard, source, service, failure)
        self._stack.callback(self._node.destroy_service, service)
        return service

    def action_server(
        self, action_type: type[ActionType], name: str, execute: Callback, cancel: Callback
    ) -> ActionServer:
        """An action server for as long as this scope lives; ``execute`` is a coroutine function.

        A goal whose ``execute`` breaks is aborted with a typed result.
        """
        source = f"action {self._node.resolve_service_name(name)}"
        fill_failure(action_type.Result(), "")

        async def guarded(handle: ServerGoalHandle) -> object:
            try:
                return await execute(handle)
            except FatalNodeError:
                raise
            except Exception as error:
                self._guard.caught(source, error)
                if handle.is_active:
                    handle.abort()
                return fill_failure(action_type.Result(), in_words(error))

        def cancelled(handle: ServerGoalHandle) -> CancelResponse:
            return self._guard.run(f"{source}, cancel", cancel, handle) or CancelResponse.REJECT

        server = ActionServer(self._node, action_type, name, guarded, cancel_callback=cancelled)
        self._stack.callback(server.destroy)
        return server

    def client(self, service_type: type, name: str) -> Client:
        """A service client for as long as this scope lives."""
        client = self._node.create_client(service_type, name)
        self._stack.callback(self._node.destroy_client, client)
        return client

    def timer(self, period: float, callback: Callable[[], object], **options: object) -> Timer:
        """A timer every ``period`` [s] of steady time, so a stopped simulation cannot stop it."""
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        guarded = self.guarded(f"timer {name_of(callback)}", callback)
        timer = self._node.create_timer(period, guarded, clock=steady, **options)
        self._stack.callback(self._node.destroy_timer, timer)
        return timer

    def guard_condition(self, callback: Callable[[], object]) -> GuardCondition:
        """A guard condition for as long as this scope lives."""
        guarded = self.guarded(f"guard condition {name_of(callback)}", callback)
        condition = self._node.create_guard_condition(guarded)
        self._stack.callback(self._node.destroy_guard_condition, condition)
        return condition

    def on_time_jumped_back(self, callback: Callable[[], object]) -> None:
        """Call back when ROS time begins anew, as when a simulation is started again."""
        guarded = self.guarded(f"time jump {name_of(callback)}", callback)
        threshold = JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1))
        clock = self._node.get_clock()
        self._stack.callback(
            clock.create_jump_callback(threshold, post_callback=lambda _: guarded()).unregister
        )

    def guarded(self, source: str, callback: Callable[..., T]) -> Callable[..., T | None]:
        """A callback that may be handed to anything that calls back while this scope lives.

        Args:
            source: The callback in words, for log and diagnostics.
            callback: What it raises is caught, but for `FatalNodeError`; nothing is called after `close`.
        """
        life = self._life

        def run(*arguments: object) -> T | None:
            with self._in_callback:
                if life != self._life:
                    return None
                return self._guard.run(source, callback, *arguments)

        return run

    def callback(self, undo: Callable[..., object], *arguments: object) -> None:
        """Call ``undo(*arguments)`` when this scope is left."""
        self._stack.callback(undo, *arguments)

    def enter_context(self, context: AbstractContextManager[T]) -> T:
        """Hold a context manager open for as long as this scope lives."""
        return self._stack.enter_context(context)

    def close(self) -> None:
        """Let no callback begin any more, then give everything back, last acquired first."""
        with self._in_callback:
            self._life += 1
        self._stack.close()

    def _while_open(self, callback: Callback, failure: FailureAnswer) -> Callback:
        """A service's callback that answers with a failure once the scope is closed."""
        if iscoroutinefunction(callback):
            return callback
        life = self._life

        def answer(request: object, response: object) -> object:
            with self._in_callback:
                if life != self._life:
                    return failure(request, "the node is leaving the state that served this")
                return callback(request, response)

        return answer
