"""What happens to a worker that others have to know."""

from dataclasses import dataclass
from enum import StrEnum


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
