"""Attendance of missions: one whose client has left the graph is cancelled, not left to act unattended."""

from rclpy.node import Node

from openral_reasoner.events import Cancelled
from openral_reasoner.mission import Mission
from openral_reasoner_ros.dispatcher import Post

SEPARATOR = "@"
"""Between the name of a client's node and the rest of the id of a prompt whose mission it attends."""
MAX_ABSENT_POLLS = 20
"""Polls in a row without the client in the graph; discovery after a start or a suspension takes less."""


def attended_id(node_name: str, unique: str) -> str:
    """Return the id of a prompt whose mission ends when a node leaves the graph."""
    return f"{node_name}{SEPARATOR}{unique}"


class Attendance:
    """Watch over the client of the running mission, if the id of its prompt names one."""

    def __init__(self, node: Node, post: Post) -> None:
        self._node, self._post = node, post
        self._absent_polls = 0

    def poll(self, mission: Mission | None) -> None:
        """Cancel a mission whose client has been absent for too long."""
        client, separator, _ = mission.prompt.id.partition(SEPARATOR) if mission is not None else ("", "", "")
        if not client or not separator or client in self._node.get_node_names():
            self._absent_polls = 0
            return
        self._absent_polls += 1
        if self._absent_polls >= MAX_ABSENT_POLLS:
            self._absent_polls = 0
            reason = f"its client {client} has left the graph: nobody attends to this mission"
            self._post(Cancelled(reason=reason, kept=True))
