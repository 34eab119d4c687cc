"""Workers, codecs and callbacks that keep to no rule: each costs one answer, never supervision."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from queue import Queue
from threading import Event, Thread

import msgpack
import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from pydantic import ValidationError

from openral_core.detectors import Box, Detection, Health, LocateStatus
from openral_core.rskills import DetectorManifest
from openral_perception_ros.camera_images import ImageSet
from openral_perception_ros.engines import EngineFrame, FailureKind, LoadOptions
from openral_perception_ros.inference import worker_supervisor
from openral_perception_ros.inference.errors import WorkerTimedOut
from openral_perception_ros.inference.ipc import (
    ArrayOutOfBounds,
    ArraySpec,
    Detect,
    Detected,
    EngineFailed,
    Load,
    Ready,
    Reply,
    Request,
    SharedFrameBuffer,
    pack_reply,
    pack_request,
    unpack_reply,
    unpack_request,
)
from openral_perception_ros.inference.worker_supervisor import (
    EventKind,
    InferenceWorkerProcess,
    WorkerEvent,
    WorkerLimits,
    WorkerPhase,
)
from openral_perception_ros.locate_errors import LocateError
from openral_perception_ros.scheduler import (
    DetectionRequest,
    DetectionResult,
    RequestOutcome,
    RequestQueue,
)
from openral_perception_ros.scheduler_thread import SupervisedWorker

REQUESTS = [
    Detect(
        (ArraySpec("rgb", "|u1", (4, 5, 3), 0),),
        "head",
        7_000_000_001,
        {3: "red mug"},
        ("mug", "tasse à café"),
    ),
    Detect((), "wrist", 0),
]
REPLIES = [
    Ready(("mug", "bread"), 0.01, 512.0),
    Detected((Detection(Box(1, 2, 3.5, 4), "mug", 0.25, "t1"),), 0.002),
    Detected((), 0.0),
    EngineFailed(FailureKind.OUT_OF_MEMORY, "no memory"),
]


@pytest.mark.parametrize("request_", REQUESTS)
def test_requests_arrive_as_sent(request_: Request) -> None:
    assert unpack_request(pack_request(request_)) == request_


def test_a_manifest_arrives_as_sent(manifest: DetectorManifest) -> None:
    load = Load(manifest, "/rskills/x", LoadOptions(7, "cuda:1", "/weights"))
    assert unpack_request(pack_request(load)) == load


@pytest.mark.parametrize("reply", REPLIES)
def test_replies_arrive_as_sent(reply: Reply) -> None:
    assert unpack_reply(pack_reply(reply)) == reply


@pytest.mark.parametrize("content", [{}, {"type": "loud"}, {"type": "detected", "detections": 5}, []])
def test_what_is_no_reply_is_refused(content: object) -> None:
    with pytest.raises(ValidationError):
        unpack_reply(msgpack.packb(content))


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


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def status_of(answers: "Queue[RequestOutcome]") -> LocateStatus:
    outcome = answers.get(timeout=20.0)
    assert isinstance(outcome, LocateError)
    return outcome.status


@pytest.fixture
def worker_reading_nothing(monkeypatch: pytest.MonkeyPatch) -> Iterator[InferenceWorkerProcess]:
    monkeypatch.setattr(worker_supervisor, "SEND_TIMEOUT", 0.3)
    made = InferenceWorkerProcess((sys.executable, "-c", "import time; time.sleep(600)"), os.environ)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        ("stammer", "within 1 s"),
        ("trail off", "within 1 s"),
        ("boast", "2147483647 bytes"),
        ("babble", "sent an invalid reply"),
        ("interrupt", "more than one reply"),
    ],
)
def test_a_worker_that_breaks_the_protocol_costs_one_look_and_comes_back(
    supervised: SupervisedWorker, events: "Queue[WorkerEvent]", lie: str, words: str
) -> None:
    outcome = ask(supervised, lie).get(timeout=20.0)
    assert isinstance(outcome, LocateError)
    assert outcome.status is LocateStatus.DETECTOR_ERROR
    assert words in str(outcome)
    assert events.get(timeout=5.0).kind is EventKind.WORKER_LOST
    assert events.get(timeout=20.0).kind is EventKind.WORKER_RESTORED
    assert isinstance(ask(supervised, "mug").get(timeout=5.0), DetectionResult)


@pytest.mark.parametrize("lie", ["stammer", "trail off"])
def test_a_worker_in_the_middle_of_an_answer_can_be_stopped(start: Start, lie: str) -> None:
    supervised = start(WorkerLimits(load=20.0, inference=3600.0))
    supervised.ready.result(20.0)
    answers, pid = ask(supervised, lie, deadline=3600.0), supervised.status.pid
    wait_for(lambda: supervised.status.phase is WorkerPhase.BUSY)
    stopped = Thread(target=supervised.thread.stop)
    stopped.start()
    stopped.join(20.0)
    assert not stopped.is_alive()
    assert status_of(answers) is LocateStatus.INACTIVE
    assert not psutil.pid_exists(pid)


@pytest.mark.parametrize(("trick", "label"), [("shrink", "sealed"), ("inflate", "inflated")])
def test_a_worker_cannot_take_the_shared_memory_away(
    start: Start, manifest: DetectorManifest, trick: str, label: str
) -> None:
    shape = iter((200, 400))

    def growing(image_set: ImageSet) -> EngineFrame:
        side = next(shape)
        return EngineFrame({"rgb": np.zeros((side, side, 3), np.uint8)}, "head", side)

    supervised = start(decode=growing)
    supervised.ready.result(20.0)
    outcome = ask(supervised, trick).get(timeout=20.0)
    assert isinstance(outcome, DetectionResult)
    assert [detection.label for detection in outcome.detections] == [label]
    assert isinstance(ask(supervised, "mug").get(timeout=20.0), DetectionResult)
    assert supervised.status.restarts == 0


@pytest.mark.parametrize("error", [RuntimeError("codec"), MemoryError(), ValueError("pixels")])
def test_a_picture_that_cannot_be_decoded_costs_its_look_alone(start: Start, error: Exception) -> None:
    broken = Event()

    def decode(image_set: ImageSet) -> EngineFrame:
        if not broken.is_set():
            broken.set()
            raise error
        return EngineFrame({"rgb": np.zeros((10, 10, 3), np.uint8)}, "head", 0)

    supervised = start(decode=decode)
    supervised.ready.result(20.0)
    assert status_of(ask(supervised, "mug")) is LocateStatus.DETECTOR_ERROR
    assert isinstance(ask(supervised, "mug").get(timeout=20.0), DetectionResult)
    assert supervised.status.restarts == 0


def test_an_answer_that_cannot_be_told_on_costs_nobody_else_theirs(supervised: SupervisedWorker) -> None:
    def refuse(outcome: RequestOutcome) -> None:
        raise RuntimeError("the publisher is gone")

    supervised.thread.submit(DetectionRequest(lambda: SHOT, ("mug",), time.monotonic(), 10.0, refuse))
    assert isinstance(ask(supervised, "mug").get(timeout=20.0), DetectionResult)
    assert supervised.status.restarts == 0


def test_supervision_that_breaks_is_a_lost_worker(
    supervised: SupervisedWorker, events: "Queue[WorkerEvent]", monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging, waiting = ask(supervised, "hang"), ask(supervised, "mug")
    wait_for(lambda: supervised.status.phase is WorkerPhase.BUSY)
    defect = iter((RuntimeError("defect"),))

    def expire(line: RequestQueue, now: float) -> None:
        for error in defect:
            raise error

    monkeypatch.setattr(RequestQueue, "expire", expire)
    late = ask(supervised, "mug")
    lost = events.get(timeout=20.0)
    assert lost.kind is EventKind.WORKER_LOST
    assert "RuntimeError: defect" in lost.message
    assert supervised.status.health is not Health.OK
    assert status_of(hanging) is LocateStatus.DETECTOR_ERROR
    assert {status_of(item) for item in (waiting, late)} <= {LocateStatus.LOADING}
    assert events.get(timeout=20.0).kind is EventKind.WORKER_RESTORED
    assert isinstance(ask(supervised, "mug").get(timeout=20.0), DetectionResult)


def test_supervision_that_cannot_go_on_tells_its_node(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: Queue[Exception] = Queue()
    supervised = start(on_end=ended.put)
    supervised.ready.result(20.0)
    monkeypatch.setattr(RequestQueue, "expire", lambda *_: 1 / 0)
    answers = ask(supervised, "mug")
    assert "ZeroDivisionError" in str(ended.get(timeout=20.0))
    assert isinstance(answers.get(timeout=20.0), LocateError)
    assert status_of(ask(supervised, "mug")) is LocateStatus.INACTIVE


def test_a_worker_that_reads_nothing_more_is_killed(worker_reading_nothing: InferenceWorkerProcess) -> None:
    frame = EngineFrame({}, "head", 0, dict.fromkeys(range(1000), "x" * 1000))
    with pytest.raises(WorkerTimedOut, match="left unread"):
        worker_reading_nothing.detect(frame, ("mug",))
    assert not psutil.pid_exists(worker_reading_nothing.pid)


planes = st.dictionaries(
    st.sampled_from(["rgb", "depth", "semantic"]),
    npst.arrays(
        st.sampled_from([np.uint8, np.uint16, np.float32]), npst.array_shapes(max_dims=3), elements=st.just(1)
    ),
    max_size=3,
)


@given(planes, planes)
def test_what_one_side_writes_the_other_reads(
    first: dict[str, np.ndarray], second: dict[str, np.ndarray]
) -> None:
    ours = SharedFrameBuffer.create()
    theirs = SharedFrameBuffer(os.dup(ours.fileno()))
    for frame in (first, second):
        read = theirs.read(ours.write(frame))
        assert read.keys() == frame.keys()
        for name, plane in frame.items():
            assert read[name].dtype == plane.dtype
            np.testing.assert_array_equal(read[name], plane)
    del read
    ours.close()
    theirs.close()


def test_rows_of_a_padded_image_arrive_packed() -> None:
    arena = SharedFrameBuffer.create()
    padded = np.arange(60, dtype=np.uint8).reshape(4, 15)[:, :12].reshape(4, 4, 3)
    np.testing.assert_array_equal(arena.read(arena.write({"rgb": padded}))["rgb"], padded)
    arena.close()


def test_readers_cannot_change_a_frame() -> None:
    arena = SharedFrameBuffer.create()
    (plane,) = arena.read(arena.write({"rgb": np.zeros((2, 2), np.uint8)})).values()
    with pytest.raises(ValueError, match="read-only"):
        plane[...] = 1
    arena.close()


@pytest.mark.parametrize("offset", [-8, 4096, 1 << 40])
def test_a_plane_beyond_the_shared_memory_is_refused(offset: int) -> None:
    arena = SharedFrameBuffer.create()
    arena.write({"rgb": np.zeros(8, np.uint8)})
    with pytest.raises(ArrayOutOfBounds):
        arena.read((ArraySpec("rgb", "|u1", (8,), offset),))
    arena.close()
