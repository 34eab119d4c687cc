"""A streaming detector that is switched off and on while pictures come, on a busy machine."""

import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue
from threading import Event

import psutil
import pytest

from openral_core.backoff import CircuitBreaker
from openral_core.detectors import Health, LocateStatus
from openral_perception_ros.camera_images import ImageSet
from openral_perception_ros.detector import load_detector
from openral_perception_ros.engines import LoadOptions
from openral_perception_ros.inference.errors import ModelNotLoaded, WorkerTimedOut
from openral_perception_ros.inference.worker_supervisor import (
    EventKind,
    WorkerEvent,
    WorkerLimits,
    WorkerPhase,
)
from openral_perception_ros.locate_errors import LocateError
from openral_perception_ros.scheduler import DetectionRequest, DetectionResult, RequestOutcome
from openral_perception_ros.scheduler_thread import SupervisedWorker
from openral_testing.detectors.activation_cycles import toggle
from openral_testing.detectors.running_node import RunningNode, running_node
from openral_testing.detectors.scenes import golden
from openral_testing.detectors.subject import LoadSetting

pytest.importorskip("openral_msgs")

TIMES = 8
pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def busy() -> Iterator[None]:
    """Other processes use the processor too, so that threads are interrupted anywhere."""
    burner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    yield
    burner.kill()
    burner.wait()


@pytest.fixture
def node(rskills: Path, tmp_path: Path) -> Iterator[RunningNode]:
    detector = load_detector(str(rskills / "sim-groundtruth"), [], ("head",), is_default=False)
    with running_node(detector, LoadSetting(Path(".environments"), LoadOptions()), tmp_path) as made:
        yield made


@pytest.mark.slow
@pytest.mark.usefixtures("busy")
def test_a_streaming_detector_survives_being_switched_off_and_on(node: RunningNode, rskills: Path) -> None:
    sensors = load_detector(
        str(rskills / "sim-groundtruth"), [], ("head",), is_default=False
    ).manifest.sensors
    toggle(node, golden("kitchen_counter", sensors, "head"), TIMES)
    assert not node.ended


TRIED = WorkerLimits(
    load=20.0, inference=1.0, restarts=CircuitBreaker(limit=0, cool_down=0.2, max_cooldown=0.4)
)
SHOT = ImageSet("head", 0, "optical", 0.0, {})
Start = Callable[..., SupervisedWorker]


def ask(
    supervised: SupervisedWorker,
    *terms: str,
    deadline: float = 10.0,
    take: Callable[[], ImageSet] = lambda: SHOT,
) -> "Queue[RequestOutcome]":
    answers: Queue[RequestOutcome] = Queue()
    supervised.thread.submit(DetectionRequest(take, terms, time.monotonic(), deadline, answers.put))
    return answers


def status_of(answers: "Queue[RequestOutcome]") -> LocateStatus:
    outcome = answers.get(timeout=20.0)
    assert isinstance(outcome, LocateError)
    return outcome.status


def test_looks_are_answered(supervised: SupervisedWorker) -> None:
    outcome = ask(supervised, "mug").get(timeout=5.0)
    assert isinstance(outcome, DetectionResult)
    assert [detection.label for detection in outcome.detections] == ["mug"]


def test_the_worker_has_its_next_look_before_the_last_is_answered(supervised: SupervisedWorker) -> None:
    phases: Queue[WorkerPhase] = Queue()
    for term in ("slow", "mug"):
        look = DetectionRequest(
            lambda: SHOT, (term,), time.monotonic(), 10.0, lambda _: phases.put(supervised.status.phase)
        )
        supervised.thread.submit(look)
    assert [phases.get(timeout=20.0) for _ in range(2)] == [WorkerPhase.BUSY, WorkerPhase.IDLE]


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("break", LocateStatus.DETECTOR_ERROR),
        ("nan", LocateStatus.DETECTOR_ERROR),
        ("refuse", LocateStatus.OUT_OF_MEMORY),
    ],
)
def test_a_failure_of_the_model_is_the_answer_to_its_look_alone(
    supervised: SupervisedWorker, fault: str, status: LocateStatus
) -> None:
    failing, following = ask(supervised, fault), ask(supervised, "mug")
    assert status_of(failing) is status
    assert isinstance(following.get(timeout=5.0), DetectionResult)


@pytest.mark.parametrize("fault", ["die", "leave", "hang"])
def test_a_lost_worker_costs_one_look_and_comes_back(
    supervised: SupervisedWorker, events: "Queue[WorkerEvent]", fault: str
) -> None:
    first = supervised.status.pid
    assert status_of(ask(supervised, fault)) is LocateStatus.DETECTOR_ERROR
    assert events.get(timeout=5.0).kind is EventKind.WORKER_LOST
    assert status_of(ask(supervised, "mug")) is LocateStatus.LOADING
    assert events.get(timeout=20.0).kind is EventKind.WORKER_RESTORED
    assert isinstance(ask(supervised, "mug").get(timeout=5.0), DetectionResult)
    assert not psutil.pid_exists(first)
    assert supervised.status.restarts == 1


def test_a_worker_killed_while_idle_is_noticed_and_restarted(
    supervised: SupervisedWorker, events: "Queue[WorkerEvent]"
) -> None:
    psutil.Process(supervised.status.pid).kill()
    assert "SIGKILL" in events.get(timeout=5.0).message
    assert events.get(timeout=20.0).kind is EventKind.WORKER_RESTORED


def test_a_worker_lost_too_often_is_degraded_in_words(
    supervised: SupervisedWorker, events: "Queue[WorkerEvent]"
) -> None:
    ask(supervised, "die").get(timeout=5.0)
    assert [events.get(timeout=20.0).kind for _ in range(2)] == [
        EventKind.WORKER_LOST,
        EventKind.WORKER_RESTORED,
    ]
    ask(supervised, "die").get(timeout=5.0)
    assert events.get(timeout=5.0).kind is EventKind.WORKER_DEGRADED
    assert supervised.status.phase is WorkerPhase.DEGRADED
    outcome = ask(supervised, "mug").get(timeout=5.0)
    assert isinstance(outcome, LocateError)
    assert "next restart in" in str(outcome)
    assert supervised.status.health is Health.DEGRADED


def test_a_degraded_worker_is_tried_after_a_while_and_a_look_proves_it(
    start: Start, events: "Queue[WorkerEvent]"
) -> None:
    supervised = start(TRIED)
    supervised.ready.result(20.0)
    for wait in ("0.2 s", "0.4 s", "0.4 s"):
        ask(supervised, "die")
        degraded, restored = events.get(timeout=20.0), events.get(timeout=20.0)
        assert (degraded.kind, restored.kind) == (EventKind.WORKER_DEGRADED, EventKind.WORKER_RESTORED)
        assert f"next restart in {wait}" in degraded.message
        assert "on probation" in restored.message
        assert supervised.status.half_open
        assert supervised.status.health is Health.OK
    assert isinstance(ask(supervised, "mug").get(timeout=5.0), DetectionResult)
    assert not supervised.status.half_open
    assert supervised.status.restarts == 3


def test_a_deadline_holds_while_the_model_still_works(supervised: SupervisedWorker) -> None:
    answers: Queue[tuple[RequestOutcome, WorkerPhase]] = Queue()
    request = DetectionRequest(
        lambda: SHOT,
        ("slow",),
        time.monotonic(),
        0.1,
        lambda outcome: answers.put((outcome, supervised.status.phase)),
    )
    supervised.thread.submit(request)
    outcome, phase = answers.get(timeout=20.0)
    assert isinstance(outcome, LocateError)
    assert outcome.status is LocateStatus.TIMEOUT
    assert phase is WorkerPhase.BUSY
    assert isinstance(ask(supervised, "mug").get(timeout=5.0), DetectionResult)
    assert answers.empty()
    assert supervised.status.restarts == 0


def test_time_in_the_queue_counts(supervised: SupervisedWorker) -> None:
    slow, waiting = ask(supervised, "slow"), ask(supervised, "mug", deadline=0.1)
    assert status_of(waiting) is LocateStatus.TIMEOUT
    assert isinstance(slow.get(timeout=5.0), DetectionResult)


def test_too_many_requests_are_busy_and_the_others_served(supervised: SupervisedWorker) -> None:
    taken = Event()
    first = ask(supervised, "slow", take=lambda: taken.set() or SHOT)
    assert taken.wait(5.0)
    answers = [first, *(ask(supervised, "mug") for _ in range(5))]
    outcomes = [answer.get(timeout=10.0) for answer in answers]
    refused = [outcome.status for outcome in outcomes if isinstance(outcome, LocateError)]
    assert refused == [LocateStatus.BUSY] * 3
    assert sum(isinstance(outcome, DetectionResult) for outcome in outcomes) == 3


def test_requests_of_several_callers_never_mix(start: Start) -> None:
    supervised = start(WorkerLimits(load=20.0, capacity=100))
    supervised.ready.result(20.0)
    answers = {f"thing {i}": ask(supervised, f"thing {i}") for i in range(50)}
    for term, answer in answers.items():
        outcome = answer.get(timeout=10.0)
        assert isinstance(outcome, DetectionResult)
        assert [detection.label for detection in outcome.detections] == [term]


def test_while_loading_requests_are_told_so(start: Start) -> None:
    supervised = start()
    assert status_of(ask(supervised, "mug")) is LocateStatus.LOADING


@pytest.mark.parametrize(
    ("fault", "words"),
    [("missing_weights", "openral weights fetch"), ("break", "tensor"), ("refuse", "out of memory")],
)
def test_a_model_that_does_not_load_says_why_once(start: Start, fault: str, words: str) -> None:
    supervised = start(load=fault)
    with pytest.raises(ModelNotLoaded, match=words):
        supervised.ready.result(20.0)
    assert supervised.status.phase is WorkerPhase.DEGRADED
    assert supervised.status.pid == 0


def test_a_model_that_hangs_while_loading_is_given_up(start: Start) -> None:
    supervised = start(WorkerLimits(load=2.0), load="hang")
    with pytest.raises(WorkerTimedOut, match="2 s"):
        supervised.ready.result(20.0)


def test_stopping_while_loading_ends_the_load_and_the_worker(start: Start) -> None:
    supervised = start(load="hang")
    deadline = time.monotonic() + 10.0
    while supervised.status.pid == 0 and time.monotonic() < deadline:
        pass
    pid = supervised.status.pid
    supervised.thread.stop()
    assert isinstance(supervised.ready.exception(1.0), Exception)
    assert not psutil.pid_exists(pid)


def test_stopping_tells_everyone_who_waits(supervised: SupervisedWorker) -> None:
    answers = [ask(supervised, "hang"), ask(supervised, "mug")]
    supervised.thread.stop()
    assert [status_of(answer) for answer in answers] == [LocateStatus.INACTIVE] * 2
    assert status_of(ask(supervised, "mug")) is LocateStatus.INACTIVE


def shared_memory() -> set[str]:
    """Names in /dev/shm but for those of DDS, which other processes come and go with."""
    return {path.name for path in Path("/dev/shm").iterdir() if "fastrtps" not in path.name}


def test_nothing_outlives_a_killed_node(tmp_path: Path, rskills: Path) -> None:
    script = textwrap.dedent(f"""
        import sys, time
        from pathlib import Path
        from openral_core.rskills import Registry
        from openral_perception_ros.engines.base import LoadOptions
        from openral_perception_ros.inference.ipc import Load
        from openral_perception_ros.scheduler_thread import start_supervised_worker
        from openral_perception_ros.inference.worker_supervisor import WorkerLimits
        from openral_perception_ros.inference.worker_command import worker_command
        registry = Registry.load([Path({str(rskills)!r})])
        manifest = registry.detector("sim-groundtruth")
        load = Load(manifest, str(registry.folder(manifest.id)), LoadOptions())
        command = worker_command(manifest, Path("x"))
        supervised = start_supervised_worker(command, load, WorkerLimits(), None, print)
        supervised.ready.result(20.0)
        print(supervised.status.pid, flush=True)
        time.sleep(60.0)
    """)
    shared_before = shared_memory()
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as node:
        worker = psutil.Process(int(node.stdout.readline()))
        node.kill()
    worker.wait(5.0)
    assert shared_memory() <= shared_before
