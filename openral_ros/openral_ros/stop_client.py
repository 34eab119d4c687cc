"""Client of the emergency stop: stops until a skill server confirms it, follows its state, releases."""

import time
from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String
from std_srvs.srv import Trigger

from openral_ros.emergency_stop import RELEASE_SERVICE, STOP, STOP_STATE, stop_reason
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope
from openral_ros.service_client import AsyncServiceClient, CallError

REPEAT_PERIOD = 0.1
"""Time between two publications of a stop that is not confirmed [s]."""
REPEAT_TIME = 10.0
"""Longest time for which it is repeated [s]: a skill server that starts later was not meant."""

LATCHED_FOR_A_WHILE = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
    lifespan=Duration(seconds=REPEAT_TIME),
)
"""A skill server that is restarted long after the release does not get the stop again."""


class StopClient:
    """State of the emergency stop, and the commands that change it; used on the executor of its node.

    Attributes:
        reason: Reason of the stop, "" if the robot is released, None until a skill server tells.
    """

    def __init__(
        self, scope: ResourceScope, node: Node, on_state: Callable[[str], object] = lambda _: None
    ) -> None:
        self.reason: str | None = None
        self._on_state = on_state
        self._requested_stop, self._until = "", 0.0
        self._stops = scope.publisher(String, STOP, LATCHED_FOR_A_WHILE)
        self._release: AsyncServiceClient[Trigger.Response] = AsyncServiceClient(
            scope, node, Trigger, RELEASE_SERVICE
        )
        scope.subscription(DiagnosticStatus, STOP_STATE, self._on_message, LATCHED)
        self._timer = scope.timer(REPEAT_PERIOD, self._repeat, autostart=False)

    @property
    def can_release(self) -> bool:
        """True while a skill server serves the release."""
        return self._release.ready

    def stop(self, reason: str) -> None:
        """Stop the robot; repeated until a skill server confirms it, at most for `REPEAT_TIME`."""
        self._requested_stop, self._until = reason, time.monotonic() + REPEAT_TIME
        self._stops.publish(String(data=reason))
        self._timer.reset()

    def release(self, seconds: float, on_answer: Callable[[Trigger.Response | CallError], None]) -> None:
        """Release the robot; ``on_answer`` gets the answer, or its absence after ``seconds`` [s]."""
        self._timer.cancel()
        self._release.call(Trigger.Request(), seconds, on_answer)

    def _on_message(self, message: DiagnosticStatus) -> None:
        self.reason = stop_reason(message)
        self._on_state(self.reason)

    def _repeat(self) -> None:
        if self.reason or time.monotonic() > self._until:
            self._timer.cancel()
        else:
            self._stops.publish(String(data=self._requested_stop))
