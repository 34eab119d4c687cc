"""Malformed messages that a careless or hostile participant may send to any subscription of a node."""

import math
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import count
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

STYLES = ("zero", "nan", "infinite", "huge", "negative", "unknown")
"""What every number of a message is; "huge" has long strings and arrays too, "unknown" no known constant."""
FITS_ALL = QoSProfile(
    depth=16, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
AFTER = 1.5
"""How long a node is left with what was published before it is asked [s]."""
LONG = 5_000
MANY = 200
_FLOATS = {
    "zero": 0.0,
    "nan": math.nan,
    "infinite": math.inf,
    "huge": 3e38,
    "negative": -1.0,
    "unknown": 1e-300,
}
_names = count()
Until = Callable[[Callable[[], object]], object]


def odd(message_type: Any, style: str, depth: int = 0) -> Any:
    """One message of a type in one style."""
    fields = message_type.get_fields_and_field_types()
    message = message_type()
    for name, kind in fields.items():
        setattr(message, name, _value(kind, getattr(message, name), style, depth))
    return message


def _value(kind: str, default: Any, style: str, depth: int) -> Any:
    if kind.startswith("sequence<"):
        inner = kind.removeprefix("sequence<").removesuffix(">").split(", ")[0]
        long = MANY if depth == 0 else 4
        length = {"zero": 0, "huge": long}.get(style, 2)
        return [_value(inner, None, style, depth + 1) for _ in range(length)]
    if kind.endswith("]"):
        inner, _, length = kind.removesuffix("]").partition("[")
        return [_value(inner, None, style, depth + 1) for _ in range(int(length))]
    if "/" in kind:
        package, name = kind.split("/")
        return odd(getattr(import_module(f"{package}.msg"), name), style, depth + 1)
    return _scalar(kind, style)


def _scalar(kind: str, style: str) -> Any:
    if kind in ("float", "double"):
        return _FLOATS[style] if kind == "double" or style != "unknown" else 1e-30
    if kind == "boolean":
        return style in ("huge", "unknown")
    if kind == "octet":
        return b"\xff"
    if kind.startswith("string"):
        return _text(style)
    signed, bits = not kind.startswith("uint"), int(kind.removeprefix("u").removeprefix("int"))
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return {"huge": most, "negative": least, "unknown": min(250, most)}.get(style, 0)


def _text(style: str) -> str:
    """ "unknown" is what no label, name or path may be."""
    texts = {"zero": "", "huge": "x" * LONG, "unknown": "?/../\x1b[31m\u202e{[/mug]}"}
    return texts.get(style, f"odd_{next(_names)}")


def besiege(node: Node, client: Node, until: Until) -> list[str]:
    """Publish every odd message on all that the node subscribes to.

    Args:
        node: Spins, in ``until`` or elsewhere.
        client: Publishes.
        until: Spins until something is true.

    Returns:
        The topics.
    """
    heard = {subscription.topic_name: subscription.msg_type for subscription in node.subscriptions}
    publishers = {
        topic: client.create_publisher(message_type, topic, FITS_ALL) for topic, message_type in heard.items()
    }
    for topic, publisher in publishers.items():
        until(lambda publisher=publisher: publisher.get_subscription_count() > 0)
        for style in STYLES:
            publisher.publish(odd(heard[topic], style))
        _wait(client, until)
    for publisher in publishers.values():
        client.destroy_publisher(publisher)
    return sorted(heard)


def interrogate(services: Iterator[Any], client: Node, until: Until) -> list[str]:
    """Send every odd request to all of these services; each must be answered.

    Returns:
        The services.
    """
    asked = []
    for service in list(services):
        caller = client.create_client(service.srv_type, _full(service))
        until(caller.service_is_ready)
        for style in STYLES:
            answer = caller.call_async(odd(service.srv_type.Request, style))
            until(answer.done)
            assert answer.result() is not None
        client.destroy_client(caller)
        asked.append(_full(service))
    return sorted(asked)


def _full(service: Any) -> str:
    return str(service.service_name) if hasattr(service, "service_name") else str(service.srv_name)


def _wait(client: Node, until: Until) -> None:
    end = client.get_clock().now().nanoseconds + int(AFTER * 1e9)
    until(lambda: client.get_clock().now().nanoseconds > end)
