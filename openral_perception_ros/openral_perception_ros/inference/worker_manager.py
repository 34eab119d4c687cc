"""Keeps one worker alive: starts it, waits for its model, notices its loss, starts it again."""
# MERGED How an activation fails.

import logging
from collections.abc import Callable, Mapping

from openral_core.detectors import Health
from openral_core.errors import OpenRALError
from openral_perception_ros.engines import EngineFrame
from openral_perception_ros.inference.message_stream import Line
from openral_perception_ros.inference.protocol import Detected, Failed, Load, Ready, Reply
from openral_perception_ros.inference.restart_policy import CircuitBreaker, RestartDecision, WorkerLimits
from openral_perception_ros.inference.status import EventKind, WorkerEvent, WorkerPhase, WorkerStatus
from openral_perception_ros.inference.worker_process import (
    InferenceWorkerProcess,
    WorkerError,
    WorkerTimedOut,
)


class ModelNotLoaded(OpenRALError):
    """The worker could not load the model, and says why."""

    def __init__(self, rskill_id: str, failed: Failed) -> None:
        self.kind = failed.kind
        super().__init__(f"{rskill_id!r} was not loaded: {failed.message}")


class LoadingAbandoned(OpenRALError):
    """The node stopped the worker while it was loading."""

    def __init__(self, rskill_id: str) -> None:
        super().__init__(f"{rskill_id!r} was not loaded: its node stopped meanwhile")


class UnaskedReply(OpenRALError):
    """The worker answered although nothing was asked, or with the answer to another question."""

    def __init__(self, reply: str, phase: str) -> None:
        super().__init__(f"the worker sent {reply!r} while it was {phase} and was killed")


class SupervisionBroke(OpenRALError):
    """A defect of the supervising thread itself; the worker was given up for it."""

    def __init__(self, error: Exception) -> None:
        super().__init__(f"supervision of the worker broke ({type(error).__name__}: {error})"[:500])


OpenWorker = Callable[[], InferenceWorkerProcess]
OnFirst = Callable[[Ready | OpenRALError], None]
NEVER = float("inf")
_log = logging.getLogger(__name__)
_EXPECTED: Mapping[WorkerPhase, tuple[type, ...]] = {
    WorkerPhase.LOADING: (Ready, Failed),
    WorkerPhase.BUSY: (Detected, Failed),
}


class WorkerManager:
    """Belongs to one thread. ``on_first`` gets the first Ready, or why there is none and never will be."""

    def __init__(
        self,
        open_worker: OpenWorker,
        load: Load,
        limits: WorkerLimits,
        on_first: OnFirst,
        on_event: Callable[[WorkerEvent], None],
    ) -> None:
        self._open_worker, self._load, self._limits = open_worker, load, limits
        self._on_first, self._on_event = on_first, on_event
        self._restarts = limits.restarts
        self._worker: InferenceWorkerProcess | None = None
        self._told = False
        self.vitals = WorkerStatus()
        self.wake_at = 0.0

    @property
    def connection(self) -> Line | None:
        """What becomes readable when the worker answers or ends."""
        return None if self._worker is None else self._worker.connection

    def poll(self, now: float) -> Detected | Failed | OpenRALError | None:
        """Do what is due at ``now`` [s, steady]; what the current look got from it, if anything."""
        try:
            return self._poll(now)
        except OpenRALError as error:
            lost = error
        except Exception as error:  # such as a machine without descriptors or memory to start a worker
            _log.exception("supervision of the worker broke")
            lost = SupervisionBroke(error)
        self.lose(lost, now)
        return lost

    def hand(self, frame: EngineFrame, terms: tuple[str, ...] | None, now: float) -> OpenRALError | None:
        """Give an idle worker a frame; the error if it is gone. Any other exception leaves it idle."""
        if self._worker is None:
            return None
        try:
            self._worker.detect(frame, terms)
        except WorkerError as error:
            self.lose(error, now)
            return error
        self.vitals.phase, self.wake_at = WorkerPhase.BUSY, now + self._limits.inference
        return None

    def close(self) -> None:
        """End the worker; nothing is started again."""
        self._drop()
        self._tell_first(LoadingAbandoned(self._load.manifest.id))

    def lose(self, error: OpenRALError, now: float) -> None:
        """Give the worker up; the restart policy says when there is another."""
        self._drop()
        self.vitals.last_error = str(error)
        if not self._told:
            self.vitals.phase = WorkerPhase.GAVE_UP
            self._tell_first(error)
            return
        restart, restarts = self._restarts.lost(now)
        self._adopt(restarts)
        self.vitals.next_start = self.wake_at = now + restart.delay
        self.vitals.restarts += 1
        self._mourn(error, restart)

    def _drop(self) -> None:
        if self._worker is not None:
            self._worker.close()
        self._worker, self.wake_at = None, NEVER
        self.vitals.phase, self.vitals.pid = WorkerPhase.STOPPED, 0

    def _tell_first(self, outcome: Ready | OpenRALError) -> None:
        if not self._told:
            self._told = True
            self._on_first(outcome)

    def _poll(self, now: float) -> Detected | Failed | None:
        reply = None if self._worker is None else self._worker.receive()
        if reply is not None:
            return self._received(reply, now)
        if now >= self.wake_at and self._worker is None:
            self._start(now)
        elif now >= self.wake_at:
            loading = self.vitals.phase is WorkerPhase.LOADING
            raise WorkerTimedOut(
                "its load request" if loading else "a look",
                self._limits.load if loading else self._limits.inference,
            )
        return None

    def _start(self, now: float) -> None:
        self.vitals.phase, self.wake_at = WorkerPhase.LOADING, now + self._limits.load
        self._worker = self._open_worker()
        self.vitals.pid = self._worker.pid
        self._worker.load(self._load)

    def _received(self, reply: Reply, now: float) -> Detected | Failed | None:
        if not isinstance(reply, _EXPECTED.get(self.vitals.phase, ())):
            raise UnaskedReply(reply.type, self.vitals.phase.value)
        if isinstance(reply, Failed) and self.vitals.phase is WorkerPhase.LOADING:
            raise ModelNotLoaded(self._load.manifest.id, reply)
        self.vitals.phase, self.wake_at = WorkerPhase.IDLE, NEVER
        if isinstance(reply, Ready):
            self._welcome(reply)
            return None
        if isinstance(reply, Detected):
            self._adopt(self._restarts.proven(now))
        return reply

    def _welcome(self, reply: Ready) -> None:
        """A worker has loaded its model."""
        self.vitals.health, self.vitals.trouble = Health.OK, ""
        if self._told:
            trial = ", on trial until it has answered a look" if self._restarts.on_trial else ""
            self._tell(WorkerEvent(EventKind.WORKER_RESTORED, f"the worker is back{trial}"))
        self._tell_first(reply)

    def _adopt(self, restarts: CircuitBreaker) -> None:
        self._restarts, self.vitals.on_trial = restarts, restarts.on_trial

    def _tell(self, event: WorkerEvent) -> None:
        """Others hear of it if they can; the worker's life does not hang on that."""
        try:
            self._on_event(event)
        except Exception:
            _log.exception("telling of a worker's event broke")

    def _mourn(self, error: OpenRALError, restart: RestartDecision) -> None:
        """Say what was lost and when it is tried again."""
        vitals, again = self.vitals, f"{restart.delay:g} s"
        if restart.given_up:
            vitals.phase, vitals.health = WorkerPhase.GAVE_UP, Health.GIVEN_UP
            vitals.trouble = f"{error}; lost too often, given up: tried again after {again}"
            kind = EventKind.WORKER_GIVEN_UP
        else:
            vitals.phase, vitals.health = WorkerPhase.WAITING, Health.RESTARTING
            vitals.trouble = f"{error}; restart in {again}"
            kind = EventKind.WORKER_LOST
        self._tell(WorkerEvent(kind, vitals.trouble))
