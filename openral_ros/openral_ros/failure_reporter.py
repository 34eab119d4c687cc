"""What failed, told below ``openral/failure``."""

from rclpy.duration import Duration
from rclpy.node import Node

from openral_msgs.msg import FailureTrigger
from openral_ros.callback_guard import FatalNodeError
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope

HEARD = Duration(seconds=1)
"""How long a process that ends waits until its last words have arrived."""


class FailureReporter:
    """One source's failures, on ``topic``."""

    def __init__(self, scope: ResourceScope, node: Node, topic: str, source: str) -> None:
        self._node, self._source = node, source
        self._publisher = scope.publisher(FailureTrigger, topic, RELIABLE)

    def tell(self, kind: str, severity: int, message: str) -> None:
        """Something failed; ``severity`` is one of `FailureTrigger`'s."""
        trigger = FailureTrigger(source=self._source, kind=kind, severity=severity, message=message)
        trigger.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(trigger)

    def tell_last(self, reason: FatalNodeError) -> None:
        """Why this process ends; returns when everybody who listens has it."""
        self.tell(reason.kind, FailureTrigger.SEVERITY_ERROR, str(reason))
        self._publisher.wait_for_all_acked(HEARD)
