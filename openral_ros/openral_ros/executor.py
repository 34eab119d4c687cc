"""Executors that survive exceptions in callbacks; one runs lifecycle transitions on their own thread."""

from contextvars import copy_context
from functools import partial
from threading import Event, Thread

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import (
    ConditionReachedException,
    ShutdownException,
    TimeoutException,
    TimeoutObject,
)
from rclpy.node import Node
from rclpy.task import Future, Task

from openral_ros.callback_guard import FatalNodeError, callback_name, guard_of
from openral_ros.lean_executor import LeanExecutor
from openral_ros.rclpy_internals import task_handler


class TransitionCallbackGroup(MutuallyExclusiveCallbackGroup):
    """Callbacks that may take long; a `TransitionThreadExecutor` runs them on their own threads."""


class GuardedExecutor(LeanExecutor):
    """Runs callbacks on the spinning thread; only a `FatalNodeError` leaves it.

    A `ResourceScope` guards the callbacks of its own interfaces. This executor also guards all others:
    services of rclpy itself, actions, futures and tasks.
    """

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Run one callback."""
        try:
            task, entity, node = self.wait_for_ready_callbacks(timeout_sec)
        except (ShutdownException, TimeoutException, ConditionReachedException):
            return
        except InvalidHandle:
            # Another thread destroyed an event handler while the wait set was built. Nothing was taken yet,
            # so the next call simply waits again.
            return
        self.begin(task, entity, node)

    def spin_once_until_future_complete(
        self, future: Future, timeout_sec: float | TimeoutObject | None = None
    ) -> None:
        """Run one callback; a completed future wakes the executor."""
        future.add_done_callback(lambda _: self.wake())
        self.spin_once(timeout_sec)

    def begin(self, task: Task, entity: object, node: Node | None) -> None:
        """Run a ready task."""
        source = describe_callback(task, entity)
        task()
        self.handle_error(task, source, node)

    def handle_error(self, task: Task, source: str, node: Node | None) -> None:
        """Record the exception of a task, if it raised one.

        Raises:
            FatalNodeError: If the task raised it.
        """
        error = task.exception()
        if error is None:
            return
        nodes = [node] if node is not None else self.get_nodes()
        if isinstance(error, FatalNodeError) or not nodes:
            raise error
        guard_of(nodes[0]).record(source, error)


class TransitionThreadExecutor(GuardedExecutor):
    """Runs the callbacks of a `TransitionCallbackGroup` on threads of their own.

    MultiThreadedExecutor of rclpy resubmits a callback until its pool has started it, which costs a whole
    core while images stream.
    """

    def __init__(self, *, context: Context | None = None) -> None:
        super().__init__(context=context)
        self._threaded: list[tuple[Task, str, Node | None]] = []

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Run one callback, or start its thread."""
        self._collect_finished()
        super().spin_once(timeout_sec)

    def runs_apart(self, entity: object) -> bool:
        """Return whether an entity belongs to a `TransitionCallbackGroup`."""
        return isinstance(getattr(entity, "callback_group", None), TransitionCallbackGroup)

    def begin(self, task: Task, entity: object, node: Node | None) -> None:
        """Run a task, or start its thread."""
        if self.runs_apart(entity):
            self._start_thread(task, entity, node)
        else:
            super().begin(task, entity, node)

    def _start_thread(self, task: Task, entity: object, node: Node | None) -> None:
        """Start a task once; rclpy offers it again until it has begun, so wait for the thread."""
        if any(task is running for running, _, _ in self._threaded):
            return
        self._threaded.append((task, describe_callback(task, entity), node))
        begun = Event()
        run = partial(copy_context().run, _run, task, begun)
        Thread(target=run, name="transition", daemon=True).start()
        begun.wait()

    def _collect_finished(self) -> None:
        finished = [entry for entry in self._threaded if entry[0].done()]
        for entry in finished:
            self._threaded.remove(entry)
            self.handle_error(*entry)


def describe_callback(task: Task, entity: object) -> str:
    """Describe the callback of a task before it runs; a finished task no longer has its handler."""
    try:
        for name, kind in (("topic_name", "subscription"), ("srv_name", "service")):
            if hasattr(entity, name):
                return f"{kind} {getattr(entity, name)}"
    except InvalidHandle:
        return f"destroyed {type(entity).__name__.lower()}"
    if entity is None:
        return f"task {callback_name(task_handler(task))}"
    return f"{type(entity).__name__.lower()} {callback_name(getattr(entity, 'callback', entity))}"


def _run(task: Task, begun: Event) -> None:
    begun.set()
    task()
