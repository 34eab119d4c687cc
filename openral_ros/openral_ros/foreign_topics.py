"""Subscriptions to topics of other people's nodes, whose quality of service this project does not choose.

Streams are subscribed with `SENSOR`, which every publisher suits. State of which a late joiner needs the
latest message may be latched or not: `slam_toolbox` publishes its pose volatile, `amcl` latched.
"""

from collections.abc import Callable
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message

from openral_ros.resources import StreamScope


def subscribe_state(
    scope: StreamScope, message_type: type, topic: str, callback: Callable[[Any], object], depth: int = 1
) -> None:
    """Call ``callback`` with each message of a topic, whatever durability and reliability is offered.

    One subscription hears the last message of latched publishers, the other one every publisher; what comes
    by both is handed over once.

    Args:
        scope: Of the subscriptions.
        message_type: Class of the messages.
        callback: Gets each message; one may come again after that of another publisher.
        depth: Number of latched messages that a late joiner gets of each publisher.
    """
    newest = [0]

    def take_once(message: object) -> None:
        digest = hash(serialize_message(message))
        if digest != newest[0]:
            newest[0] = digest
            callback(message)

    latched = QoSProfile(
        depth=depth, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
    )
    lenient = QoSProfile(depth=max(depth, 10), reliability=ReliabilityPolicy.BEST_EFFORT)
    quiet = SubscriptionEventCallbacks(use_default_callbacks=False)  # each publisher suits one of them
    for qos in (latched, lenient):
        scope.subscription(message_type, topic, take_once, qos, event_callbacks=quiet)
