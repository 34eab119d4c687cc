"""A node under test in this process, with what spins it; the rigs of each node are made from this."""

import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from lifecycle_msgs.msg import State
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_srvs.srv import Trigger

from openral_ros.executor import GuardedExecutor, TransitionThreadExecutor

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Longest wait for an answer to a normal question [s]."""


class Rig:
    """One node under test, its peers and a stranger, all spun by the calling thread.

    Subclasses give `node`, `peers` and the normal question `ask`.
    """

    name = ""
    transitions_apart = False

    def __init__(self, context: Any, folder: Path, domain: int) -> None:
        self.context, self.folder, self.domain = context, folder, domain
        self.stranger = Node("stranger", context=context)
        self.peers: list[Node] = []
        self.node: Any = self.make()
        executor = TransitionThreadExecutor if self.transitions_apart else GuardedExecutor
        self.executor = executor(context=context)
        for each in (self.node, self.stranger, *self.peers):
            if each.context is context:  # else it spins on a thread of its own
                self.executor.add_node(each)

    def make(self) -> Node:
        """Create the node, unconfigured, and `peers`."""
        raise NotImplementedError

    def ask(self) -> None:
        """Ask a normal question.

        Raises:
            AssertionError: If it is not answered as it should be.
        """
        raise NotImplementedError

    def inject(self, callback: Callable[[Any], None], message: Any) -> None:
        """Call a callback of the node as its executor would."""
        callback(message)

    def service_nodes(self) -> Iterator[Node]:
        """Yield the nodes whose services and actions the node asks."""
        yield from self.peers
        yield self.stranger

    def provoke(self, asked: Callable[[], object], timeout: float) -> None:
        """Have the node ask its peers until one is ``asked``, at most ``timeout`` [s]."""
        end = time.monotonic() + timeout
        while not asked() and time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.02)

    def until(self, condition: Callable[[], object], timeout: float = PATIENCE) -> None:
        """Spin until a condition holds.

        Raises:
            AssertionError: If it does not within ``timeout`` [s].
        """
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, f"{self.name}: still false after {timeout:g} s: {condition}"
            self.executor.spin_once(timeout_sec=0.02)

    def settle(self, turns: int = 6) -> None:
        """Run what is due."""
        for _ in range(turns):
            self.executor.spin_once(timeout_sec=0.0)

    def release(self) -> None:
        """Release the emergency stop that odd messages caused."""
        self.settle()
        client = self.stranger.create_client(Trigger, "openral/release")
        self.until(client.service_is_ready)
        answer = client.call_async(Trigger.Request())
        self.until(answer.done)
        self.stranger.destroy_client(client)
        assert answer.result().success, answer.result().message

    def activate(self) -> None:
        """Bring the node to work, from any state."""
        machine = getattr(self.node, "_state_machine", None)
        if machine is None:
            return
        for _ in range(4):
            state = machine.current_state[0]
            if state == State.PRIMARY_STATE_ACTIVE:
                return
            step = (
                self.node.trigger_configure
                if state == State.PRIMARY_STATE_UNCONFIGURED
                else self.node.trigger_activate
            )
            step()
        raise AssertionError(f"{self.name} cannot be brought back to work: {machine.current_state[1]}")

    def close(self) -> None:
        """Give everything back."""
        self.executor.shutdown(5.0)
        self.node.close()
        for each in (self.node, *self.peers, self.stranger):
            each.destroy_node()

    def parameters(self, **values: object) -> list[Parameter]:
        """Return parameter overrides."""
        return [Parameter(name, value=value) for name, value in values.items()]


def test_support(path: str) -> ModuleType:
    """Load the fixtures' module of a package, whose fake peers the rigs share with its tests."""
    spec = importlib.util.spec_from_file_location(f"fuzzing_{Path(path).parts[0]}", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
