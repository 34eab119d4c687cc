"""Deadlines of the mission core."""

from functools import partial

from rclpy.node import Node

from openral_reasoner.exchanges.commands import ClearDeadline, SetDeadline
from openral_reasoner.exchanges.events import DeadlinePassed
from openral_reasoner_ros.carrier import Post
from openral_ros.deadlines import Deadlines
from openral_ros.scopes import Scope


class DeadlineAdapter:
    """One deadline per call."""

    def __init__(self, scope: Scope, node: Node, post: Post) -> None:
        self._deadlines, self._post = Deadlines(scope, node), post

    def set(self, command: SetDeadline) -> None:
        """Start, or start anew."""
        passed = partial(self._post, DeadlinePassed(call_id=command.call_id))
        self._deadlines.set(command.call_id, command.seconds, passed)

    def clear(self, command: ClearDeadline) -> None:
        """It matters no more."""
        self._deadlines.drop(command.call_id)
