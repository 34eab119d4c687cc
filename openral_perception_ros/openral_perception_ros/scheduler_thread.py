"""Supervision of a worker: the thread that runs its scheduler, and the start of both."""

import logging
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from queue import SimpleQueue
from threading import Lock, Thread
from types import MappingProxyType

from openral_core.errors import OpenRALError
from openral_perception_ros.camera_schedule import CameraLimit
from openral_perception_ros.inference.ipc import Load, Ready
from openral_perception_ros.inference.worker_command import WorkerCommand
from openral_perception_ros.inference.worker_supervisor import (
    InferenceWorkerProcess,
    WorkerEvent,
    WorkerLimits,
    WorkerStatus,
    WorkerSupervisor,
)
from openral_perception_ros.scheduler import Decode, DetectionRequest, RequestQueue, RequestScheduler

_log = logging.getLogger(__name__)
STOP_TIMEOUT = 10.0
"""Longest wait for the thread to end [s]: twice what a killed worker takes to be gone at worst."""
MAX_WAIT = 3600.0
"""Longest single wait [s]: poll(2) takes no infinite time in [ms]."""


class SchedulerThread:
    """Thread that runs a `RequestScheduler` until stopped; all methods are thread-safe.

    The kernel kills the worker together with the thread that started it, so that thread must outlive it.
    ``on_end`` is called if the thread ends without having been stopped.
    """

    def __init__(self, scheduler: RequestScheduler, name: str, on_end: Callable[[Exception], None]) -> None:
        self._scheduler, self._on_end = scheduler, on_end
        self._commands: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._lock = Lock()
        self._open = True
        self._thread = Thread(target=self._run, name=f"worker of {name}", daemon=True)
        self._thread.start()

    def submit(self, request: DetectionRequest) -> None:
        """Submit a request; answered immediately if supervision has ended."""
        if not self._post(partial(self._scheduler.submit, request)):
            self._scheduler.submit(request)

    def look_first(self, camera: str) -> None:
        """Prefer the camera that the mission looks through in the stream."""
        self._post(partial(self._scheduler.queue.cameras.look_first, camera, time.monotonic()))

    def stop(self) -> None:
        """Stop the worker, answer waiting requests `NotActive` and wait for the thread, not for ever."""
        self._close()
        self._thread.join(STOP_TIMEOUT)
        if self._thread.is_alive():
            _log.error("%s has not ended within %.0f s and is left behind", self._thread.name, STOP_TIMEOUT)

    def _post(self, command: Callable[[], None]) -> bool:
        with self._lock:
            if self._open:
                self._commands.put(command)
                os.eventfd_write(self._wake, 1)
            return self._open

    def _close(self) -> None:
        with self._lock:
            if self._open:
                self._open = False
                os.eventfd_write(self._wake, 1)

    def _run(self) -> None:
        try:
            while self._open:
                self._run_once()
        except Exception as error:
            _log.exception("worker supervision ended")
            self._on_end(error)
        finally:
            self._close()
            self._scheduler.stop()
            self._run_commands()
            os.close(self._wake)

    def _run_once(self) -> None:
        try:
            until = self._scheduler.step(time.monotonic())
            connection = self._scheduler.supervisor.connection
            descriptors = [self._wake] if connection is None else [self._wake, connection.fileno()]
            wait(descriptors, min(max(until - time.monotonic(), 0.0), MAX_WAIT))
            with suppress(BlockingIOError):
                os.eventfd_read(self._wake)
            self._run_commands()
        except Exception as error:
            _log.exception("worker supervision failed")
            self._scheduler.on_defect(error, time.monotonic())

    def _run_commands(self) -> None:
        while not self._commands.empty():
            self._commands.get_nowait()()


@dataclass(frozen=True, slots=True, eq=False)
class SupervisedWorker:
    """A worker under supervision; ``ready`` completes when the model is loaded or loading failed."""

    thread: SchedulerThread
    ready: "Future[Ready]"
    status: WorkerStatus
    queue: RequestQueue


def start_supervised_worker(
    command: WorkerCommand,
    load: Load,
    limits: WorkerLimits,
    decode: Decode,
    on_event: Callable[[WorkerEvent], None],
    on_end: Callable[[Exception], None] = lambda error: None,
    cameras: Mapping[str, CameraLimit] = MappingProxyType({}),
) -> SupervisedWorker:
    """Start a worker under supervision; ``cameras`` are those whose frames are streamed to it.

    Both callbacks run on the supervising thread: ``on_event`` for worker events, ``on_end`` if supervision
    ends without having been stopped.
    """
    ready: Future[Ready] = Future()

    def resolve(outcome: Ready | OpenRALError) -> None:
        if isinstance(outcome, Ready):
            ready.set_result(outcome)
        else:
            ready.set_exception(outcome)

    open_worker = partial(InferenceWorkerProcess, command.line, command.variables)
    supervisor = WorkerSupervisor(open_worker, load, limits, resolve, on_event)
    queue = RequestQueue(limits.capacity, cameras)
    rskill_id = load.manifest.id
    scheduler = RequestScheduler(supervisor, queue, decode, rskill_id)
    thread = SchedulerThread(scheduler, rskill_id, on_end)
    return SupervisedWorker(thread, ready, supervisor.status, queue)
