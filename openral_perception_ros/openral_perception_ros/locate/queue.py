"""Who is next: requests in order of arrival, then the newest frame of the continuous leg."""
# MERGED One question to the model, and its answer.

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from openral_core.detections import Detection
from openral_perception_ros.image_cache import ImageSet
from openral_perception_ros.locate.errors import DeadlineExceeded, LocateError, QueueFull


@dataclass(frozen=True, slots=True)
class DetectionResult:
    """What one inference saw; times in [s]."""

    shot: ImageSet
    detections: tuple[Detection, ...]
    queue_time: float
    inference_time: float


_log = logging.getLogger(__name__)
RequestOutcome = DetectionResult | LocateError


@dataclass(frozen=True, slots=True, eq=False)
class DetectionRequest:
    """A question that waits for the worker.

    ``take`` gives the newest frame when the worker is free and may raise `LocateError`; ``received`` is
    steady time [s] and ``deadline`` the time after it [s]; ``on_done`` is called once, by any thread.
    """

    take: Callable[[], ImageSet]
    terms: tuple[str, ...] | None
    received: float
    deadline: float
    on_done: Callable[[RequestOutcome], None]
    _ended: list[bool] = field(default_factory=list, repr=False)

    @property
    def due(self) -> float:
        """Steady time [s] at which it must have been answered."""
        return self.received + self.deadline

    @property
    def ended(self) -> bool:
        """Whether it was answered."""
        return bool(self._ended)

    def end(self, outcome: RequestOutcome) -> None:
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


class RequestQueue:
    """Bounded; the continuous leg holds one place of its own, whose look is replaced by a newer one."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._asked: deque[DetectionRequest] = deque()
        self._streamed: DetectionRequest | None = None
        self.skipped = 0

    def join(self, look: DetectionRequest) -> None:
        """Wait, or be refused at once because too many do."""
        if len(self._asked) >= self._capacity:
            look.end(QueueFull(self._capacity))
        else:
            self._asked.append(look)

    def offer(self, look: DetectionRequest) -> None:
        """The continuous leg's newest frame; the one it replaces is skipped."""
        self.skipped += self._streamed is not None
        self._streamed = look

    def expire(self, now: float) -> None:
        """Answer what waited past its deadline."""
        late = [look for look in self._asked if look.due <= now]
        for look in late:
            self._asked.remove(look)
            look.end(DeadlineExceeded(look.deadline, "waiting for the model"))

    def next(self) -> DetectionRequest | None:
        """The look to serve now; requests go first."""
        if self._asked:
            return self._asked.popleft()
        streamed, self._streamed = self._streamed, None
        return streamed

    def clear(self, reason: LocateError) -> None:
        """Answer everyone with ``reason`` and drop the continuous leg's frame."""
        while self._asked:
            self._asked.popleft().end(reason)
        self._streamed = None

    @property
    def next_due(self) -> float:
        """Steady time [s] of the earliest deadline; infinite when nobody waits."""
        return min((look.due for look in self._asked), default=float("inf"))
