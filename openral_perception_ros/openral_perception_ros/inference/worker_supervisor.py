"""One worker: its process, its start, load, loss and restart behind a circuit breaker, and its status."""

import contextlib
import logging
import os
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from openral_core.backoff import CircuitBreaker, RestartDecision
from openral_core.detectors import Health
from openral_core.errors import OpenRALError
from openral_perception_ros.engines import EngineFrame
from openral_perception_ros.inference.errors import (
    InvalidReply,
    LoadingAbandoned,
    ModelNotLoaded,
    SupervisionFailed,
    UnexpectedReply,
    WorkerCrashed,
    WorkerError,
    WorkerNotStarted,
    WorkerTimedOut,
)
from openral_perception_ros.inference.ipc import (
    ArraySpec,
    Detect,
    Detected,
    EngineFailed,
    Load,
    MessageStream,
    Ready,
    Reply,
    SharedFrameBuffer,
    pack_request,
    unpack_reply,
)

SEND_TIMEOUT = 3.0
"""Longest time a worker may leave a request unread [s]: it is idle when it gets one."""
KILL_TIMEOUT = 10.0
"""Longest wait for a killed process [s]; one that is stuck in a driver is abandoned."""


class InferenceWorkerProcess:
    """A worker started by this thread, which must outlive it (see `set_parent_death_signal`).

    The anonymous socket pair is inherited; when either process dies, the other reads end of file.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._exit_code: int | None = None
        self._closed = False
        self._buffer = SharedFrameBuffer.create()
        self._sent_frame: EngineFrame | None = None
        self._planes: tuple[ArraySpec, ...] = ()
        self.connection = MessageStream()
        socket, arena = self.connection.worker_end.fileno(), self._buffer.fileno()
        descriptors = ("--socket", str(socket), "--arena", str(arena))
        try:
            self._process = subprocess.Popen(
                [*command, *descriptors, "--parent", str(os.getpid())],
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                pass_fds=(socket, arena),
                start_new_session=True,
            )
        except OSError as error:
            self.connection.close()
            self._buffer.close()
            raise WorkerNotStarted(command, str(error)) from error
        finally:
            self.connection.worker_end.close()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def load(self, request: Load) -> None:
        """Send the load request."""
        self._send(pack_request(request))

    def detect(self, frame: EngineFrame, terms: tuple[str, ...] | None) -> None:
        """Send a detection request; overwrites the previous frame, so no request may be pending.

        A frame that was sent last is not copied again: several requests may refer to the same frame.

        Raises:
            WorkerCrashed: If the worker has exited.
        """
        if frame is not self._sent_frame:
            self._sent_frame = None
            self._planes = self._buffer.write(frame.planes)
            self._sent_frame = frame
        self._send(
            pack_request(Detect(self._planes, frame.camera, frame.stamp, dict(frame.instance_names), terms))
        )

    def receive(self) -> Reply | None:
        """Return the next complete reply, or None; never blocks.

        Raises:
            WorkerCrashed: If the worker has exited.
            InvalidReply: If its reply is invalid.
        """
        try:
            data = self.connection.receive()
            return None if data is None else unpack_reply(data)
        except (EOFError, OSError) as error:
            raise WorkerCrashed(self.close()) from error
        except Exception as error:  # untrusted bytes: msgpack, pydantic and our checks may raise anything
            self.close()
            raise InvalidReply(error) from error

    def close(self) -> int | None:
        """Kill the worker's process group and return its exit code; its memory is free afterwards."""
        if not self._closed:  # once only: a reaped process id may be reused
            self._closed = True
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._exit_code = self._process.wait(KILL_TIMEOUT)
            self.connection.close()
            self._buffer.close()
        return self._exit_code

    def _send(self, data: bytes) -> None:
        try:
            self.connection.send(data, SEND_TIMEOUT)
        except TimeoutError as error:
            self.close()
            raise WorkerTimedOut("a request it left unread", SEND_TIMEOUT) from error
        except OSError as error:
            raise WorkerCrashed(self.close()) from error


NEVER = float("inf")
"""Steady time [s] of an event that is not scheduled, and a deadline that is none."""


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Limits of one worker; times in [s].

    ``load`` bounds loading the model, ``inference`` one inference before the worker counts as hung;
    ``capacity`` is the length of the request queue.
    """

    load: float = 60.0
    inference: float = 30.0
    capacity: int = 8
    restarts: CircuitBreaker = field(default_factory=CircuitBreaker)


class WorkerPhase(StrEnum):
    """Phase of the supervised worker."""

    LOADING = "loading"
    IDLE = "idle"
    BUSY = "busy"
    WAITING = "waiting to restart"
    DEGRADED = "given up"
    STOPPED = "stopped"


@dataclass(slots=True)
class WorkerStatus:
    """Status of a worker, written by the supervising thread and read by any.

    Fields are updated one by one, so a reader may see a mix. ``health_message`` explains a ``health`` other
    than OK; ``next_start`` is steady time [s].
    """

    phase: WorkerPhase = WorkerPhase.LOADING
    pid: int = 0
    restarts: int = 0
    answered: int = 0
    last_error: str = ""
    health: Health = Health.OK
    health_message: str = ""
    next_start: float = NEVER
    half_open: bool = False
    inference_times: deque[float] = field(default_factory=lambda: deque(maxlen=100))


class EventKind(StrEnum):
    """Values of `FailureTrigger.kind`."""

    WORKER_LOST = "worker_lost"
    WORKER_RESTORED = "worker_restored"
    WORKER_DEGRADED = "worker_given_up"


@dataclass(frozen=True, slots=True)
class WorkerEvent:
    """A change of the worker's state after it was first ready."""

    kind: EventKind
    message: str


OpenWorker = Callable[[], InferenceWorkerProcess]
OnStartup = Callable[[Ready | OpenRALError], None]
_log = logging.getLogger(__name__)
_EXPECTED: Mapping[WorkerPhase, tuple[type, ...]] = {
    WorkerPhase.LOADING: (Ready, EngineFailed),
    WorkerPhase.BUSY: (Detected, EngineFailed),
}


class WorkerSupervisor:
    """Keep one worker alive; owned by one thread.

    ``on_startup`` receives the first `Ready`, or the error of a start that failed for good. Later losses
    follow the restart policy and are reported to ``on_event``.
    """

    def __init__(
        self,
        open_worker: OpenWorker,
        load: Load,
        limits: WorkerLimits,
        on_startup: OnStartup,
        on_event: Callable[[WorkerEvent], None],
    ) -> None:
        self._open_worker, self._load, self._limits = open_worker, load, limits
        self._on_startup, self._on_event = on_startup, on_event
        self._breaker = limits.restarts
        self._worker: InferenceWorkerProcess | None = None
        self._startup_resolved = False
        self.status = WorkerStatus()
        self.wake_at = 0.0

    @property
    def connection(self) -> MessageStream | None:
        """Message stream; readable when the worker replies or exits."""
        return None if self._worker is None else self._worker.connection

    def poll(self, now: float) -> Detected | EngineFailed | OpenRALError | None:
        """Do what is due at ``now`` [s, steady]; return the outcome of the current request, if any."""
        try:
            return self._poll(now)
        except OpenRALError as error:
            lost = error
        except Exception as error:  # such as a machine without descriptors or memory to start a worker
            _log.exception("worker supervision failed")
            lost = SupervisionFailed(error)
        self.on_lost(lost, now)
        return lost

    def dispatch(self, frame: EngineFrame, terms: tuple[str, ...] | None, now: float) -> OpenRALError | None:
        """Send a frame to the idle worker; return the error if it is lost. Other exceptions pass."""
        if self._worker is None:
            return None
        try:
            self._worker.detect(frame, terms)
        except WorkerError as error:
            self.on_lost(error, now)
            return error
        self.status.phase, self.wake_at = WorkerPhase.BUSY, now + self._limits.inference
        return None

    def close(self) -> None:
        """Stop the worker for good."""
        self._drop()
        self._resolve_startup(LoadingAbandoned(self._load.manifest.id))

    def on_lost(self, error: OpenRALError, now: float) -> None:
        """Drop the worker and schedule its restart by the restart policy."""
        self._drop()
        self.status.last_error = str(error)
        if not self._startup_resolved:
            self.status.phase = WorkerPhase.DEGRADED
            self._resolve_startup(error)
            return
        restart, breaker = self._breaker.on_failure(now)
        self._breaker, self.status.half_open = breaker, breaker.half_open
        self.status.next_start = self.wake_at = now + restart.delay
        self.status.restarts += 1
        self._report_lost(error, restart)

    def _drop(self) -> None:
        if self._worker is not None:
            self._worker.close()
        self._worker, self.wake_at = None, NEVER
        self.status.phase, self.status.pid = WorkerPhase.STOPPED, 0

    def _resolve_startup(self, outcome: Ready | OpenRALError) -> None:
        if not self._startup_resolved:
            self._startup_resolved = True
            self._on_startup(outcome)

    def _poll(self, now: float) -> Detected | EngineFailed | None:
        reply = None if self._worker is None else self._worker.receive()
        if reply is not None:
            return self._received(reply, now)
        if now >= self.wake_at and self._worker is None:
            self._start(now)
        elif now >= self.wake_at:
            loading = self.status.phase is WorkerPhase.LOADING
            raise WorkerTimedOut(
                "the load request" if loading else "a detection request",
                self._limits.load if loading else self._limits.inference,
            )
        return None

    def _start(self, now: float) -> None:
        self.status.phase, self.wake_at = WorkerPhase.LOADING, now + self._limits.load
        self._worker = self._open_worker()
        self.status.pid = self._worker.pid
        self._worker.load(self._load)

    def _received(self, reply: Reply, now: float) -> Detected | EngineFailed | None:
        if not isinstance(reply, _EXPECTED.get(self.status.phase, ())):
            raise UnexpectedReply(reply.type, self.status.phase.value)
        if isinstance(reply, EngineFailed) and self.status.phase is WorkerPhase.LOADING:
            raise ModelNotLoaded(self._load.manifest.id, reply)
        self.status.phase, self.wake_at = WorkerPhase.IDLE, NEVER
        if isinstance(reply, Ready):
            self.status.health, self.status.health_message = Health.OK, ""
            if self._startup_resolved:
                probation = "; on probation until its first inference" if self._breaker.half_open else ""
                self._emit(WorkerEvent(EventKind.WORKER_RESTORED, f"the worker has restarted{probation}"))
            self._resolve_startup(reply)
            return None
        if isinstance(reply, Detected):
            self._breaker = self._breaker.on_success(now)
            self.status.half_open = self._breaker.half_open
        return reply

    def _emit(self, event: WorkerEvent) -> None:
        """Report an event; an exception in the callback must not end supervision."""
        try:
            self._on_event(event)
        except Exception:
            _log.exception("the callback of a worker event failed")

    def _report_lost(self, error: OpenRALError, restart: RestartDecision) -> None:
        """Report the loss and the time of the next restart."""
        worker_status, again = self.status, f"{restart.delay:g} s"
        if restart.circuit_open:
            worker_status.phase, worker_status.health = WorkerPhase.DEGRADED, Health.DEGRADED
            worker_status.health_message = f"{error}; too many failures, next restart in {again}"
            kind = EventKind.WORKER_DEGRADED
        else:
            worker_status.phase, worker_status.health = WorkerPhase.WAITING, Health.RESTARTING
            worker_status.health_message = f"{error}; restart in {again}"
            kind = EventKind.WORKER_LOST
        self._emit(WorkerEvent(kind, worker_status.health_message))
