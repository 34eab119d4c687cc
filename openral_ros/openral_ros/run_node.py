"""Main loop of a node: spin until a signal, then release everything."""

import inspect
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import rclpy
from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.signals import SignalHandlerOptions

from openral_ros.callback_guard import FatalNodeError
from openral_ros.discovery import init_rclpy
from openral_ros.executor import GuardedExecutor, TransitionThreadExecutor
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.rclpy_internals import lifecycle_state_label
from openral_ros.shutdown import Shutdown, end_process

SPIN_PERIOD = 0.5
"""Longest wait for one callback [s], after which the loop looks whether its node's work is done."""
PARAMETERS = "Parameters and defaults: `deploy_sim.py --dry-run`; of a running node: `ros2 param describe`."
ROS_ARGUMENTS = "--ros-args"
USAGE = 2
"""Exit status after an invalid command line."""


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
        self._stopping = False
        self._executor: Executor | None = None

    def stop(self) -> None:
        """End `run` soon."""
        self._stopping = True  # no lock: a signal handler calls this
        if self._executor is not None:
            with suppress(InvalidHandle):  # the executor has ended already
                self._executor.wake()

    def run(self, on_end: Callable[[], object] = lambda: None) -> int:
        """Spin the node until `stop`, or until its work is done, call ``on_end``, and destroy the node.

        Returns:
            Exit status: 1 after a `FatalNodeError`.
        """
        node = self._make_node()
        executor = self._executor = (
            TransitionThreadExecutor() if node.transitions_apart else GuardedExecutor()
        )
        executor.add_node(node)
        if lifecycle_state_label(node) == "unconfigured":
            name = node.get_fully_qualified_name()
            node.get_logger().info(f"waiting to be configured, e.g. `ros2 lifecycle set {name} configure`")
        try:
            self._spin(executor)
        except FatalNodeError as reason:
            node.on_fatal(reason)
            return 1
        finally:
            on_end()
            node.close()
            executor.shutdown(timeout_sec=1.0)
            node.destroy_node()
        return 0

    def _spin(self, executor: Executor) -> None:
        try:
            while not (self._stopping or self._is_done()):
                executor.spin_once(timeout_sec=SPIN_PERIOD)
        except ExternalShutdownException:
            return


def run(
    make_node: Callable[[], LifecycleNodeBase],
    arguments: Sequence[str] | None = None,
    is_done: Callable[[], bool] = lambda: False,
) -> int:
    """Spin one node until SIGINT or SIGTERM, or until its work is done; the process goes on afterwards.

    Args:
        make_node: Called once rclpy is initialised.
        arguments: Command line with ROS arguments; None takes the process's own.
        is_done: Checked twice a second.

    Returns:
        Exit status of the process: 1 after a `FatalNodeError`.
    """
    status, shutdown = _run(make_node, arguments, is_done)
    shutdown.over()
    return status


def _run(
    make_node: Callable[[], LifecycleNodeBase],
    arguments: Sequence[str] | None = None,
    is_done: Callable[[], bool] = lambda: False,
) -> tuple[int, Shutdown]:
    runner = NodeRunner(make_node, is_done)
    shutdown = Shutdown(runner.stop)
    init_rclpy(arguments, handlers=SignalHandlerOptions.NO)
    try:
        return runner.run(shutdown.begin), shutdown
    finally:
        rclpy.try_shutdown()


def run_process(make_node: Callable[[], LifecycleNodeBase]) -> NoReturn:
    """Be the process of one node: check its command line, run it, and end."""
    check_command_line(inspect.getmodule(make_node))
    status, _ = _run(make_node)
    end_process(status)


def check_command_line(module: ModuleType | None) -> None:
    """End a node's process that was asked for help, or given arguments that are not ROS's.

    Args:
        module: Of the node; its documentation is part of the help.
    """
    words = list(takewhile(lambda word: word != ROS_ARGUMENTS, sys.argv[1:]))
    name = Path(sys.argv[0]).name
    usage = f"usage: {name} [--ros-args -p PARAMETER:=VALUE -r FROM:=TO --params-file FILE ...]"
    if {"-h", "--help"} & set(words):
        purpose = inspect.cleandoc((module.__doc__ if module else "") or "")
        sys.stdout.write(f"{usage}\n\n{purpose}\n\n{PARAMETERS}\n")
        sys.exit(0)
    if words:
        sys.stderr.write(f"{name}: argument {words[0][:100]!r} is unknown\n{usage}\n")
        sys.exit(USAGE)
