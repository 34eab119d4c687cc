"""Executors that no callback can end; one also runs transitions apart from the other callbacks."""

from threading import Event, Thread

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import (
    ConditionReachedException,
    Executor,
    ShutdownException,
    TimeoutException,
    TimeoutObject,
)
from rclpy.node import Node
from rclpy.task import Future, Task

from openral_ros.callback_guard import FatalNodeError, guard_of, name_of


class TransitionCallbackGroup(MutuallyExclusiveCallbackGroup):
    """Callbacks that may take long; a `TransitionThreadExecutor` runs them one by one on its own thread."""


class GuardedExecutor(Executor):
    """Runs callbacks on the thread that spins; only `FatalNodeError` reaches who spins.

    A `Scope` guards what it makes; this also guards what others make: rclpy's own services, actions, futures,
    and tasks that are handed to the executor.
    """

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Run one callback."""
        try:
            task, entity, node = self.wait_for_ready_callbacks(timeout_sec)
        except (ShutdownException, TimeoutException, ConditionReachedException):
            return
        except InvalidHandle:
            # rclpy skips what another thread destroyed while it gathers what to wait for, but for event
            # handlers that go between its two looks at them. Nothing was taken yet: the next turn waits anew.
            return
        self.begin(task, entity, node)

    def spin_once_until_future_complete(
        self, future: Future, timeout_sec: float | TimeoutObject | None = None
    ) -> None:
        """See `Executor.spin_until_future_complete`."""
        future.add_done_callback(lambda _: self.wake())
        self.spin_once(timeout_sec)

    def begin(self, task: Task, entity: object, node: Node | None) -> None:
        """Run a task that is ready."""
        source = _source(task, entity)
        task()
        self.ended(task, source, node)

    def ended(self, task: Task, source: str, node: Node | None) -> None:
        """See to what a task raised.

        Raises:
            FatalNodeError: If the task did.
        """
        error = task.exception()
        if error is None:
            return
        nodes = [node] if node is not None else self.get_nodes()
        if isinstance(error, FatalNodeError) or not nodes:
            raise error
        guard_of(nodes[0]).caught(source, error)


class TransitionThreadExecutor(GuardedExecutor):
    """Runs the callbacks of a `TransitionCallbackGroup` on threads of their own.

    rclpy's MultiThreadedExecutor submits a callback again and again until its pool has begun it: while images
    stream, that takes a whole core.
    """

    def __init__(self, *, context: Context | None = None) -> None:
        super().__init__(context=context)
        self._apart: list[tuple[Task, str, Node | None]] = []

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Run one callback, or see to it that it runs."""
        self._end_what_ran_apart()
        super().spin_once(timeout_sec)

    def begin(self, task: Task, entity: object, node: Node | None) -> None:
        """Run a task, or start its thread."""
        if isinstance(getattr(entity, "callback_group", None), TransitionCallbackGroup):
            self._begin_apart(task, entity, node)
        else:
            super().begin(task, entity, node)

    def _begin_apart(self, task: Task, entity: object, node: Node | None) -> None:
        """Start a task once; rclpy offers it again until it has begun, so the thread is waited for."""
        if any(task is each for each, _, _ in self._apart):
            return
        self._apart.append((task, _source(task, entity), node))
        begun = Event()
        Thread(target=_run, args=(task, begun), name="transition", daemon=True).start()
        begun.wait()

    def _end_what_ran_apart(self) -> None:
        done = [each for each in self._apart if each[0].done()]
        for each in done:
            self._apart.remove(each)
            self.ended(*each)


def _source(task: Task, entity: object) -> str:
    """What runs, in words; a task that is done has forgotten its handler."""
    for name, kind in (("topic_name", "subscription"), ("srv_name", "service")):
        if hasattr(entity, name):
            return f"{kind} {getattr(entity, name)}"
    if entity is None:
        return f"task {name_of(task._handler)}"
    return f"{type(entity).__name__.lower()} {name_of(getattr(entity, 'callback', entity))}"


def _run(task: Task, begun: Event) -> None:
    begun.set()
    task()
