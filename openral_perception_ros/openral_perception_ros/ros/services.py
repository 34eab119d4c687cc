"""Services whose answers take time, answered beside their node's other work."""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread

import rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.exceptions import InvalidHandle
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile

from openral_ros.scopes import Scope

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
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(self._node)
        self._thread = Thread(target=self._spin, name=f"door of {node.get_name()}", daemon=True)
        scope.callback(self._close)

    def serve(self, service_type: type, name: str, callback: Callback) -> None:
        """Answer with what ``callback`` promises; it must return at once.

        The response is sent by the thread that keeps the promise. One that comes after the door was closed
        is dropped; rclpy would end the process over it.
        """
        resolved = self._owner.resolve_service_name(name)
        group = ReentrantCallbackGroup()
        service = self._node.create_service(
            service_type, resolved, callback, qos_profile=REQUESTS, callback_group=group
        )
        send = service.send_response

        def send_when_kept(promise: "Future[object]", header: object) -> None:
            def send_while_open(kept: "Future[object]") -> None:
                with suppress(InvalidHandle):
                    send(kept.result(), header)

            promise.add_done_callback(send_while_open)

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
