"""The one thread of a node that talks to its worker."""

import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import wait
from queue import SimpleQueue
from threading import Lock, Thread

from openral_perception_ros.looks import Look
from openral_perception_ros.supervision.attendant import Attendant

_log = logging.getLogger(__name__)
LONGEST_WAIT = 3600.0


class Supervisor:
    """Runs an `Attendant` until stopped; every method may be called from any thread.

    The kernel ends the worker with the thread that started it, so the thread lives exactly as long.
    """

    def __init__(self, attendant: Attendant, name: str) -> None:
        self._attendant = attendant
        self._commands: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._door = Lock()
        self._open = True
        self._thread = Thread(target=self._run, name=f"worker of {name}", daemon=True)
        self._thread.start()

    def submit(self, look: Look) -> None:
        """A request; answered at once when the supervision has ended."""
        if not self._tell(partial(self._attendant.submit, look)):
            self._attendant.submit(look)

    def offer(self, look: Look) -> None:
        """The continuous leg's newest frame."""
        self._tell(partial(self._attendant.offer, look))

    def stop(self) -> None:
        """End the worker and return when it is gone; whoever waits is told that the node is inactive."""
        self._close_door()
        self._thread.join()

    def _tell(self, command: Callable[[], None]) -> bool:
        with self._door:
            if self._open:
                self._commands.put(command)
                os.eventfd_write(self._wake, 1)
            return self._open

    def _close_door(self) -> None:
        with self._door:
            if self._open:
                self._open = False
                os.eventfd_write(self._wake, 1)

    def _run(self) -> None:
        try:
            while self._open:
                self._wait(self._attendant.step(time.monotonic()))
                self._obey()
        except Exception:
            _log.exception("supervision of the worker broke")
        finally:
            self._close_door()
            self._attendant.stop()
            self._obey()
            os.close(self._wake)

    def _wait(self, until: float) -> None:
        connection = self._attendant.keeper.connection
        descriptors = [self._wake] if connection is None else [self._wake, connection.fileno()]
        wait(descriptors, min(max(until - time.monotonic(), 0.0), LONGEST_WAIT))
        with suppress(BlockingIOError):
            os.eventfd_read(self._wake)

    def _obey(self) -> None:
        while not self._commands.empty():
            self._commands.get_nowait()()
