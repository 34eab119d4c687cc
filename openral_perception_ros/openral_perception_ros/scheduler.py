"""Detection requests, their queue, and the scheduler that serves them one at a time with the worker."""

import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from openral_core.detectors import Detection
from openral_core.errors import OpenRALError
from openral_perception_ros.camera_images import ImageSet
from openral_perception_ros.camera_schedule import CameraLimit, CameraSchedule
from openral_perception_ros.engines import EngineFrame, FailureKind
from openral_perception_ros.inference.errors import SupervisionFailed
from openral_perception_ros.inference.ipc import Detected, EngineFailed
from openral_perception_ros.inference.worker_supervisor import NEVER, WorkerPhase, WorkerSupervisor
from openral_perception_ros.locate_errors import (
    DeadlineExceeded,
    DetectorError,
    DetectorOutOfMemory,
    EndpointTimedOut,
    LocateError,
    ModelLoading,
    NotActive,
    QueueFull,
    WorkerUnavailable,
)


@dataclass(frozen=True, slots=True)
class DetectionResult:
    """Detections of one inference; times in [s]."""

    image_set: ImageSet
    detections: tuple[Detection, ...]
    queue_time: float
    inference_time: float


_log = logging.getLogger(__name__)
RequestOutcome = DetectionResult | LocateError


@dataclass(slots=True, eq=False)
class DetectionRequest:
    """A request waiting for the worker.

    ``get_frame`` returns the latest frame once the worker is free and may raise `LocateError`; ``received``
    is steady time [s], ``deadline`` is relative to it [s], `NEVER` for a streamed request about a frame of
    ``camera``, ``is_moving`` if its view changes; ``on_done`` is called once, on any thread, but not for a
    streamed request that a newer one of this camera replaces. ``is_completed`` is True once it was answered.
    """

    get_frame: Callable[[], ImageSet]
    terms: tuple[str, ...] | None
    received: float
    deadline: float
    on_done: Callable[[RequestOutcome], None]
    camera: str = ""
    is_moving: bool = False
    is_completed: bool = field(default=False, init=False)

    @property
    def deadline_time(self) -> float:
        """Steady time [s] by which it must be answered."""
        return self.received + self.deadline

    @property
    def is_streamed(self) -> bool:
        """True for a request about the stream's newest frame, which yields to requests with a deadline."""
        return self.deadline == NEVER

    def complete(self, outcome: RequestOutcome) -> None:
        """Answer the request; later answers are dropped.

        An exception in ``on_done`` is logged, so that it does not affect other requests.
        """
        if self.is_completed:
            return
        self.is_completed = True
        try:
            self.on_done(outcome)
        except Exception:
            _log.exception("the callback of a detection request failed")


class RequestQueue:
    """Bounded FIFO of requests plus the newest streamed request of each camera, in the order of ``cameras``.

    ``dropped_frames`` and ``refused_requests`` count the streamed and the other requests without room.
    """

    def __init__(self, capacity: int, cameras: Mapping[str, CameraLimit] = MappingProxyType({})) -> None:
        self._capacity = capacity
        self._requests: deque[DetectionRequest] = deque()
        self.cameras = CameraSchedule[DetectionRequest](cameras)
        self.dropped_frames = self.refused_requests = 0

    def __len__(self) -> int:
        return len(self._requests)

    def enqueue(self, request: DetectionRequest) -> None:
        """Append a request, or answer it `QueueFull`; a streamed one replaces that of the same camera."""
        if request.is_streamed:
            self.dropped_frames += self.cameras.put(request.camera, request, is_moving=request.is_moving)
        elif len(self._requests) >= self._capacity:
            self.refused_requests += 1
            request.complete(QueueFull(self._capacity))
        else:
            self._requests.append(request)

    def expire(self, now: float) -> None:
        """Answer every request that is past its deadline."""
        late = [request for request in self._requests if request.deadline_time <= now]
        for request in late:
            self._requests.remove(request)
            request.complete(DeadlineExceeded(request.deadline, "waiting in the queue"))

    def next(self, now: float) -> DetectionRequest | None:
        """Take the next request at ``now`` [s]; streamed ones come last, as often as their cameras may."""
        return self._requests.popleft() if self._requests else self.cameras.take(now)

    def clear(self, reason: LocateError) -> None:
        """Answer every request with ``reason`` and drop the streamed ones."""
        while self._requests:
            self._requests.popleft().complete(reason)
        self.cameras.clear()

    @property
    def next_deadline(self) -> float:
        """Steady time [s] of the earliest deadline; `NEVER` if the queue is empty."""
        return min((request.deadline_time for request in self._requests), default=NEVER)


Decode = Callable[[ImageSet], EngineFrame]


@dataclass(frozen=True, slots=True)
class _InFlight:
    """The request the worker is processing."""

    request: DetectionRequest
    image_set: ImageSet
    dispatched: float


class RequestScheduler:
    """Feed queued requests to the worker and complete them with its replies.

    Owned by one thread, which calls `step` whenever something may have changed.
    """

    def __init__(
        self, supervisor: WorkerSupervisor, queue: RequestQueue, decode: Decode, rskill_id: str
    ) -> None:
        self.supervisor = supervisor
        self.queue = queue
        self._decode = decode
        self._rskill_id = rskill_id
        self._in_flight: _InFlight | None = None

    def submit(self, request: DetectionRequest) -> None:
        """Enqueue a request, or answer it immediately if no model is loaded."""
        reason = self.unavailable_reason(request.received)
        if reason is None:
            self.queue.enqueue(request)
        else:
            request.complete(reason)

    def step(self, now: float) -> float:
        """Do what is due at ``now`` [s]; return the steady time [s] of the next step without new events.

        The worker gets its next request before the last one is answered: answering may take as long as
        inference.
        """
        self.queue.expire(now)
        if self._in_flight is not None and self._in_flight.request.deadline_time <= now:
            late = self._in_flight.request
            late.complete(DeadlineExceeded(late.deadline, "the model was running"))
        outcome = self.supervisor.poll(now)
        previous = self._in_flight
        if outcome is not None:
            self._in_flight = None
        try:
            while (
                self.supervisor.status.phase is WorkerPhase.IDLE
                and (request := self.queue.next(now)) is not None
            ):
                self._dispatch(request, now)
        finally:
            if outcome is not None:
                self._complete(previous, outcome, now)
        current_due = (
            self._in_flight.request.deadline_time
            if self._in_flight and not self._in_flight.request.is_completed
            else NEVER
        )
        return min(self.queue.next_deadline, self.supervisor.wake_at, current_due)

    def on_defect(self, error: Exception, now: float) -> None:
        """Recover from an exception in `step` by dropping the worker and answering every request.

        Raises:
            SupervisionFailed: If there is no worker to drop.
        """
        lost = SupervisionFailed(error)
        if self.supervisor.connection is None:
            raise lost from error
        previous, self._in_flight = self._in_flight, None
        self.supervisor.on_lost(lost, now)
        self._complete(previous, lost, now)

    def stop(self) -> None:
        """Stop the worker and answer every request `NotActive`."""
        self.supervisor.close()
        reason = NotActive(self._rskill_id)
        if self._in_flight is not None:
            self._in_flight.request.complete(reason)
        self.queue.clear(reason)

    def _complete(
        self, in_flight: _InFlight | None, outcome: Detected | EngineFailed | OpenRALError, now: float
    ) -> None:
        if in_flight is not None:
            if isinstance(outcome, Detected):
                self.supervisor.status.answered += 1
                self.supervisor.status.inference_times.append(outcome.inference_time)
                waited = in_flight.dispatched - in_flight.request.received
                in_flight.request.complete(
                    DetectionResult(in_flight.image_set, outcome.detections, waited, outcome.inference_time)
                )
            else:
                in_flight.request.complete(locate_error_of(outcome))
        reason = self.unavailable_reason(now)
        if reason is not None:
            self.queue.clear(reason)

    def _dispatch(self, request: DetectionRequest, now: float) -> None:
        """Send a request to the worker; answer it with an error if it has no usable frame.

        Exceptions of decoders and drivers fail this request only.
        """
        try:
            image_set = request.get_frame()
            lost = self.supervisor.dispatch(self._decode(image_set), request.terms, now)
        except LocateError as refusal:
            request.complete(refusal)
            return
        except Exception as error:
            is_typed = isinstance(error, OpenRALError)
            reason = str(error) if is_typed else f"{type(error).__name__}: {error}"[:500]
            request.complete(DetectorError(reason))
            return
        current = _InFlight(request, image_set, now)
        if lost is None:
            self._in_flight = current
        else:
            self._complete(current, lost, now)

    def unavailable_reason(self, now: float) -> LocateError | None:
        """Return the error for requests at ``now`` [s, steady], or None if the model is loaded."""
        worker_status = self.supervisor.status
        if worker_status.phase in (WorkerPhase.LOADING, WorkerPhase.WAITING):
            return ModelLoading(self._rskill_id, worker_status.last_error or "starting")
        if worker_status.phase is WorkerPhase.STOPPED:
            return NotActive(self._rskill_id)
        if worker_status.phase is WorkerPhase.DEGRADED:
            return WorkerUnavailable(worker_status.last_error, worker_status.next_start - now)
        return None


def locate_error_of(outcome: EngineFailed | OpenRALError) -> LocateError:
    """Return the error of a request that failed in the worker, or with it."""
    if isinstance(outcome, OpenRALError):
        return DetectorError(outcome)
    if outcome.kind is FailureKind.OUT_OF_MEMORY:
        return DetectorOutOfMemory(outcome.message)
    if outcome.kind is FailureKind.TIMEOUT:
        return EndpointTimedOut(outcome.message)
    return DetectorError(outcome.message)
