"""Lifecycle of a worker by a clock of the test: start, load, loss, restart."""

from collections import deque
from pathlib import Path
from typing import cast

import pytest

from openral_core.backoff import CircuitBreaker
from openral_core.detectors import Health
from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import EngineFrame, FailureKind, LoadOptions
from openral_perception_ros.inference.ipc import Detected, EngineFailed, Load, Ready, Reply
from openral_perception_ros.inference.worker_manager import (
    NEVER,
    EventKind,
    LoadingAbandoned,
    ModelNotLoaded,
    SupervisionFailed,
    UnexpectedReply,
    WorkerEvent,
    WorkerLimits,
    WorkerManager,
    WorkerPhase,
)
from openral_perception_ros.inference.worker_process import (
    InferenceWorkerProcess,
    WorkerCrashed,
    WorkerTimedOut,
)

LIMITS = WorkerLimits(
    load=10.0, inference=2.0, restarts=CircuitBreaker(limit=1, first_delay=0.5, cool_down=60.0)
)
READY, DETECTED = Ready(("mug",), 0.1), Detected((), 0.1)
NO_MODEL = EngineFailed(FailureKind.MISSING_WEIGHTS, "no weights")
FRAME = EngineFrame({}, "head", 0, {})


class FakeWorker:
    """A worker whose replies the test writes."""

    pid = 7
    connection = None

    def __init__(self) -> None:
        self.replies: deque[Reply | OpenRALError] = deque()
        self.requests: list[object] = []
        self.is_closed = False

    def load(self, request: Load) -> None:
        self.requests.append(request)

    def detect(self, frame: EngineFrame, terms: tuple[str, ...] | None) -> None:
        self.requests.append(terms)

    def receive(self) -> Reply | None:
        reply = self.replies.popleft() if self.replies else None
        if isinstance(reply, OpenRALError):
            raise reply
        return reply

    def close(self) -> None:
        self.is_closed = True


class Supervised:
    """A manager with the workers it opened, and what it reported."""

    def __init__(self, manifest: DetectorManifest) -> None:
        self.workers: list[FakeWorker] = []
        self.startup: list[Ready | OpenRALError] = []
        self.events: list[WorkerEvent] = []
        load = Load(manifest, str(Path()), LoadOptions())
        self.manager = WorkerManager(self._open, load, LIMITS, self.startup.append, self.events.append)

    def _open(self) -> InferenceWorkerProcess:
        self.workers.append(FakeWorker())
        return cast("InferenceWorkerProcess", self.workers[-1])

    def reply(self, reply: Reply | OpenRALError, now: float) -> Detected | EngineFailed | OpenRALError | None:
        self.workers[-1].replies.append(reply)
        return self.manager.poll(now)


@pytest.fixture
def loading(manifest: DetectorManifest) -> Supervised:
    supervised = Supervised(manifest)
    supervised.manager.poll(0.0)
    return supervised


@pytest.fixture
def ready(loading: Supervised) -> Supervised:
    loading.reply(READY, 1.0)
    return loading


def test_the_first_poll_starts_a_worker_and_loads_the_model(loading: Supervised) -> None:
    assert [type(request) for request in loading.workers[0].requests] == [Load]
    assert (loading.manager.status.phase, loading.manager.wake_at) == (WorkerPhase.LOADING, LIMITS.load)


def test_a_loaded_worker_is_idle_and_reported_once(ready: Supervised) -> None:
    assert ready.startup == [READY]
    assert (ready.manager.status.phase, ready.manager.wake_at) == (WorkerPhase.IDLE, NEVER)
    assert not ready.events


def test_a_detection_is_returned_and_the_worker_idle_again(ready: Supervised) -> None:
    assert ready.manager.dispatch(FRAME, ("mug",), 3.0) is None
    assert (ready.manager.status.phase, ready.manager.wake_at) == (WorkerPhase.BUSY, 5.0)
    assert ready.reply(DETECTED, 4.0) is DETECTED
    assert ready.manager.status.phase is WorkerPhase.IDLE


def test_a_failed_detection_keeps_the_worker(ready: Supervised) -> None:
    ready.manager.dispatch(FRAME, None, 3.0)
    failed = EngineFailed(FailureKind.OUT_OF_MEMORY, "CUDA")
    assert ready.reply(failed, 4.0) is failed
    assert not ready.workers[0].is_closed


def test_a_model_that_does_not_load_ends_the_start_for_good(loading: Supervised) -> None:
    assert isinstance(loading.reply(NO_MODEL, 1.0), ModelNotLoaded)
    assert [type(outcome) for outcome in loading.startup] == [ModelNotLoaded]
    assert loading.manager.status.phase is WorkerPhase.DEGRADED
    loading.manager.poll(1e9)
    assert len(loading.workers) == 1


def test_a_worker_that_exceeds_its_limit_is_dropped(ready: Supervised) -> None:
    ready.manager.dispatch(FRAME, None, 3.0)
    assert ready.manager.poll(4.9) is None
    assert isinstance(ready.manager.poll(5.0), WorkerTimedOut)
    assert ready.workers[0].is_closed


@pytest.mark.parametrize("reply", [READY, DETECTED, NO_MODEL], ids=lambda reply: reply.type)
def test_an_idle_worker_that_replies_is_dropped(ready: Supervised, reply: Reply) -> None:
    assert isinstance(ready.reply(reply, 2.0), UnexpectedReply)
    assert ready.workers[0].is_closed


def test_a_lost_worker_is_restarted_after_the_delay_and_reported(ready: Supervised) -> None:
    ready.reply(WorkerCrashed(-9), 10.0)
    status = ready.manager.status
    assert (status.phase, status.health, status.restarts) == (WorkerPhase.WAITING, Health.RESTARTING, 1)
    ready.manager.poll(10.4)
    assert len(ready.workers) == 1
    ready.manager.poll(10.5)
    ready.reply(READY, 11.0)
    assert [event.kind for event in ready.events] == [EventKind.WORKER_LOST, EventKind.WORKER_RESTORED]
    assert status.health is Health.OK
    assert ready.startup == [READY]


def test_a_worker_lost_too_often_is_degraded_until_the_cool_down_ends(ready: Supervised) -> None:
    ready.reply(WorkerCrashed(1), 10.0)
    ready.manager.poll(10.5)
    ready.reply(WorkerCrashed(1), 11.0)
    assert ready.manager.status.phase is WorkerPhase.DEGRADED
    assert ready.manager.status.health is Health.DEGRADED
    assert ready.events[-1].kind is EventKind.WORKER_DEGRADED
    assert ready.manager.wake_at == 71.0
    ready.manager.poll(71.0)
    ready.reply(READY, 72.0)
    assert "probation" in ready.events[-1].message
    assert ready.manager.status.half_open
    ready.manager.dispatch(FRAME, None, 73.0)
    ready.reply(DETECTED, 74.0)
    assert not ready.manager.status.half_open


def test_a_worker_that_cannot_be_opened_is_a_loss(manifest: DetectorManifest) -> None:
    supervised = Supervised(manifest)

    def fail() -> InferenceWorkerProcess:
        raise OSError("too many open files")

    supervised.manager._open_worker = fail
    lost = supervised.manager.poll(0.0)
    assert isinstance(lost, SupervisionFailed)
    assert "too many open files" in str(lost)
    assert supervised.startup == [lost]


def test_closing_while_loading_abandons_the_start(loading: Supervised) -> None:
    loading.manager.close()
    assert [type(outcome) for outcome in loading.startup] == [LoadingAbandoned]
    assert loading.workers[0].is_closed
    assert loading.manager.status.phase is WorkerPhase.STOPPED


def test_without_a_worker_a_frame_is_not_dispatched(manifest: DetectorManifest) -> None:
    supervised = Supervised(manifest)
    assert supervised.manager.dispatch(FRAME, None, 0.0) is None
    assert supervised.manager.status.phase is WorkerPhase.LOADING
