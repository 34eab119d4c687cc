"""Serve queued detection requests, one at a time, with the supervised worker."""

from collections.abc import Callable
from dataclasses import dataclass

from openral_core.errors import OpenRALError
from openral_perception_ros.engines import EngineFrame, FailureKind
from openral_perception_ros.image_cache import ImageSet
from openral_perception_ros.inference.protocol import Detected, Failed
from openral_perception_ros.inference.status import WorkerPhase
from openral_perception_ros.inference.worker_manager import NEVER, SupervisionFailed, WorkerManager
from openral_perception_ros.locate.errors import (
    DeadlineExceeded,
    DetectorFailed,
    DetectorOutOfMemory,
    LocateError,
    ModelLoading,
    NotActive,
    WorkerUnavailable,
)
from openral_perception_ros.locate.queue import DetectionRequest, DetectionResult, RequestQueue

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

    def __init__(self, manager: WorkerManager, queue: RequestQueue, decode: Decode, rskill_id: str) -> None:
        self.manager = manager
        self._queue = queue
        self._decode = decode
        self._rskill_id = rskill_id
        self._in_flight: _InFlight | None = None

    def submit(self, request: DetectionRequest) -> None:
        """Enqueue a request, or answer it immediately if no model is loaded."""
        reason = self._unavailable_reason(request.received)
        if reason is None:
            self._queue.enqueue(request)
        else:
            request.complete(reason)

    def set_latest_frame(self, request: DetectionRequest) -> None:
        """Replace the frame of continuous detection."""
        if self._unavailable_reason(request.received) is None:
            self._queue.set_latest_frame(request)

    def step(self, now: float) -> float:
        """Do what is due at ``now`` [s]; return the steady time [s] of the next step without new events.

        The worker gets its next request before the last one is answered: answering may take as long as
        inference.
        """
        self._expire(now)
        outcome = self.manager.poll(now)
        done = self._in_flight
        if outcome is not None:
            self._in_flight = None
        try:
            while (
                self.manager.status.phase is WorkerPhase.IDLE and (request := self._queue.next()) is not None
            ):
                self._dispatch(request, now)
        finally:
            if outcome is not None:
                self._complete(done, outcome, now)
        current_due = (
            self._in_flight.request.deadline_time
            if self._in_flight and not self._in_flight.request.is_completed
            else NEVER
        )
        return min(self._queue.next_deadline, self.manager.wake_at, current_due)

    def on_defect(self, error: Exception, now: float) -> None:
        """Recover from an exception in `step` by dropping the worker and answering every request.

        Raises:
            SupervisionFailed: If there is no worker to drop.
        """
        lost = SupervisionFailed(error)
        if self.manager.connection is None:
            raise lost from error
        done, self._in_flight = self._in_flight, None
        self.manager.on_lost(lost, now)
        self._complete(done, lost, now)

    def stop(self) -> None:
        """Stop the worker and answer every request `NotActive`."""
        self.manager.close()
        reason = NotActive(self._rskill_id)
        if self._in_flight is not None:
            self._in_flight.request.complete(reason)
        self._queue.clear(reason)

    def _expire(self, now: float) -> None:
        self._queue.expire(now)
        if self._in_flight is not None and self._in_flight.request.deadline_time <= now:
            request = self._in_flight.request
            request.complete(DeadlineExceeded(request.deadline, "the model was running"))

    def _complete(
        self, done: _InFlight | None, outcome: Detected | Failed | OpenRALError, now: float
    ) -> None:
        if done is not None:
            done.request.complete(
                self._result(done, outcome) if isinstance(outcome, Detected) else _as_locate_error(outcome)
            )
        reason = self._unavailable_reason(now)
        if reason is not None:
            self._queue.clear(reason)

    def _result(self, current: _InFlight, reply: Detected) -> DetectionResult:
        worker_status = self.manager.status
        worker_status.answered += 1
        worker_status.inference_times.append(reply.inference_time)
        waited = current.dispatched - current.request.received
        return DetectionResult(current.image_set, reply.detections, waited, reply.inference_time)

    def _dispatch(self, request: DetectionRequest, now: float) -> None:
        """Send a request to the worker; answer it with an error if it has no usable frame.

        Exceptions of decoders and drivers fail this request only.
        """
        try:
            image_set = request.get_frame()
            lost = self.manager.dispatch(self._decode(image_set), request.terms, now)
        except LocateError as refusal:
            request.complete(refusal)
            return
        except Exception as error:
            request.complete(DetectorFailed(_describe(error)))
            return
        current = _InFlight(request, image_set, now)
        if lost is None:
            self._in_flight = current
        else:
            self._complete(current, lost, now)

    def _unavailable_reason(self, now: float) -> LocateError | None:
        """Return the error for requests at ``now`` [s, steady], or None if the model is loaded."""
        worker_status = self.manager.status
        if worker_status.phase in (WorkerPhase.LOADING, WorkerPhase.WAITING):
            return ModelLoading(self._rskill_id, worker_status.last_error or "starting")
        if worker_status.phase is WorkerPhase.STOPPED:
            return NotActive(self._rskill_id)
        if worker_status.phase is WorkerPhase.GAVE_UP:
            return WorkerUnavailable(worker_status.last_error, worker_status.next_start - now)
        return None


def _describe(error: Exception) -> str:
    return str(error) if isinstance(error, OpenRALError) else f"{type(error).__name__}: {error}"[:500]


def _as_locate_error(outcome: Failed | OpenRALError) -> LocateError:
    if isinstance(outcome, OpenRALError):
        return DetectorFailed(outcome)
    if outcome.kind is FailureKind.OUT_OF_MEMORY:
        return DetectorOutOfMemory(outcome.message)
    return DetectorFailed(outcome.message)
