"""Publisher of failures below ``openral/failure``."""

from rclpy.duration import Duration
from rclpy.node import Node

from openral_msgs.msg import FailureTrigger
from openral_ros.callback_guard import FatalNodeError
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope

ACKNOWLEDGE_TIMEOUT = Duration(seconds=1)
"""Time that a fatal report may take to reach all subscribers."""


class FailureReporter:
    """Publishes the failures of one source on ``topic``."""

    def __init__(self, scope: ResourceScope, node: Node, topic: str, source: str) -> None:
        self._node, self._source = node, source
        self._publisher = scope.publisher(FailureTrigger, topic, RELIABLE)

    def report(self, kind: str, severity: int, message: str) -> None:
        """Publish a failure; ``severity`` is a constant of `FailureTrigger`."""
        trigger = FailureTrigger(source=self._source, kind=kind, severity=severity, message=message)
        trigger.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(trigger)

    def report_fatal(self, reason: FatalNodeError) -> None:
        """Publish the reason why this process ends; return when all subscribers have received it."""
        self.report(reason.kind, FailureTrigger.SEVERITY_ERROR, str(reason))
        self._publisher.wait_for_all_acked(ACKNOWLEDGE_TIMEOUT)
