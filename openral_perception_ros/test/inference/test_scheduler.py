"""Scheduling of requests to a worker, by a clock of the test."""

from types import SimpleNamespace
from typing import cast

import pytest

from openral_core.errors import OpenRALError
from openral_perception_ros.engines import EngineFrame, FailureKind
from openral_perception_ros.image_cache import ImageSet
from openral_perception_ros.inference.protocol import Detected, Failed
from openral_perception_ros.inference.scheduler import RequestScheduler
from openral_perception_ros.inference.status import WorkerPhase, WorkerStatus
from openral_perception_ros.inference.worker_manager import NEVER, SupervisionFailed, WorkerManager
from openral_perception_ros.inference.worker_process import WorkerCrashed
from openral_perception_ros.locate.errors import (
    BlankFrame,
    DeadlineExceeded,
    DetectorFailed,
    DetectorOutOfMemory,
    LocateError,
    ModelLoading,
    NotActive,
    QueueFull,
    WorkerUnavailable,
)
from openral_perception_ros.locate.queue import DetectionRequest, DetectionResult, RequestQueue

FRAME = EngineFrame({}, "head", 0, {})
IMAGES = ImageSet("head", 0, "camera", 0.0, {})


class FakeManager:
    """A manager that is idle at once and returns the outcome that the test sets."""

    def __init__(self) -> None:
        self.status = WorkerStatus(phase=WorkerPhase.IDLE)
        self.wake_at = NEVER
        self.connection: object = SimpleNamespace()
        self.dispatched: list[tuple[str, ...] | None] = []
        self.outcome: Detected | Failed | OpenRALError | None = None
        self.lost: list[OpenRALError] = []

    def poll(self, now: float) -> Detected | Failed | OpenRALError | None:
        outcome, self.outcome = self.outcome, None
        if outcome is not None:
            self.status.phase = WorkerPhase.IDLE
        return outcome

    def dispatch(self, frame: EngineFrame, terms: tuple[str, ...] | None, now: float) -> None:
        self.dispatched.append(terms)
        self.status.phase = WorkerPhase.BUSY

    def on_lost(self, error: OpenRALError, now: float) -> None:
        self.lost.append(error)
        self.status.phase = WorkerPhase.WAITING

    def close(self) -> None:
        self.status.phase = WorkerPhase.STOPPED


class Scheduled:
    """A scheduler, its worker, and the outcome of each request by name."""

    def __init__(self) -> None:
        self.worker = FakeManager()
        self.outcomes: dict[str, object] = {}
        queue = RequestQueue(2)
        self.scheduler = RequestScheduler(
            cast("WorkerManager", self.worker), queue, lambda images: FRAME, "small"
        )

    def request(
        self, name: str, received: float = 0.0, error: Exception | None = None, deadline: float = 5.0
    ) -> DetectionRequest:
        def frame() -> ImageSet:
            if error is not None:
                raise error
            return IMAGES

        return DetectionRequest(
            frame, (name,), received, deadline, lambda outcome: self.outcomes.update({name: outcome})
        )

    def submit(self, *names: str) -> None:
        for name in names:
            self.scheduler.submit(self.request(name))

    def reply(self, outcome: Detected | Failed | OpenRALError, now: float) -> None:
        self.worker.outcome = outcome
        self.scheduler.step(now)


@pytest.fixture
def scheduled() -> Scheduled:
    return Scheduled()


def test_requests_are_served_one_at_a_time_in_order(scheduled: Scheduled) -> None:
    scheduled.submit("first", "second")
    scheduled.scheduler.step(0.5)
    assert scheduled.worker.dispatched == [("first",)]
    scheduled.reply(Detected((), 0.2), 1.0)
    assert scheduled.worker.dispatched == [("first",), ("second",)]
    assert scheduled.outcomes == {"first": DetectionResult(IMAGES, (), 0.5, 0.2)}
    assert scheduled.worker.status.answered == 1


def test_a_streamed_frame_waits_for_the_requests(scheduled: Scheduled) -> None:
    scheduled.scheduler.set_latest_frame(scheduled.request("stream"))
    scheduled.submit("asked")
    scheduled.scheduler.step(0.0)
    scheduled.reply(Detected((), 0.1), 1.0)
    assert scheduled.worker.dispatched == [("asked",), ("stream",)]


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (Failed(FailureKind.OUT_OF_MEMORY, "CUDA"), DetectorOutOfMemory),
        (Failed(FailureKind.ENGINE_ERROR, "odd"), DetectorFailed),
        (WorkerCrashed(-9), DetectorFailed),
    ],
)
def test_a_failure_answers_its_own_request_only(
    scheduled: Scheduled, outcome: Failed | OpenRALError, error: type
) -> None:
    scheduled.submit("first", "second")
    scheduled.scheduler.step(0.0)
    scheduled.reply(outcome, 1.0)
    assert {name: type(answer) for name, answer in scheduled.outcomes.items()} == {"first": error}


@pytest.mark.parametrize(
    ("error", "expected"), [(BlankFrame("head"), BlankFrame), (OSError("driver"), DetectorFailed)]
)
def test_a_request_without_a_usable_frame_does_not_reach_the_worker(
    scheduled: Scheduled, error: Exception, expected: type
) -> None:
    scheduled.scheduler.submit(scheduled.request("blank", error=error))
    scheduled.submit("good")
    scheduled.scheduler.step(0.0)
    assert isinstance(scheduled.outcomes["blank"], expected)
    assert scheduled.worker.dispatched == [("good",)]


def test_a_request_past_its_deadline_is_answered_while_the_model_runs(scheduled: Scheduled) -> None:
    scheduled.submit("running", "waiting")
    assert scheduled.scheduler.step(0.0) == 5.0
    scheduled.scheduler.step(5.0)
    assert {name: type(answer) for name, answer in scheduled.outcomes.items()} == {
        "running": DeadlineExceeded,
        "waiting": DeadlineExceeded,
    }
    scheduled.reply(Detected((), 6.0), 6.0)
    assert isinstance(scheduled.outcomes["running"], DeadlineExceeded)


def test_an_idle_scheduler_waits_for_an_event(scheduled: Scheduled) -> None:
    assert scheduled.scheduler.step(0.0) == NEVER


def test_a_full_queue_refuses_the_request_that_does_not_fit(scheduled: Scheduled) -> None:
    scheduled.submit("first", "second", "third")
    assert [(name, type(answer)) for name, answer in scheduled.outcomes.items()] == [("third", QueueFull)]


@pytest.mark.parametrize(
    ("phase", "error"),
    [
        (WorkerPhase.LOADING, ModelLoading),
        (WorkerPhase.WAITING, ModelLoading),
        (WorkerPhase.STOPPED, NotActive),
        (WorkerPhase.GAVE_UP, WorkerUnavailable),
    ],
)
def test_without_a_model_a_request_is_answered_at_once(
    scheduled: Scheduled, phase: WorkerPhase, error: type[LocateError]
) -> None:
    scheduled.worker.status.phase = phase
    scheduled.submit("asked")
    assert type(scheduled.outcomes["asked"]) is error


def test_a_defect_drops_the_worker_and_answers_every_request(scheduled: Scheduled) -> None:
    scheduled.submit("first", "second")
    scheduled.scheduler.step(0.0)
    scheduled.scheduler.on_defect(ValueError("defect"), 1.0)
    assert [type(lost) for lost in scheduled.worker.lost] == [SupervisionFailed]
    assert {name: type(answer) for name, answer in scheduled.outcomes.items()} == {
        "first": DetectorFailed,
        "second": ModelLoading,
    }


def test_a_defect_without_a_worker_is_raised(scheduled: Scheduled) -> None:
    scheduled.worker.connection = None
    with pytest.raises(SupervisionFailed, match="defect"):
        scheduled.scheduler.on_defect(ValueError("defect"), 1.0)


def test_stopping_answers_the_running_and_the_waiting_request(scheduled: Scheduled) -> None:
    scheduled.submit("running", "waiting")
    scheduled.scheduler.step(0.0)
    scheduled.scheduler.stop()
    assert {name: type(answer) for name, answer in scheduled.outcomes.items()} == {
        "running": NotActive,
        "waiting": NotActive,
    }
