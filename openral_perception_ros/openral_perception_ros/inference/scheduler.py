"""Serves looks, one at a time, with whatever worker is there."""

from collections.abc import Callable
from dataclasses import dataclass

from openral_core.errors import OpenRALError
from openral_perception_ros.engines import EngineFrame, FailureKind
from openral_perception_ros.image_cache import ImageSet
from openral_perception_ros.inference.protocol import Detected, Failed
from openral_perception_ros.inference.status import WorkerPhase
from openral_perception_ros.inference.worker_manager import NEVER, SupervisionBroke, WorkerManager
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
    """The look the worker is at."""

    look: DetectionRequest
    shot: ImageSet
    dispatched: float


class RequestScheduler:
    """Belongs to one thread, which calls `step` whenever something may have changed."""

    def __init__(self, keeper: WorkerManager, line: RequestQueue, decode: Decode, rskill_id: str) -> None:
        self.keeper = keeper
        self._line = line
        self._decode = decode
        self._rskill_id = rskill_id
        self._current: _InFlight | None = None

    def submit(self, look: DetectionRequest) -> None:
        """A request: waits for its turn, or is answered at once when no model is there."""
        absence = self._absence(look.received)
        if absence is None:
            self._line.join(look)
        else:
            look.end(absence)

    def offer(self, look: DetectionRequest) -> None:
        """The continuous leg's newest frame."""
        if self._absence(look.received) is None:
            self._line.offer(look)

    def step(self, now: float) -> float:
        """Do what is due at ``now``; steady time [s] of the next step if nothing happens before.

        The worker gets its next look before the last one is answered, which takes as long as some models do.
        """
        self._expire(now)
        outcome = self.keeper.poll(now)
        done = self._current
        if outcome is not None:
            self._current = None
        try:
            while self.keeper.vitals.phase is WorkerPhase.IDLE and (look := self._line.next()) is not None:
                self._dispatch(look, now)
        finally:
            if outcome is not None:
                self._answer(done, outcome, now)
        current_due = self._current.look.due if self._current and not self._current.look.ended else NEVER
        return min(self._line.next_due, self.keeper.wake_at, current_due)

    def broke(self, error: Exception, now: float) -> None:
        """After a defect in `step`: the worker is given up for it and everyone who waits is answered.

        Raises:
            SupervisionBroke: If there is no worker whose end could mend it.
        """
        lost = SupervisionBroke(error)
        if self.keeper.connection is None:
            raise lost from error
        done, self._current = self._current, None
        self.keeper.lose(lost, now)
        self._answer(done, lost, now)

    def stop(self) -> None:
        """End the worker; everyone who waits is told that the node is inactive."""
        self.keeper.close()
        reason = NotActive(self._rskill_id)
        if self._current is not None:
            self._current.look.end(reason)
        self._line.clear(reason)

    def _expire(self, now: float) -> None:
        self._line.expire(now)
        if self._current is not None and self._current.look.due <= now:
            look = self._current.look
            look.end(DeadlineExceeded(look.deadline, "with the model"))

    def _answer(self, done: _InFlight | None, outcome: Detected | Failed | OpenRALError, now: float) -> None:
        if done is not None:
            done.look.end(self._seen(done, outcome) if isinstance(outcome, Detected) else _refusal(outcome))
        absence = self._absence(now)
        if absence is not None:
            self._line.clear(absence)

    def _seen(self, current: _InFlight, reply: Detected) -> DetectionResult:
        vitals = self.keeper.vitals
        vitals.answered += 1
        vitals.inference_times.append(reply.inference_time)
        waited = current.dispatched - current.look.received
        return DetectionResult(current.shot, reply.detections, waited, reply.inference_time)

    def _dispatch(self, look: DetectionRequest, now: float) -> None:
        """Give the worker a look; one without a usable frame is answered instead.

        Cameras and codecs are others' code: whatever they raise costs this look alone.
        """
        try:
            shot = look.take()
            lost = self.keeper.hand(self._decode(shot), look.terms, now)
        except LocateError as refusal:
            look.end(refusal)
            return
        except Exception as error:
            look.end(DetectorFailed(_words(error)))
            return
        current = _InFlight(look, shot, now)
        if lost is None:
            self._current = current
        else:
            self._answer(current, lost, now)

    def _absence(self, now: float) -> LocateError | None:
        """Why nobody can be served at ``now`` [s, steady]."""
        vitals = self.keeper.vitals
        if vitals.phase in (WorkerPhase.LOADING, WorkerPhase.WAITING):
            return ModelLoading(self._rskill_id, vitals.last_error or "starting")
        if vitals.phase is WorkerPhase.STOPPED:
            return NotActive(self._rskill_id)
        if vitals.phase is WorkerPhase.GAVE_UP:
            return WorkerUnavailable(vitals.last_error, vitals.next_start - now)
        return None


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, OpenRALError) else f"{type(error).__name__}: {error}"[:500]


def _refusal(outcome: Failed | OpenRALError) -> LocateError:
    if isinstance(outcome, OpenRALError):
        return DetectorFailed(outcome)
    if outcome.kind is FailureKind.OUT_OF_MEMORY:
        return DetectorOutOfMemory(outcome.message)
    return DetectorFailed(outcome.message)
