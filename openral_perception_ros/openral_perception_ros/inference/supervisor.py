"""The one thread of a node that talks to its worker."""
# MERGED One supervised worker, put together.

import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from queue import SimpleQueue
from threading import Lock, Thread

from openral_core.errors import OpenRALError
from openral_perception_ros.inference.protocol import Load, Ready
from openral_perception_ros.inference.restart_policy import WorkerLimits
from openral_perception_ros.inference.scheduler import Decode, RequestScheduler
from openral_perception_ros.inference.status import WorkerEvent, WorkerStatus
from openral_perception_ros.inference.worker_manager import WorkerManager
from openral_perception_ros.inference.worker_process import InferenceWorkerProcess, WorkerCommand
from openral_perception_ros.locate.queue import DetectionRequest, RequestQueue

_log = logging.getLogger(__name__)
LONGEST_WAIT = 3600.0


class WorkerSupervisor:
    """Runs an `RequestScheduler` until stopped; every method may be called from any thread.

    The kernel ends the worker with the thread that started it, so the thread lives exactly as long.
    ``on_end`` is called when it ends without having been stopped: nothing is looked at any more.
    """

    def __init__(self, attendant: RequestScheduler, name: str, on_end: Callable[[Exception], None]) -> None:
        self._attendant, self._on_end = attendant, on_end
        self._commands: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._door = Lock()
        self._open = True
        self._thread = Thread(target=self._run, name=f"worker of {name}", daemon=True)
        self._thread.start()

    def submit(self, look: DetectionRequest) -> None:
        """A request; answered at once when the supervision has ended."""
        if not self._tell(partial(self._attendant.submit, look)):
            self._attendant.submit(look)

    def offer(self, look: DetectionRequest) -> None:
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
                self._turn()
        except Exception as error:
            _log.exception("supervision of the worker ended")
            self._on_end(error)
        finally:
            self._close_door()
            self._attendant.stop()
            self._obey()
            os.close(self._wake)

    def _turn(self) -> None:
        try:
            self._wait(self._attendant.step(time.monotonic()))
            self._obey()
        except Exception as error:
            _log.exception("supervision of the worker broke")
            self._attendant.broke(error, time.monotonic())

    def _wait(self, until: float) -> None:
        connection = self._attendant.keeper.connection
        descriptors = [self._wake] if connection is None else [self._wake, connection.fileno()]
        wait(descriptors, min(max(until - time.monotonic(), 0.0), LONGEST_WAIT))
        with suppress(BlockingIOError):
            os.eventfd_read(self._wake)

    def _obey(self) -> None:
        while not self._commands.empty():
            self._commands.get_nowait()()


@dataclass(frozen=True, slots=True, eq=False)
class SupervisedWorker:
    """``ready`` ends when the model is loaded, or with the error why it will not be."""

    supervisor: WorkerSupervisor
    ready: "Future[Ready]"
    vitals: WorkerStatus
    line: RequestQueue


def start_supervised_worker(
    command: WorkerCommand,
    load: Load,
    limits: WorkerLimits,
    decode: Decode,
    on_event: Callable[[WorkerEvent], None],
    on_end: Callable[[Exception], None] | None = None,
) -> SupervisedWorker:
    """Start a worker under supervision.

    Both are called on the supervising thread: ``on_event`` when something happens to the worker, ``on_end``
    when supervision itself ends without having been stopped.
    """
    ready: Future[Ready] = Future()
    open_worker = partial(InferenceWorkerProcess, command.line, command.variables)
    keeper = WorkerManager(open_worker, load, limits, partial(_settle, ready), on_event)
    line = RequestQueue(limits.capacity)
    rskill_id = load.manifest.id
    supervisor = WorkerSupervisor(
        RequestScheduler(keeper, line, decode, rskill_id), rskill_id, on_end or _unheard
    )
    return SupervisedWorker(supervisor, ready, keeper.vitals, line)


def _unheard(error: Exception) -> None:
    """Nobody asked to be told."""


def _settle(ready: "Future[Ready]", outcome: Ready | OpenRALError) -> None:
    if isinstance(outcome, Ready):
        ready.set_result(outcome)
    else:
        ready.set_exception(outcome)
