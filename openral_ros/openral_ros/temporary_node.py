"""Node of one invocation of a command line, spun only while something is awaited."""

import time
from collections.abc import Callable

import rclpy
from rclpy.context import Context

from openral_ros.discovery import init_rclpy
from openral_ros.executor import GuardedExecutor
from openral_ros.resources import ResourceScope

SPIN_PERIOD = 0.05
"""Longest wait for one callback while a condition is awaited [s]."""


class TemporaryNode:
    """Context manager of a node in a context of its own; all interfaces belong to ``scope``."""

    def __init__(self, name: str, namespace: str = "") -> None:
        self._context = Context()
        init_rclpy(context=self._context)
        self.node = rclpy.create_node(name, namespace=namespace or None, context=self._context)
        self.scope = ResourceScope(self.node)
        self._executor = GuardedExecutor(context=self._context)
        self._executor.add_node(self.node)

    def spin(self, seconds: float) -> None:
        """Run the next callback, waiting for it at most ``seconds``."""
        self._executor.spin_once(timeout_sec=seconds)

    def spin_until(self, condition: Callable[[], object], seconds: float) -> bool:
        """Spin until the condition holds, at most ``seconds``; return True if it does."""
        end = time.monotonic() + seconds
        while not (holds := bool(condition())) and time.monotonic() < end:
            self.spin(SPIN_PERIOD)
        return holds

    def __enter__(self) -> "TemporaryNode":
        return self

    def __exit__(self, *_: object) -> None:
        self.scope.close()
        self._executor.shutdown(timeout_sec=1.0)
        self.node.destroy_node()
        rclpy.try_shutdown(context=self._context)
