"""Worker status for diagnostics, and worker lifecycle events."""

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum

from openral_core.detectors import Health


class WorkerPhase(StrEnum):
    """Phase of the supervised worker."""

    LOADING = "loading"
    IDLE = "idle"
    BUSY = "busy"
    WAITING = "waiting to restart"
    GAVE_UP = "given up"
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
    next_start: float = float("inf")
    half_open: bool = False
    inference_times: deque[float] = field(default_factory=lambda: deque(maxlen=100))


class EventKind(StrEnum):
    """Values of `FailureTrigger.kind`."""

    WORKER_LOST = "worker_lost"
    WORKER_RESTORED = "worker_restored"
    WORKER_GIVEN_UP = "worker_given_up"


@dataclass(frozen=True, slots=True)
class WorkerEvent:
    """A change of the worker's state after it was first ready."""

    kind: EventKind
    message: str
