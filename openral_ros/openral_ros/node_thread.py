"""ROS node that spins on a thread of its own and is called from other threads and from coroutines."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from threading import Thread
from typing import TypeVar

import rclpy
from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import ExternalShutdownException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node

from openral_core.errors import OpenRALError
from openral_ros.callback_guard import guard_standard_services
from openral_ros.discovery import init_rclpy
from openral_ros.executor import GuardedExecutor
from openral_ros.resources import ResourceScope
from openral_ros.worker_thread import ExecutorQueue

T = TypeVar("T")
Deliver = Callable[[T | Exception], None]
"""Takes the outcome of a call: its value, or the exception that the caller is to receive."""
SPIN_PERIOD = 1.0
"""Longest wait for one callback [s], after which the thread looks whether its context has ended."""
ANSWER_MARGIN = 1.0
"""Wait beyond the deadline of a call itself [s]: its typed answer comes first unless the thread is stuck."""
POLL_PERIOD = 0.05
"""Time between two checks of an awaited condition [s]: short beside a call of seconds."""
JOIN_TIMEOUT = 5.0
"""Longest wait for the thread to end [s]; it only runs short callbacks."""


class NodeCallFailed(OpenRALError):
    """Base of failures of a call to the thread of a node that are not the call's own."""


class NodeThreadStuck(NodeCallFailed):
    """The thread of the node did not run a call in time."""

    condition = "TIMEOUT"

    def __init__(self, node: str, deadline: float) -> None:
        super().__init__(f"node {node} did not answer within {deadline:.1f} s: restart its process")


class NodeCallRaised(NodeCallFailed):
    """A call that raised an unexpected exception."""

    condition = "INTERNAL_ERROR"

    def __init__(self, node: str) -> None:
        super().__init__(f"a call to node {node} raised an exception: its log has the details")


class NodeThread:
    """A node with its executor and thread; `start` and `close` it, or use it as a context manager.

    All interfaces belong to ``scope``, and all their callbacks run on the thread. Create interfaces before
    `start`, or on the thread itself by `call` and `ask`.

    Args:
        name: Name of the node and of the thread.
        namespace: Of the robot.
        domain: ROS domain; None takes that of the environment.
        arguments: ROS arguments of the process, such as remaps.
    """

    def __init__(
        self, name: str, namespace: str = "", domain: int | None = None, arguments: Sequence[str] = ()
    ) -> None:
        self._context = Context()
        init_rclpy(arguments, context=self._context, domain=domain)
        self.node = Node(name, namespace=namespace or None, context=self._context)
        guard_standard_services(self.node)
        self.scope = ResourceScope(self.node)
        self._calls = ExecutorQueue(self.scope)
        self._executor = GuardedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._closing = False
        self._thread = Thread(target=self._spin, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, then release the node and everything in its scope."""
        self._closing = True
        self.post(lambda: None)  # wakes the thread
        if self._thread.ident is not None:
            self._thread.join(JOIN_TIMEOUT)
        if not self._thread.is_alive():  # else a callback hangs, and closing its scope would wait for it
            self.scope.close()
            self._executor.shutdown(timeout_sec=1.0)
            self.node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def __enter__(self) -> "NodeThread":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def call(self, begin: Callable[[Deliver[T]], object], deadline: float) -> T:
        """Run ``begin`` on the thread and wait until it, or a callback of its, delivers an outcome.

        Args:
            begin: Receives the function that takes the outcome; later outcomes are ignored. An
                `OpenRALError` that it raises is the outcome.
            deadline: Time in which the outcome is due [s].

        Raises:
            NodeThreadStuck: If there is none shortly after the deadline.
            NodeCallRaised: If ``begin`` raises any other exception, which is logged.
        """
        delivery: Future[T] = Future()

        def deliver(outcome: T | Exception) -> None:
            with suppress(InvalidStateError):  # delivered before, or no longer awaited
                if isinstance(outcome, Exception):
                    delivery.set_exception(outcome)
                else:
                    delivery.set_result(outcome)

        def run() -> None:
            try:
                begin(deliver)
            except OpenRALError as error:
                deliver(error)
            except Exception:
                deliver(NodeCallRaised(self.node.get_fully_qualified_name()))
                raise

        self.post(run)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(delivery), deadline + ANSWER_MARGIN)
        except TimeoutError as error:
            raise NodeThreadStuck(self.node.get_fully_qualified_name(), deadline) from error

    async def ask(self, read: Callable[[], T]) -> T:
        """Return the value of a short function that is run on the thread."""
        return await self.call(lambda deliver: deliver(read()), ANSWER_MARGIN)

    async def wait(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait until a condition of the thread holds, at most ``seconds`` [s]; return whether it does."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not (holds := await self.ask(condition)) and loop.time() < end:
            await asyncio.sleep(POLL_PERIOD)
        return holds

    def post(self, work: Callable[[], object]) -> None:
        """Run a short function on the thread without waiting for it."""
        self._calls.post(work)

    def _spin(self) -> None:
        """Spin until `close`; what rclpy raises because another thread ended the context is ignored."""
        try:
            while self._context.ok() and not self._closing:
                self._executor.spin_once(timeout_sec=SPIN_PERIOD)
        except (ExternalShutdownException, InvalidHandle, rclpy_implementation.RCLError):
            if self._context.ok() and not self._closing:
                raise
