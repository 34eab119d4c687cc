"""Failures that nodes report, as they appear below openral/failure."""

from rclpy.node import Node

from openral_msgs.msg import FailureTrigger
from openral_reasoner.exchanges.events import FailureReported
from openral_reasoner.missions.core import NAMED, REPORTED
from openral_reasoner_ros.carrier import Post
from openral_reasoner_ros.names import FAILURE, OWN_FAILURE
from openral_ros.qos import RELIABLE
from openral_ros.scopes import Scope

FAILURE_TYPE = "openral_msgs/msg/FailureTrigger"
SOURCES = 64
"""Topics listened to; a graph has one per node."""


class Failures:
    """Subscribes to every source but the reasoner itself, once."""

    def __init__(self, scope: Scope, node: Node, post: Post) -> None:
        self._scope, self._node, self._post = scope, node, post
        self._below = node.resolve_topic_name(FAILURE) + "/"
        self._own = node.resolve_topic_name(OWN_FAILURE)
        self._known: set[str] = set()

    def poll(self) -> None:
        """Take note of sources that have come."""
        for topic, types in self._node.get_topic_names_and_types():
            if len(self._known) >= SOURCES:
                return
            of_others = topic.startswith(self._below) and topic != self._own
            if of_others and FAILURE_TYPE in types and topic not in self._known:
                self._known.add(topic)
                self._scope.subscription(FailureTrigger, topic, self._on_failure, RELIABLE)

    def _on_failure(self, message: FailureTrigger) -> None:
        event = FailureReported(
            source=message.source[:NAMED], condition=message.kind[:NAMED], message=message.message[:REPORTED]
        )
        self._post(event)
