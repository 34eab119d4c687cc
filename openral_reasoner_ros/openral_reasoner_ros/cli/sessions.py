"""A short life on the graph for one command."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from openral_core.errors import OpenRALError


class NothingHeard(OpenRALError):
    """The graph did not say in time what was waited for."""

    exit_code = 4

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(
            f"{what} within {seconds:g} s: is the reasoner active in this ROS_DOMAIN_ID and namespace?"
        )


class Session:
    """One node, spun only while something is waited for."""

    def __init__(self, node: Node, executor: SingleThreadedExecutor) -> None:
        self.node = node
        self._executor = executor

    def wait(self, condition: Callable[[], bool], seconds: float, otherwise: str) -> None:
        """Until the condition holds.

        Raises:
            NothingHeard: If it does not within ``seconds``.
        """
        if not self.spin_until(condition, seconds):
            raise NothingHeard(otherwise, seconds)

    def spin_until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Spin until the condition holds or ``seconds`` have passed; whether it holds."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            self._executor.spin_once(timeout_sec=0.05)
        return True


@contextmanager
def session(namespace: str) -> Iterator[Session]:
    """A node for as long as the block lasts."""
    context = rclpy.context.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("openral_cli", namespace=namespace, context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        yield Session(node, executor)
    finally:
        executor.shutdown(timeout_sec=1.0)
        node.destroy_node()
        rclpy.try_shutdown(context=context)
