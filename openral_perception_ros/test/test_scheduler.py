"""Scheduling of requests to a worker, by a clock of the test."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Never, cast

import pytest

from openral_core.errors import OpenRALError
from openral_perception_ros.camera_images import ImageSet
from openral_perception_ros.camera_schedule import CameraLimit
from openral_perception_ros.engines import EngineFrame, FailureKind
from openral_perception_ros.inference.errors import SupervisionFailed, WorkerCrashed
from openral_perception_ros.inference.ipc import Detected, EngineFailed
from openral_perception_ros.inference.worker_supervisor import (
    NEVER,
    WorkerPhase,
    WorkerStatus,
    WorkerSupervisor,
)
from openral_perception_ros.locate_errors import (
    BlankFrame,
    DeadlineExceeded,
    DetectorError,
    DetectorOutOfMemory,
    LocateError,
    ModelLoading,
    NotActive,
    QueueFull,
    WorkerUnavailable,
)
from openral_perception_ros.scheduler import (
    DetectionRequest,
    DetectionResult,
    RequestQueue,
    RequestScheduler,
)

HEAD = {"head": CameraLimit(10.0)}
FRAME = EngineFrame({}, "head", 0, {})
IMAGES = ImageSet("head", 0, "camera", 0.0, {})


class FakeManager:
    """A supervisor that is idle at once and returns the outcome that the test sets."""

    def __init__(self) -> None:
        self.status = WorkerStatus(phase=WorkerPhase.IDLE)
        self.wake_at = NEVER
        self.connection: object = SimpleNamespace()
        self.dispatched: list[tuple[str, ...] | None] = []
        self.outcome: Detected | EngineFailed | OpenRALError | None = None
        self.lost: list[OpenRALError] = []

    def poll(self, now: float) -> Detected | EngineFailed | OpenRALError | None:
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
        queue = RequestQueue(2, HEAD)
        self.scheduler = RequestScheduler(
            cast("WorkerSupervisor", self.worker), queue, lambda images: FRAME, "small"
        )

    def request(
        self, name: str, received: float = 0.0, error: Exception | None = None, deadline: float = 5.0
    ) -> DetectionRequest:
        def frame() -> ImageSet:
            if error is not None:
                raise error
            return IMAGES

        return DetectionRequest(
            frame,
            (name,),
            received,
            deadline,
            lambda outcome: self.outcomes.update({name: outcome}),
            "head",
        )

    def submit(self, *names: str) -> None:
        for name in names:
            self.scheduler.submit(self.request(name))

    def reply(self, outcome: Detected | EngineFailed | OpenRALError, now: float) -> None:
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
    scheduled.scheduler.submit(scheduled.request("stream", deadline=NEVER))
    scheduled.submit("asked")
    scheduled.scheduler.step(0.0)
    scheduled.reply(Detected((), 0.1), 1.0)
    assert scheduled.worker.dispatched == [("asked",), ("stream",)]


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (EngineFailed(FailureKind.OUT_OF_MEMORY, "CUDA"), DetectorOutOfMemory),
        (EngineFailed(FailureKind.ENGINE_ERROR, "odd"), DetectorError),
        (WorkerCrashed(-9), DetectorError),
    ],
)
def test_a_failure_answers_its_own_request_only(
    scheduled: Scheduled, outcome: EngineFailed | OpenRALError, error: type
) -> None:
    scheduled.submit("first", "second")
    scheduled.scheduler.step(0.0)
    scheduled.reply(outcome, 1.0)
    assert {name: type(answer) for name, answer in scheduled.outcomes.items()} == {"first": error}


@pytest.mark.parametrize(
    ("error", "expected"), [(BlankFrame("head"), BlankFrame), (OSError("driver"), DetectorError)]
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
        (WorkerPhase.DEGRADED, WorkerUnavailable),
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
        "first": DetectorError,
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


MakeLook = Callable[..., DetectionRequest]
Outcomes = dict[str, object]


@pytest.fixture
def outcomes() -> Outcomes:
    return {}


@pytest.fixture
def look(outcomes: Outcomes) -> MakeLook:
    def make(
        name: str, received: float = 0.0, deadline: float = 5.0, camera: str = "head"
    ) -> DetectionRequest:
        return DetectionRequest(
            _no_frame, (name,), received, deadline, lambda outcome: outcomes.update({name: outcome}), camera
        )

    return make


def _no_frame() -> Never:
    raise AssertionError("no frame is taken while waiting")


def served(queue: RequestQueue) -> list[str]:
    return [look.terms[0] for look in iter(lambda: queue.next(0.0), None)]


def test_requests_go_before_the_stream_in_order_of_arrival(look: MakeLook) -> None:
    queue = RequestQueue(4, HEAD)
    queue.enqueue(look("stream", deadline=NEVER))
    for name in ("first", "second"):
        queue.enqueue(look(name))
    assert served(queue) == ["first", "second", "stream"]


def test_the_stream_keeps_only_the_newest_frame_of_each_camera_and_counts_the_others(
    look: MakeLook, outcomes: Outcomes
) -> None:
    queue = RequestQueue(1, {**HEAD, "wrist": CameraLimit(10.0)})
    for name in ("old", "older", "new"):
        queue.enqueue(look(name, deadline=NEVER))
    queue.enqueue(look("of the wrist", deadline=NEVER, camera="wrist"))
    assert served(queue) == ["new", "of the wrist"]
    assert queue.dropped_frames == 2


def test_one_more_than_the_line_holds_is_told_so_at_once(look: MakeLook, outcomes: Outcomes) -> None:
    queue = RequestQueue(1)
    queue.enqueue(look("waits"))
    queue.enqueue(look("refused"))
    assert isinstance(outcomes["refused"], QueueFull)
    assert "waits" not in outcomes
    assert (len(queue), queue.refused_requests) == (1, 1)


def test_who_waits_past_the_deadline_is_told(look: MakeLook, outcomes: Outcomes) -> None:
    queue = RequestQueue(4)
    queue.enqueue(look("short", deadline=1.0))
    queue.enqueue(look("long", deadline=9.0))
    assert queue.next_deadline == 1.0
    queue.expire(1.0)
    assert isinstance(outcomes["short"], DeadlineExceeded)
    assert served(queue) == ["long"]


def test_clearing_tells_everyone(look: MakeLook, outcomes: Outcomes) -> None:
    queue = RequestQueue(4, HEAD)
    queue.enqueue(look("a"))
    queue.enqueue(look("stream", deadline=NEVER))
    queue.clear(NotActive("x"))
    assert isinstance(outcomes["a"], NotActive)
    assert queue.next(0.0) is None


def test_a_look_is_answered_once(look: MakeLook, outcomes: Outcomes) -> None:
    one = look("one")
    one.complete(NotActive("x"))
    one.complete(QueueFull(1))
    assert isinstance(outcomes["one"], NotActive)
