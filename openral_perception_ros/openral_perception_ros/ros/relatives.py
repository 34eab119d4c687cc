"""Names beside a node's own namespace, so that a whole robot can be moved below another one."""

from rclpy.node import Node


def above(node: Node, levels: int, name: str) -> str:
    """``name`` so many levels above: from ``/a/b/c`` one level gives ``/a/b/name``, none ``/a/b/c/name``."""
    base: str = node.get_namespace().rsplit("/", levels)[0] if levels else node.get_namespace()
    return f"{base}/{name}"
