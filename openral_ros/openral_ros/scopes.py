"""What a lifecycle state acquired, to be given back in reverse when the state is left."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import TypeVar

from rclpy.client import Client
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.service import Service
from rclpy.subscription import Subscription
from rclpy.timer import Timer

T = TypeVar("T")


class Scope:
    """Creates a node's interfaces and destroys them, last first, on `close`."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._stack = ExitStack()

    def publisher(self, message_type: type, topic: str, qos: QoSProfile) -> Publisher:
        """A publisher for as long as this scope lives."""
        publisher = self._node.create_publisher(message_type, topic, qos)
        self._stack.callback(self._node.destroy_publisher, publisher)
        return publisher

    def subscription(
        self,
        message_type: type,
        topic: str,
        callback: Callable[..., object],
        qos: QoSProfile,
    ) -> Subscription:
        """A subscription for as long as this scope lives."""
        subscription = self._node.create_subscription(message_type, topic, callback, qos)
        self._stack.callback(self._node.destroy_subscription, subscription)
        return subscription

    def service(self, service_type: type, name: str, callback: Callable[..., object]) -> Service:
        """A service for as long as this scope lives."""
        service = self._node.create_service(service_type, name, callback)
        self._stack.callback(self._node.destroy_service, service)
        return service

    def client(self, service_type: type, name: str) -> Client:
        """A service client for as long as this scope lives."""
        client = self._node.create_client(service_type, name)
        self._stack.callback(self._node.destroy_client, client)
        return client

    def timer(self, period: float, callback: Callable[[], object]) -> Timer:
        """A timer every ``period`` [s] of steady time, so a stopped simulation cannot stop it."""
        timer = self._node.create_timer(period, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._stack.callback(self._node.destroy_timer, timer)
        return timer

    def callback(self, undo: Callable[..., object], *arguments: object) -> None:
        """Call ``undo(*arguments)`` when this scope is left."""
        self._stack.callback(undo, *arguments)

    def enter_context(self, context: AbstractContextManager[T]) -> T:
        """Hold a context manager open for as long as this scope lives."""
        return self._stack.enter_context(context)

    def close(self) -> None:
        """Give everything back, last acquired first."""
        self._stack.close()
