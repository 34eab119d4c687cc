"""Detection requests and their queue: first come, first served, then the latest streamed frame."""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from openral_core.detectors import Detection
from openral_perception_ros.image_cache import ImageSet
from openral_perception_ros.locate.errors import DeadlineExceeded, LocateError, QueueFull


@dataclass(frozen=True, slots=True)
class DetectionResult:
    """Detections of one inference; times in [s]."""

    image_set: ImageSet
    detections: tuple[Detection, ...]
    queue_time: float
    inference_time: float


_log = logging.getLogger(__name__)
RequestOutcome = DetectionResult | LocateError


@dataclass(frozen=True, slots=True, eq=False)
class DetectionRequest:
    """A request waiting for the worker.

    ``get_frame`` returns the latest frame once the worker is free and may raise `LocateError`; ``received``
    is steady time [s], ``deadline`` is relative to it [s]; ``on_done`` is called once, on any thread.
    """

    get_frame: Callable[[], ImageSet]
    terms: tuple[str, ...] | None
    received: float
    deadline: float
    on_done: Callable[[RequestOutcome], None]
    _completed: list[bool] = field(default_factory=list, repr=False)

    @property
    def deadline_time(self) -> float:
        """Steady time [s] by which it must be answered."""
        return self.received + self.deadline

    @property
    def is_completed(self) -> bool:
        """True once it has been answered."""
        return bool(self._completed)

    def complete(self, outcome: RequestOutcome) -> None:
        """Answer the request; later answers are dropped.

        An exception in ``on_done`` is logged, so that it does not affect other requests.
        """
        if self._completed:
            return
        self._completed.append(True)
        try:
            self.on_done(outcome)
        except Exception:
            _log.exception("the callback of a detection request failed")


class RequestQueue:
    """Bounded FIFO of requests plus one slot for the latest streamed frame."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._requests: deque[DetectionRequest] = deque()
        self._latest_frame: DetectionRequest | None = None
        self.dropped_frames = 0

    def enqueue(self, request: DetectionRequest) -> None:
        """Append a request, or answer it `QueueFull`."""
        if len(self._requests) >= self._capacity:
            request.complete(QueueFull(self._capacity))
        else:
            self._requests.append(request)

    def set_latest_frame(self, request: DetectionRequest) -> None:
        """Replace the streamed frame; a frame that was still waiting counts as dropped."""
        self.dropped_frames += self._latest_frame is not None
        self._latest_frame = request

    def expire(self, now: float) -> None:
        """Answer every request that is past its deadline."""
        late = [request for request in self._requests if request.deadline_time <= now]
        for request in late:
            self._requests.remove(request)
            request.complete(DeadlineExceeded(request.deadline, "waiting in the queue"))

    def next(self) -> DetectionRequest | None:
        """Take the next request; service requests precede the streamed frame."""
        if self._requests:
            return self._requests.popleft()
        streamed, self._latest_frame = self._latest_frame, None
        return streamed

    def clear(self, reason: LocateError) -> None:
        """Answer every request with ``reason`` and drop the streamed frame."""
        while self._requests:
            self._requests.popleft().complete(reason)
        self._latest_frame = None

    @property
    def next_deadline(self) -> float:
        """Steady time [s] of the earliest deadline; infinite if the queue is empty."""
        return min((request.deadline_time for request in self._requests), default=float("inf"))
