"""One question to the model, and its answer."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from openral_core.detections import Detection
from openral_perception_ros.frames import Shot
from openral_perception_ros.looks.refusals import LookRefused


@dataclass(frozen=True, slots=True)
class Seen:
    """What one inference saw; times in [s]."""

    shot: Shot
    detections: tuple[Detection, ...]
    queue_time: float
    inference_time: float


_log = logging.getLogger(__name__)
LookOutcome = Seen | LookRefused


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A question that waits for the worker.

    ``take`` gives the newest frame when the worker is free and may raise `LookRefused`; ``received`` is
    steady time [s] and ``deadline`` the time after it [s]; ``on_done`` is called once, by any thread.
    """

    take: Callable[[], Shot]
    terms: tuple[str, ...] | None
    received: float
    deadline: float
    on_done: Callable[[LookOutcome], None]
    _ended: list[bool] = field(default_factory=list, repr=False)

    @property
    def due(self) -> float:
        """Steady time [s] at which it must have been answered."""
        return self.received + self.deadline

    @property
    def ended(self) -> bool:
        """Whether it was answered."""
        return bool(self._ended)

    def end(self, outcome: LookOutcome) -> None:
        """Answer it, once; later answers are dropped.

        An answer that cannot be told on, as when a publisher is gone, costs nobody else theirs.
        """
        if self._ended:
            return
        self._ended.append(True)
        try:
            self.on_done(outcome)
        except Exception:
            _log.exception("telling the answer of a look broke")
