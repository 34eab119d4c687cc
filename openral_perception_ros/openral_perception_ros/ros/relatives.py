"""Names beside a node's own namespace, so that a whole robot can be moved below another one."""

import re

from rclpy.node import Node

_OF_A_ROBOT = re.compile(r"(?P<robot>.*)/openral/perception/[^/]+")


def above(node: Node, levels: int, name: str) -> str:
    """``name`` so many levels above: from ``/a/b/c`` one level gives ``/a/b/name``, none ``/a/b/c/name``."""
    base: str = node.get_namespace().rsplit("/", levels)[0] if levels else node.get_namespace()
    return f"{base.rstrip('/')}/{name}"


def robot_of(node: Node) -> str:
    """The namespace of the node's robot, "" for the graph's own.

    A detector of a robot is in ``<robot>/openral/perception/<slug>``; the robot of one that was started alone
    anywhere else is its own namespace.
    """
    found = _OF_A_ROBOT.fullmatch(node.get_namespace())
    return str(found["robot"] if found else node.get_namespace().rstrip("/"))
