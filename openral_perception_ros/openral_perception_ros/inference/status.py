"""How a worker is doing, for diagnostics."""
# MERGED What happens to a worker that others have to know.

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum

from openral_core.detectors import Health


class WorkerPhase(StrEnum):
    """What the supervising thread is about."""

    LOADING = "loading"
    IDLE = "idle"
    BUSY = "busy"
    WAITING = "waiting to restart"
    GAVE_UP = "given up"
    STOPPED = "stopped"


@dataclass(slots=True)
class WorkerStatus:
    """Written by the supervising thread, read by anyone; single fields, so a reader may see a mix.

    ``trouble`` is why ``health`` is not OK; ``next_start`` is steady time [s].
    """

    phase: WorkerPhase = WorkerPhase.LOADING
    pid: int = 0
    restarts: int = 0
    answered: int = 0
    last_error: str = ""
    health: Health = Health.OK
    trouble: str = ""
    next_start: float = float("inf")
    on_trial: bool = False
    inference_times: deque[float] = field(default_factory=lambda: deque(maxlen=100))


class EventKind(StrEnum):
    """Conditions, as `FailureTrigger.kind` says them."""

    WORKER_LOST = "worker_lost"
    WORKER_RESTORED = "worker_restored"
    WORKER_GIVEN_UP = "worker_given_up"


@dataclass(frozen=True, slots=True)
class WorkerEvent:
    """One change in a worker's life after it was first ready."""

    kind: EventKind
    message: str
