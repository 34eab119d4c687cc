"""Component container: several nodes in one process, which share imports, heap and DDS participant.

    container --ros-args --log-level info --enclave /container -- \
        openral_world_state.ros.node:WorldStateNode --ros-args -r __node:=world_state --params-file F -- ...

ROS arguments before the first class are the process's own; those after a class are its node's alone. Each
node has an executor and a thread, so that no callback waits for another node's. Any node that ends, by a
`FatalNodeError` or an exception, ends the process: its supervisor starts all of them again.
"""

import faulthandler
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from threading import Thread, get_native_id
from typing import NoReturn

import rclpy
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.logging import get_logger
from rclpy.signals import SignalHandlerOptions

from openral_core.errors import OpenRALError
from openral_ros.discovery import init_rclpy
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.node_names import nodes_of, short_name
from openral_ros.run_node import ROS_ARGUMENTS, NodeRunner
from openral_ros.shutdown import Shutdown, end_process
from openral_ros.tracing import trace_apart

JOIN_TIMEOUT = 2.5
"""Longest wait for all nodes to end [s]: a supervisor kills the process 3.5 s after its first signal."""
END = "--"


class InvalidComponent(OpenRALError):
    """A word of the command line that names no node class."""

    def __init__(self, word: str, reason: object) -> None:
        super().__init__(f"component {word!r}: {reason}; expected module:Class --ros-args ... --")


@dataclass(frozen=True, slots=True)
class Component:
    """A node class as ``module:Class``, and the ROS arguments of its node."""

    path: str
    arguments: tuple[str, ...]

    @property
    def name(self) -> str:
        """Qualified name of the node if its arguments give one, else the class."""
        return next(iter(nodes_of(self.arguments)), self.path)

    def load(self) -> Callable[[], LifecycleNodeBase]:
        """Import the class; return the function that makes its node.

        Raises:
            InvalidComponent: If there is no such class.
        """
        module, _, name = self.path.partition(":")
        try:
            made = getattr(import_module(module), name)
        except (ImportError, AttributeError, ValueError) as error:
            raise InvalidComponent(self.path, error) from error
        return partial(made, cli_args=[ROS_ARGUMENTS, *self.arguments], use_global_arguments=False)


def parse(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[Component, ...]]:
    """Split a command line into the ROS arguments of the process, and the components."""
    shared: tuple[str, ...] = ()
    components: list[Component] = []
    remaining = list(words)
    while remaining:
        if remaining[0] == END:
            remaining.pop(0)
            continue
        path = "" if remaining[0] == ROS_ARGUMENTS else remaining.pop(0)
        arguments: tuple[str, ...] = ()
        if remaining[:1] == [ROS_ARGUMENTS]:
            end = remaining.index(END) if END in remaining else len(remaining)
            arguments, remaining = tuple(remaining[1:end]), remaining[end + 1 :]
        if path:
            components.append(Component(path, arguments))
        else:
            shared += arguments
    return shared, tuple(components)


class ComponentThread(Thread):
    """Thread of one node; ``status`` is its exit status once it has ended."""

    def __init__(
        self, name: str, make_node: Callable[[], LifecycleNodeBase], on_end: Callable[[], object]
    ) -> None:
        super().__init__(name=name, daemon=True)
        self.runner, self.status, self._on_end = NodeRunner(make_node), 1, on_end

    def run(self) -> None:
        """Run the node; an exception is printed by Python, and ends it too."""
        name_thread(short_name(self.name))
        trace_apart()
        try:
            self.status = self.runner.run()
        finally:
            self._on_end()


def name_thread(name: str) -> None:
    """Name this thread for `top -H`; Linux keeps 15 characters."""
    with suppress(OSError):
        Path(f"/proc/self/task/{get_native_id()}/comm").write_text(name)


def run_together(components: Sequence[Component], arguments: Sequence[str] = ()) -> int:
    """Run the nodes until SIGINT or SIGTERM, or until one of them ends.

    Args:
        components: Of which one node each is made.
        arguments: ROS arguments of the process.

    Returns:
        Exit status of the process: 1 if a node failed, or did not end in time.

    Raises:
        InvalidComponent: If a class cannot be imported; no node is made then.
    """
    ended = SimpleQueue[None]()  # its put may be called by a signal handler, unlike that of an Event
    shutdown = Shutdown(lambda: ended.put(None))
    # Classes are imported here: modules that import each other may not be imported by several threads.
    makers = [component.load() for component in components]
    init_rclpy([ROS_ARGUMENTS, *arguments], handlers=SignalHandlerOptions.NO)
    threads = [
        ComponentThread(component.name, make, lambda: ended.put(None))
        for component, make in zip(components, makers, strict=True)
    ]
    for thread in threads:
        thread.start()
    ended.get()
    shutdown.begin()
    hanging = _end(threads)
    if hanging:
        _log().error(f"not ended within {JOIN_TIMEOUT:g} s: {', '.join(hanging)}")
        faulthandler.dump_traceback()
        os._exit(1)
    rclpy.try_shutdown()
    return max(thread.status for thread in threads)


def _end(threads: Sequence[ComponentThread]) -> list[str]:
    """End all threads; return the names of those that have not ended in time."""
    for thread in threads:
        thread.runner.stop()
    deadline = time.monotonic() + JOIN_TIMEOUT
    for thread in threads:
        thread.join(max(deadline - time.monotonic(), 0.0))
    return [thread.name for thread in threads if thread.is_alive()]


def _log() -> RcutilsLogger:
    return get_logger("container")


def main() -> NoReturn:
    """Run the nodes that the command line names."""
    if {"-h", "--help"} & set(sys.argv[1:2]):
        sys.stdout.write(__doc__ or "")
        sys.exit(0)
    arguments, components = parse(sys.argv[1:])
    try:
        end_process(run_together(components, arguments))
    except InvalidComponent as error:
        _log().fatal(str(error))
        sys.exit(2)
