"""Deadlines of steady time: a dead simulator cannot stop them."""

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer

from openral_reasoner.exchanges.commands import ClearDeadline, SetDeadline
from openral_reasoner.exchanges.events import DeadlinePassed
from openral_reasoner_ros.carrier import Post
from openral_ros.scopes import Scope


class DeadlineAdapter:
    """One timer per deadline."""

    def __init__(self, scope: Scope, node: Node, post: Post) -> None:
        self._node, self._post = node, post
        self._timers: dict[str, Timer] = {}
        self._clock = Clock(clock_type=ClockType.STEADY_TIME)
        scope.callback(self._clear_all)

    def set(self, command: SetDeadline) -> None:
        """Start, or start anew."""
        self._clear(command.call_id)

        def passed() -> None:
            self._clear(command.call_id)
            self._post(DeadlinePassed(call_id=command.call_id))

        self._timers[command.call_id] = self._node.create_timer(command.seconds, passed, clock=self._clock)

    def clear(self, command: ClearDeadline) -> None:
        """It matters no more."""
        self._clear(command.call_id)

    def _clear(self, call_id: str) -> None:
        timer = self._timers.pop(call_id, None)
        if timer is not None:
            self._node.destroy_timer(timer)

    def _clear_all(self) -> None:
        for call_id in tuple(self._timers):
            self._clear(call_id)
