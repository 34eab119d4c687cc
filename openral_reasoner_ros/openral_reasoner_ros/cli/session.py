"""Node of one invocation of the command line."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from openral_core.errors import OpenRALError

if TYPE_CHECKING:
    from rclpy.node import Node

    from openral_ros.executor import GuardedExecutor


Namespace = Annotated[str, typer.Option(help="namespace of the robot")]


class NoResponse(OpenRALError):
    """No message of the graph arrived in time."""

    exit_code = 4

    def __init__(self, what: str, seconds: float, node: str = "reasoner") -> None:
        super().__init__(
            f"{what} within {seconds:g} s: "
            f"check that the {node} is active in this ROS_DOMAIN_ID and namespace"
        )


class CliSession:
    """Node that is spun only while a condition is awaited."""

    def __init__(self, node: Node, executor: GuardedExecutor) -> None:
        from openral_ros.resources import ResourceScope

        self.node, self._executor = node, executor
        self.scope = ResourceScope(node)

    def wait(
        self, condition: Callable[[], object], seconds: float, problem: str, node: str = "reasoner"
    ) -> None:
        """Spin until the condition holds.

        Raises:
            NoResponse: Beginning with ``problem``, if it does not hold within ``seconds``.
        """
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise NoResponse(problem, seconds, node)
            self.spin(0.05)

    def spin(self, seconds: float) -> None:
        """Run the next callback, waiting for it at most ``seconds``."""
        self._executor.spin_once(timeout_sec=seconds)


@contextmanager
def session(namespace: str) -> Iterator[CliSession]:
    """Provide a node for the duration of the block."""
    import rclpy

    from openral_ros.discovery import init_rclpy
    from openral_ros.executor import GuardedExecutor

    context = rclpy.context.Context()
    init_rclpy(context=context)
    node = rclpy.create_node("openral_cli", namespace=namespace, context=context)
    executor = GuardedExecutor(context=context)
    executor.add_node(node)
    opened = CliSession(node, executor)
    try:
        yield opened
    finally:
        opened.scope.close()
        executor.shutdown(timeout_sec=1.0)
        node.destroy_node()
        rclpy.try_shutdown(context=context)
