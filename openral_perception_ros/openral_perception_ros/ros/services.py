"""Services whose answers take time."""

from collections.abc import Callable, Coroutine
from contextlib import suppress

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.service import Service

from openral_ros.scopes import Scope

REQUESTS = QoSProfile(depth=256)
"""Kept until they are read; the usual ten would lose the eleventh of a burst without a word."""


def asynchronous_service(
    scope: Scope,
    node: Node,
    service_type: type,
    name: str,
    callback: Callable[[object, object], Coroutine[None, None, object]],
) -> Service:
    """A service with a coroutine callback: requests overlap and the executor stays free while they wait.

    An answer that comes after the service was closed is dropped; rclpy would end the process over it.
    """
    group = ReentrantCallbackGroup()
    service = node.create_service(
        service_type, name, callback, qos_profile=REQUESTS, callback_group=group
    )
    send = service.send_response

    def send_while_open(response: object, header: object) -> None:
        with suppress(InvalidHandle):
            send(response, header)

    service.send_response = send_while_open
    scope.callback(node.destroy_service, service)
    return service
