"""How a worker is doing, for diagnostics."""

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum

from openral_core.detectors import Health


class Phase(StrEnum):
    """What the supervising thread is about."""

    LOADING = "loading"
    IDLE = "idle"
    BUSY = "busy"
    WAITING = "waiting to restart"
    GAVE_UP = "given up"
    STOPPED = "stopped"


@dataclass(slots=True)
class Vitals:
    """Written by the supervising thread, read by anyone; single fields, so a reader may see a mix.

    ``trouble`` is why ``health`` is not OK; ``next_start`` is steady time [s].
    """

    phase: Phase = Phase.LOADING
    pid: int = 0
    restarts: int = 0
    answered: int = 0
    last_error: str = ""
    health: Health = Health.OK
    trouble: str = ""
    next_start: float = float("inf")
    on_trial: bool = False
    inference_times: deque[float] = field(default_factory=lambda: deque(maxlen=100))
