"""Main loop of a node: spin until a signal, then release everything."""

import signal
from collections.abc import Callable, Sequence
from threading import Event

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.signals import SignalHandlerOptions

from openral_ros.callback_guard import FatalNodeError
from openral_ros.executor import GuardedExecutor, TransitionThreadExecutor
from openral_ros.lifecycle_node import LifecycleNodeBase

SPIN_PERIOD = 0.5
"""Longest wait for one callback [s], after which the loop looks whether its node's work is done."""


class NodeRunner:
    """Makes one node and spins it on the calling thread; `stop` may be called anywhere, also by a signal.

    Args:
        make_node: Called by `run`, once rclpy is initialised.
        is_done: Checked twice a second.
    """

    def __init__(
        self, make_node: Callable[[], LifecycleNodeBase], is_done: Callable[[], bool] = lambda: False
    ) -> None:
        self._make_node, self._is_done = make_node, is_done
        self._stopping = Event()
        self._executor: Executor | None = None

    def stop(self) -> None:
        """End `run` soon."""
        self._stopping.set()
        if self._executor is not None:
            self._executor.wake()

    def run(self) -> int:
        """Spin the node until `stop`, or until its work is done, and destroy it.

        Returns:
            Exit status: 1 after a `FatalNodeError`.
        """
        node = self._make_node()
        executor = self._executor = (
            TransitionThreadExecutor() if node.transitions_apart else GuardedExecutor()
        )
        executor.add_node(node)
        try:
            self._spin(executor)
        except FatalNodeError as reason:
            node.on_fatal(reason)
            return 1
        finally:
            node.close()
            executor.shutdown(timeout_sec=1.0)
            node.destroy_node()
        return 0

    def _spin(self, executor: Executor) -> None:
        try:
            while not (self._stopping.is_set() or self._is_done()):
                executor.spin_once(timeout_sec=SPIN_PERIOD)
        except ExternalShutdownException:
            return


def run(
    make_node: Callable[[], LifecycleNodeBase],
    arguments: Sequence[str] | None = None,
    is_done: Callable[[], bool] = lambda: False,
) -> int:
    """Spin one node until SIGINT or SIGTERM, or until its work is done.

    Args:
        make_node: Called once rclpy is initialised.
        arguments: Command line with ROS arguments; None takes the process's own.
        is_done: Checked twice a second.

    Returns:
        Exit status of the process: 1 after a `FatalNodeError`.
    """
    rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    runner = NodeRunner(make_node, is_done)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: runner.stop())
    try:
        return runner.run()
    finally:
        rclpy.try_shutdown()
