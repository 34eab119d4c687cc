"""An executor whose lifecycle transitions leave the other callbacks alone."""

from threading import Event, Thread

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.context import Context
from rclpy.executors import (
    ConditionReachedException,
    Executor,
    ShutdownException,
    TimeoutException,
    TimeoutObject,
)
from rclpy.task import Future, Task


class TransitionGroup(MutuallyExclusiveCallbackGroup):
    """Callbacks that may take long: under an `ApartExecutor`, one at a time on a thread of its own."""


class ApartExecutor(Executor):
    """Runs callbacks on the thread that spins, but for those of a `TransitionGroup`.

    rclpy's MultiThreadedExecutor submits a callback again and again until its pool has begun it: while images
    stream, that takes a whole core.
    """

    def __init__(self, *, context: Context | None = None) -> None:
        super().__init__(context=context)
        self._apart: list[Task] = []

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Run one callback, or see to it that it runs."""
        self._raise_what_was_raised_apart()
        try:
            task, entity, _ = self.wait_for_ready_callbacks(timeout_sec)
        except (ShutdownException, TimeoutException, ConditionReachedException):
            return
        if isinstance(getattr(entity, "callback_group", None), TransitionGroup):
            self._begin_apart(task)
        else:
            task()
            task.result()

    def spin_once_until_future_complete(
        self, future: Future, timeout_sec: float | TimeoutObject | None = None
    ) -> None:
        """See `Executor.spin_until_future_complete`."""
        future.add_done_callback(lambda _: self.wake())
        self.spin_once(timeout_sec)

    def _begin_apart(self, task: Task) -> None:
        """Start a task once; rclpy offers it again until it has begun, so the thread is waited for."""
        if task in self._apart:
            return
        self._apart.append(task)
        begun = Event()
        Thread(target=_run, args=(task, begun), name="transition", daemon=True).start()
        begun.wait()

    def _raise_what_was_raised_apart(self) -> None:
        done = [task for task in self._apart if task.done()]
        self._apart = [task for task in self._apart if task not in done]
        for task in done:
            task.result()


def _run(task: Task, begun: Event) -> None:
    begun.set()
    task()
