"""Services whose answers take time, answered beside their node's other work."""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Thread

import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import QoSProfile

from openral_ros.callback_guard import guard_of, in_words
from openral_ros.executors import GuardedExecutor
from openral_ros.scopes import Scope
from openral_ros.service_guard import failure_answer, guard_service

REQUESTS = QoSProfile(depth=256)
"""Kept until they are read; the usual ten would lose the eleventh of a burst without a word."""
Callback = Callable[[object, object], "Future[object]"]
CLOSING = 5.0


class FrontDoor:
    """Services of a node on a thread of their own, under the names the node would give them.

    Before every callback an executor goes through all it waits for; a detector's node has more than thirty
    such things, this door its services alone. It is a hidden node, since rclpy divides executors by node.
    """

    def __init__(self, scope: Scope, node: Node) -> None:
        self._owner = node
        self._node = rclpy.create_node(
            f"_{node.get_name()}_door",
            context=node.context,
            namespace=node.get_namespace(),
            use_global_arguments=False,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._executor = GuardedExecutor(context=node.context)
        self._executor.add_node(self._node)
        self._thread = Thread(target=self._spin, name=f"door of {node.get_name()}", daemon=True)
        scope.callback(self._close)

    def serve(self, service_type: type, name: str, callback: Callback) -> None:
        """Answer with what ``callback`` promises; it must return at once.

        The response is sent by the thread that keeps the promise. One that comes after the door was closed
        is dropped. A callback or a promise that breaks is answered with a typed failure.
        """
        resolved = self._owner.resolve_service_name(name)
        group = ReentrantCallbackGroup()
        service = self._node.create_service(
            service_type, resolved, callback, qos_profile=REQUESTS, callback_group=group
        )
        guard, source, failure = guard_of(self._owner), f"service {resolved}", failure_answer(service_type)
        guard_service(guard, source, service, failure)
        send = service.send_response

        def send_kept(header: object, kept: "Future[object]") -> None:
            error = kept.exception()
            if error is not None:
                guard.caught(source, error)
            send(kept.result() if error is None else failure(None, in_words(error)), header)

        def send_when_kept(promise: "Future[object] | object", header: object) -> None:
            if isinstance(promise, Future):
                promise.add_done_callback(partial(send_kept, header))
            else:
                send(promise, header)

        service.send_response = send_when_kept

    def open(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def _spin(self) -> None:
        with suppress(ExternalShutdownException):
            self._executor.spin()

    def _close(self) -> None:
        self._executor.shutdown(timeout_sec=CLOSING)
        if self._thread.is_alive():
            self._thread.join(CLOSING)
        self._node.destroy_node()
