"""An executor on a thread of its own, as that of another process."""

from threading import Event, Thread
from types import TracebackType
from typing import Self

from rclpy.executors import Executor

WAIT = 0.05
"""Longest wait in one spin [s]: an idle thread looks this often whether it is to end."""
JOIN_TIMEOUT = 10.0
"""Time for the last callback to return [s]."""


class ExecutorThread:
    """Thread that spins an executor until it is closed.

    It ends before the executor is shut down: shutting down under a spinning thread takes the guard conditions
    away that the thread waits for.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._closing = Event()
        self._thread = Thread(target=self._spin, name="executor", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread, then shut the executor down; its nodes stay."""
        self._closing.set()
        self._executor.wake()
        self._thread.join(JOIN_TIMEOUT)
        assert not self._thread.is_alive(), "a callback hangs"
        self._executor.shutdown(timeout_sec=1.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _spin(self) -> None:
        while not self._closing.is_set():
            self._executor.spin_once(timeout_sec=WAIT)
