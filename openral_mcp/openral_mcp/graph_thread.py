"""ROS node that spins on a thread of its own and is called from the coroutines of an event loop."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from typing import TypeVar

import rclpy
from rclpy.context import Context
from rclpy.node import Node

from openral_core.errors import OpenRALError
from openral_ros.executor import GuardedExecutor
from openral_ros.resources import ResourceScope

T = TypeVar("T")
SPIN_PERIOD = 0.1
"""Longest wait for one callback [s], after which the thread looks whether it should end."""
ANSWER_MARGIN = 1.0
"""Wait beyond the deadline of a call itself [s]: its typed answer comes first unless the thread is stuck."""
POLL_PERIOD = 0.05
"""Time between two checks of an awaited condition [s]: short beside a tool call of seconds."""
JOIN_TIMEOUT = 5.0
"""Longest wait for the thread to end [s]; it only runs short callbacks."""


class GraphThreadStuck(OpenRALError):
    """The thread of the node did not run a call in time."""

    condition = "TIMEOUT"

    def __init__(self, deadline: float) -> None:
        super().__init__(f"this server's ROS node did not answer within {deadline:.1f} s: restart the server")


class GraphThread:
    """A node with its executor; use as a context manager.

    All interfaces belong to ``scope`` and all their callbacks run on this thread. Interfaces are created
    before `__enter__`, or on the thread itself by `call` and `ask`.
    """

    def __init__(self, namespace: str = "") -> None:
        self._context = Context()
        rclpy.init(args=[], context=self._context)
        # Every client of a stdio server starts a process of its own, and node names should be unique.
        self.node = Node(f"openral_mcp_{os.getpid()}", namespace=namespace or None, context=self._context)
        self.scope = ResourceScope(self.node)
        self._executor = GuardedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._closing = Event()
        self._thread = Thread(target=self._spin, name="graph", daemon=True)

    def __enter__(self) -> "GraphThread":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._executor.wake()
        self._thread.join(JOIN_TIMEOUT)
        self.scope.close()
        self._executor.shutdown(timeout_sec=1.0)
        self.node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    async def call(self, begin: Callable[[Callable[[T], None]], None], deadline: float) -> T:
        """Run ``begin`` on the thread and wait until it, or a callback of its, passes on an outcome.

        Args:
            begin: Receives the function that takes the outcome; later outcomes are ignored.
            deadline: Time in which the outcome is due [s].

        Raises:
            GraphThreadStuck: If there is none shortly after the deadline.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(outcome: T) -> None:
            if not future.done():
                future.set_result(outcome)

        def deliver(outcome: T) -> None:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(settle, outcome)

        self._executor.create_task(begin, deliver)
        try:
            return await asyncio.wait_for(future, deadline + ANSWER_MARGIN)
        except TimeoutError as error:
            raise GraphThreadStuck(deadline) from error

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
        self._executor.create_task(work)

    def _spin(self) -> None:
        while not self._closing.is_set() and self._context.ok():
            self._executor.spin_once(timeout_sec=SPIN_PERIOD)
