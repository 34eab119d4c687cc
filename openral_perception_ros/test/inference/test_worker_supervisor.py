"""Lifecycle of a worker by a clock of the test, and real processes with the engine that fails on request."""

import dataclasses
import signal
from collections import deque
from collections.abc import Iterator
from multiprocessing.connection import wait
from pathlib import Path
from typing import cast

import psutil
import pytest

from openral_core.backoff import CircuitBreaker
from openral_core.detectors import Health
from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import EngineFrame, FailureKind, LoadOptions
from openral_perception_ros.inference.errors import (
    LoadingAbandoned,
    ModelNotLoaded,
    SupervisionFailed,
    UnexpectedReply,
    WorkerCrashed,
    WorkerNotStarted,
    WorkerTimedOut,
)
from openral_perception_ros.inference.ipc import (
    Detected,
    EngineFailed,
    Load,
    Ready,
    Reply,
    SharedFrameBuffer,
)
from openral_perception_ros.inference.worker_command import worker_command
from openral_perception_ros.inference.worker_supervisor import (
    NEVER,
    EventKind,
    InferenceWorkerProcess,
    WorkerEvent,
    WorkerLimits,
    WorkerPhase,
    WorkerSupervisor,
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
    """A supervisor with the workers it opened, and what it reported."""

    def __init__(self, manifest: DetectorManifest) -> None:
        self.workers: list[FakeWorker] = []
        self.startup: list[Ready | OpenRALError] = []
        self.events: list[WorkerEvent] = []
        load = Load(manifest, str(Path()), LoadOptions())
        self.supervisor = WorkerSupervisor(self._open, load, LIMITS, self.startup.append, self.events.append)

    def _open(self) -> InferenceWorkerProcess:
        self.workers.append(FakeWorker())
        return cast("InferenceWorkerProcess", self.workers[-1])

    def reply(self, reply: Reply | OpenRALError, now: float) -> Detected | EngineFailed | OpenRALError | None:
        self.workers[-1].replies.append(reply)
        return self.supervisor.poll(now)


@pytest.fixture
def loading(manifest: DetectorManifest) -> Supervised:
    supervised = Supervised(manifest)
    supervised.supervisor.poll(0.0)
    return supervised


@pytest.fixture
def ready(loading: Supervised) -> Supervised:
    loading.reply(READY, 1.0)
    return loading


def test_the_first_poll_starts_a_worker_and_loads_the_model(loading: Supervised) -> None:
    assert [type(request) for request in loading.workers[0].requests] == [Load]
    assert (loading.supervisor.status.phase, loading.supervisor.wake_at) == (WorkerPhase.LOADING, LIMITS.load)


def test_a_loaded_worker_is_idle_and_reported_once(ready: Supervised) -> None:
    assert ready.startup == [READY]
    assert (ready.supervisor.status.phase, ready.supervisor.wake_at) == (WorkerPhase.IDLE, NEVER)
    assert not ready.events


def test_a_detection_is_returned_and_the_worker_idle_again(ready: Supervised) -> None:
    assert ready.supervisor.dispatch(FRAME, ("mug",), 3.0) is None
    assert (ready.supervisor.status.phase, ready.supervisor.wake_at) == (WorkerPhase.BUSY, 5.0)
    assert ready.reply(DETECTED, 4.0) is DETECTED
    assert ready.supervisor.status.phase is WorkerPhase.IDLE


def test_a_failed_detection_keeps_the_worker(ready: Supervised) -> None:
    ready.supervisor.dispatch(FRAME, None, 3.0)
    failed = EngineFailed(FailureKind.OUT_OF_MEMORY, "CUDA")
    assert ready.reply(failed, 4.0) is failed
    assert not ready.workers[0].is_closed


def test_a_model_that_does_not_load_ends_the_start_for_good(loading: Supervised) -> None:
    assert isinstance(loading.reply(NO_MODEL, 1.0), ModelNotLoaded)
    assert [type(outcome) for outcome in loading.startup] == [ModelNotLoaded]
    assert loading.supervisor.status.phase is WorkerPhase.DEGRADED
    loading.supervisor.poll(1e9)
    assert len(loading.workers) == 1


def test_a_worker_that_exceeds_its_limit_is_dropped(ready: Supervised) -> None:
    ready.supervisor.dispatch(FRAME, None, 3.0)
    assert ready.supervisor.poll(4.9) is None
    assert isinstance(ready.supervisor.poll(5.0), WorkerTimedOut)
    assert ready.workers[0].is_closed


@pytest.mark.parametrize("reply", [READY, DETECTED, NO_MODEL], ids=lambda reply: reply.type)
def test_an_idle_worker_that_replies_is_dropped(ready: Supervised, reply: Reply) -> None:
    assert isinstance(ready.reply(reply, 2.0), UnexpectedReply)
    assert ready.workers[0].is_closed


def test_a_lost_worker_is_restarted_after_the_delay_and_reported(ready: Supervised) -> None:
    ready.reply(WorkerCrashed(-9), 10.0)
    status = ready.supervisor.status
    assert (status.phase, status.health, status.restarts) == (WorkerPhase.WAITING, Health.RESTARTING, 1)
    ready.supervisor.poll(10.4)
    assert len(ready.workers) == 1
    ready.supervisor.poll(10.5)
    ready.reply(READY, 11.0)
    assert [event.kind for event in ready.events] == [EventKind.WORKER_LOST, EventKind.WORKER_RESTORED]
    assert status.health is Health.OK
    assert ready.startup == [READY]


def test_a_worker_lost_too_often_is_degraded_until_the_cool_down_ends(ready: Supervised) -> None:
    ready.reply(WorkerCrashed(1), 10.0)
    ready.supervisor.poll(10.5)
    ready.reply(WorkerCrashed(1), 11.0)
    assert ready.supervisor.status.phase is WorkerPhase.DEGRADED
    assert ready.supervisor.status.health is Health.DEGRADED
    assert ready.events[-1].kind is EventKind.WORKER_DEGRADED
    assert ready.supervisor.wake_at == 71.0
    ready.supervisor.poll(71.0)
    ready.reply(READY, 72.0)
    assert "probation" in ready.events[-1].message
    assert ready.supervisor.status.half_open
    ready.supervisor.dispatch(FRAME, None, 73.0)
    ready.reply(DETECTED, 74.0)
    assert not ready.supervisor.status.half_open


def test_a_worker_that_cannot_be_opened_is_a_loss(manifest: DetectorManifest) -> None:
    supervised = Supervised(manifest)

    def fail() -> InferenceWorkerProcess:
        raise OSError("too many open files")

    supervised.supervisor._open_worker = fail
    lost = supervised.supervisor.poll(0.0)
    assert isinstance(lost, SupervisionFailed)
    assert "too many open files" in str(lost)
    assert supervised.startup == [lost]


def test_closing_while_loading_abandons_the_start(loading: Supervised) -> None:
    loading.supervisor.close()
    assert [type(outcome) for outcome in loading.startup] == [LoadingAbandoned]
    assert loading.workers[0].is_closed
    assert loading.supervisor.status.phase is WorkerPhase.STOPPED


def test_without_a_worker_a_frame_is_not_dispatched(manifest: DetectorManifest) -> None:
    supervised = Supervised(manifest)
    assert supervised.supervisor.dispatch(FRAME, None, 0.0) is None
    assert supervised.supervisor.status.phase is WorkerPhase.LOADING


FAULTY = "openral_testing.detectors.faulty_worker"
PATIENCE = 20.0


def answer_of(worker: InferenceWorkerProcess) -> Reply:
    while wait([worker.connection], PATIENCE):
        reply = worker.receive()
        if reply is not None:
            return reply
    pytest.fail("no answer")


def started(manifest: DetectorManifest, folder: Path, **options: str) -> InferenceWorkerProcess:
    command = worker_command(manifest, Path("none"), FAULTY)
    worker = InferenceWorkerProcess(command.line, command.variables)
    worker.load(Load(manifest.model_copy(update={"options": options}), str(folder), LoadOptions()))
    return worker


@pytest.fixture
def worker(manifest: DetectorManifest, folder: Path) -> Iterator[InferenceWorkerProcess]:
    process = started(manifest, folder)
    assert isinstance(answer_of(process), Ready)
    yield process
    process.close()


def test_it_answers_what_was_asked(worker: InferenceWorkerProcess, scene: EngineFrame) -> None:
    worker.detect(scene, ("mug", "bread"))
    reply = answer_of(worker)
    assert isinstance(reply, Detected)
    assert [each.label for each in reply.detections] == ["mug", "bread"]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("nan", FailureKind.BAD_DETECTIONS),
        ("sure", FailureKind.BAD_DETECTIONS),
        ("break", FailureKind.ENGINE_ERROR),
        ("refuse", FailureKind.OUT_OF_MEMORY),
        ("allocate", FailureKind.OUT_OF_MEMORY),
    ],
)
def test_a_broken_answer_is_a_typed_failure_and_the_worker_serves_on(
    worker: InferenceWorkerProcess, scene: EngineFrame, fault: str, kind: FailureKind
) -> None:
    worker.detect(scene, (fault,))
    failed = answer_of(worker)
    assert isinstance(failed, EngineFailed)
    assert failed.kind is kind
    worker.detect(scene, ("mug",))
    assert isinstance(answer_of(worker), Detected)


def test_a_frame_asked_about_twice_is_copied_once(
    worker: InferenceWorkerProcess, scene: EngineFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[object] = []
    write = SharedFrameBuffer.write
    monkeypatch.setattr(SharedFrameBuffer, "write", lambda *given: written.append(given[1]) or write(*given))
    later = dataclasses.replace(scene, stamp=scene.stamp + 1)
    for frame in (scene, scene, later, scene):
        worker.detect(frame, ("mug",))
        assert isinstance(answer_of(worker), Detected)
    assert len(written) == 3


def test_boxes_are_cut_to_the_image(worker: InferenceWorkerProcess, scene: EngineFrame) -> None:
    worker.detect(scene, ("outside",))
    reply = answer_of(worker)
    assert isinstance(reply, Detected)
    (box,) = (each.box for each in reply.detections)
    assert (box.x_min, box.y_min, box.x_max, box.y_max) == (0.0, 0.0, 30.0, 20.0)


@pytest.mark.parametrize(("fault", "words"), [("die", "SIGKILL"), ("leave", "exit code 3")])
def test_a_worker_that_ends_says_how(
    worker: InferenceWorkerProcess, scene: EngineFrame, fault: str, words: str
) -> None:
    worker.detect(scene, (fault,))
    with pytest.raises(WorkerCrashed, match=words):
        answer_of(worker)


def test_a_dead_worker_cannot_be_asked(worker: InferenceWorkerProcess, scene: EngineFrame) -> None:
    psutil.Process(worker.pid).kill()
    wait([worker.connection], PATIENCE)
    with pytest.raises(WorkerCrashed, match="SIGKILL"):
        worker.detect(scene, ("mug",))


def test_closing_ends_even_one_that_hangs(worker: InferenceWorkerProcess, scene: EngineFrame) -> None:
    worker.detect(scene, ("hang",))
    assert worker.close() == -signal.SIGKILL
    assert not psutil.pid_exists(worker.pid)


def test_missing_weights_name_the_command_to_run(manifest: DetectorManifest, folder: Path) -> None:
    worker = started(manifest, folder, load="missing_weights")
    failed = answer_of(worker)
    worker.close()
    assert isinstance(failed, EngineFailed)
    assert failed.kind is FailureKind.MISSING_WEIGHTS
    assert f"openral weights fetch {manifest.id}" in failed.message


def test_an_interpreter_that_is_not_there_is_named() -> None:
    with pytest.raises(WorkerNotStarted, match="/none/python"):
        InferenceWorkerProcess(["/none/python"], {})


def test_descriptors_do_not_pile_up(manifest: DetectorManifest, folder: Path, scene: EngineFrame) -> None:
    def opened() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    counts = []
    for _ in range(3):
        process = started(manifest, folder)
        answer_of(process)
        process.detect(scene, ("mug",))
        answer_of(process)
        process.close()
        counts.append(opened())
    assert counts[0] == counts[-1]
