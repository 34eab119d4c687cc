"""Main loop of a node process: spin until a signal, then release everything."""

import signal
from collections.abc import Callable, Sequence
from threading import Event
from types import FrameType

import rclpy
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.signals import SignalHandlerOptions

from openral_ros.callback_guard import FatalNodeError
from openral_ros.executor import GuardedExecutor, TransitionThreadExecutor
from openral_ros.lifecycle_node import LifecycleNodeBase


def run(
    make_node: Callable[[], LifecycleNodeBase],
    arguments: Sequence[str] | None = None,
    transitions_apart: bool = False,
    is_done: Callable[[], bool] = lambda: False,
) -> int:
    """Spin one node until SIGINT or SIGTERM, or until its work is done.

    Args:
        make_node: Called once rclpy is initialised.
        arguments: Command line with ROS arguments; None takes the process's own.
        transitions_apart: Run lifecycle transitions on their own thread, so that a node answers during an
            activation that takes seconds.
        is_done: Checked twice a second.

    Returns:
        Exit status of the process: 1 after a `FatalNodeError`.
    """
    stop = Event()
    rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    executor: Executor = TransitionThreadExecutor() if transitions_apart else GuardedExecutor()

    def on_signal(number: int, frame: FrameType | None) -> None:
        stop.set()
        executor.wake()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, on_signal)
    node = make_node()
    executor.add_node(node)
    try:
        _spin(executor, lambda: stop.is_set() or is_done())
    except FatalNodeError as reason:
        node.on_fatal(reason)
        return 1
    finally:
        _shut_down(node, executor)
    return 0


def _spin(executor: Executor, ends: Callable[[], bool]) -> None:
    try:
        while not ends():
            executor.spin_once(timeout_sec=0.5)
    except ExternalShutdownException:
        return


def _shut_down(node: LifecycleNodeBase, executor: Executor) -> None:
    node.close()
    executor.shutdown(timeout_sec=1.0)
    node.destroy_node()
    rclpy.try_shutdown()
