"""Requirements on the detector's node: concurrency, memory, and recovery from every fault of its worker."""

import time

import pytest
from lifecycle_msgs.msg import Transition

from openral_msgs.srv import LocateInView
from openral_perception_ros.detector import Detector
from openral_perception_ros.inference.worker_supervisor import EventKind, WorkerPhase
from openral_perception_ros.locate_errors import DetectorError, DetectorOutOfMemory
from openral_perception_ros.scheduler import DetectionResult, RequestOutcome
from openral_testing.detectors.activation_cycles import toggle
from openral_testing.detectors.faults import PREFIX
from openral_testing.detectors.running_node import RunningNode
from openral_testing.detectors.scenes import golden, resized
from openral_testing.detectors.subject import INFERENCE_TIMEOUT, LOAD_TIMEOUT, DetectorUnderTest

MAX_GROWTH = 20.0
"""Memory growth over all cycles that still counts as noise [MB]."""
VIEWS = {"head": "kitchen_counter", "wrist": "dining_table"}
SIZES = {"head": (320, 240), "wrist": (240, 320)}
"""Image sizes that fit into Fast DDS's default shared-memory segment, unlike the recorded 640x480 [px]."""
ANSWERED = (LocateInView.Response.FOUND, LocateInView.Response.NOT_IN_VIEW)
REQUESTS = 12
"""Concurrent requests [count]."""


def _request(detector: Detector, number: int, camera: str) -> LocateInView.Request:
    words = detector.labels or ("red mug", "baguette", "lemon", "bowl")
    return LocateInView.Request(query=words[number % len(words)], camera=camera, deadline=INFERENCE_TIMEOUT)


def test_two_cameras_and_concurrent_prompts_are_told_apart(node: RunningNode, detector: Detector) -> None:
    """Concurrent responses have their own camera's header and size and only their own labels."""
    assert node.transition(Transition.TRANSITION_ACTIVATE)
    frames = {
        camera: resized(golden(name, detector.manifest.sensors, camera, time.time_ns()), SIZES[camera])
        for camera, name in VIEWS.items()
    }
    for camera, frame in frames.items():
        assert node.show_until_seen(frame, _request(detector, 0, camera)).status in ANSWERED
    cameras = list(frames)
    requests = [_request(detector, number, cameras[number % 2]) for number in range(REQUESTS)]
    for request, response in zip(requests, node.locate_all(requests), strict=True):
        assert response.status in ANSWERED, response.message
        assert response.camera == request.camera
        assert response.detections.header.frame_id == f"{request.camera}_optical"
        width, height = frames[request.camera].size
        for detection in response.detections.detections:
            assert detection.results[0].hypothesis.class_id == request.query
            centre = detection.bbox.center.position
            assert centre.x + detection.bbox.size_x / 2 <= width + 0.5
            assert centre.y + detection.bbox.size_y / 2 <= height + 0.5


def test_it_survives_being_switched_off_while_pictures_come(
    node: RunningNode, detector: Detector, load_cycles: int
) -> None:
    """Deactivation is safe at any moment."""
    toggle(node, golden(VIEWS["head"], detector.manifest.sensors, "head"), load_cycles)
    assert not node.ended


def test_unloading_gives_all_memory_back(
    node: RunningNode, load_cycles: int, measured: dict[str, object]
) -> None:
    """No worker process remains, and the node does not grow."""
    start, active, after = node.memory(), [], []
    for _ in range(load_cycles):
        assert node.transition(Transition.TRANSITION_ACTIVATE)
        active.append(node.memory())
        assert node.transition(Transition.TRANSITION_DEACTIVATE)
        assert not node.process.children(recursive=True)
        after.append(node.memory())
    measured["memory of node and children before the first load [MB]"] = round(start, 1)
    measured["while loaded [MB]"] = [round(item, 1) for item in active]
    measured["after each unload [MB]"] = [round(item, 1) for item in after]
    assert after[-1] - start < MAX_GROWTH


def _fail(faulty_detector: DetectorUnderTest, fault: str) -> RequestOutcome:
    return faulty_detector.outcome(faulty_detector.image(camera=f"{PREFIX}{fault}"), faulty_detector.terms)


def _comes_back(faulty_detector: DetectorUnderTest, lost: int) -> None:
    """Check that the loss is reported and another process answers."""
    assert faulty_detector.events.get(timeout=10.0).kind is EventKind.WORKER_LOST
    assert faulty_detector.events.get(timeout=LOAD_TIMEOUT).kind is EventKind.WORKER_RESTORED
    faulty_detector.detect(faulty_detector.image(), faulty_detector.terms)
    assert faulty_detector.worker.pid != lost


def test_a_worker_killed_in_mid_inference_is_an_error_and_comes_back(
    faulty_detector: DetectorUnderTest,
) -> None:
    """SIGKILL during inference fails the pending request."""
    worker, worker_status = faulty_detector.worker, faulty_detector.supervised.status
    asked = faulty_detector.begin(faulty_detector.image(camera=f"{PREFIX}hang"), faulty_detector.terms)
    while worker_status.phase is not WorkerPhase.BUSY:
        assert not asked.done()
    worker.kill()
    outcome = asked.result(INFERENCE_TIMEOUT)
    assert isinstance(outcome, DetectorError)
    assert "SIGKILL" in str(outcome)
    _comes_back(faulty_detector, worker.pid)


@pytest.mark.parametrize(("fault", "words"), [("hang", "within"), ("hoard", "SIGABRT")])
def test_a_model_that_hangs_or_dies_of_hunger_costs_the_worker_alone(
    faulty_detector: DetectorUnderTest, fault: str, words: str
) -> None:
    """A hanging worker is killed; a native library without memory aborts."""
    lost = faulty_detector.worker.pid
    outcome = _fail(faulty_detector, fault)
    assert isinstance(outcome, DetectorError)
    assert words in str(outcome)
    _comes_back(faulty_detector, lost)


@pytest.mark.parametrize(
    ("fault", "refusal"),
    [
        ("allocate", DetectorOutOfMemory),
        ("refuse", DetectorOutOfMemory),
        ("nan", DetectorError),
        ("sure", DetectorError),
        ("break", DetectorError),
    ],
)
def test_a_bad_answer_is_typed_and_the_worker_serves_on(
    faulty_detector: DetectorUnderTest, fault: str, refusal: type[RequestOutcome]
) -> None:
    """Errors differ from empty detections, and the model stays loaded."""
    before = faulty_detector.worker.pid
    assert isinstance(_fail(faulty_detector, fault), refusal)
    faulty_detector.detect(faulty_detector.image(), faulty_detector.terms)
    assert faulty_detector.worker.pid == before


@pytest.mark.parametrize("lie", ["stammer", "boast", "trail off", "babble", "interrupt"])
def test_a_worker_that_breaks_the_protocol_is_lost_and_comes_back(
    faulty_detector: DetectorUnderTest, lie: str
) -> None:
    """Supervision survives partial, oversized, invalid and duplicate replies."""
    lost = faulty_detector.worker.pid
    assert isinstance(_fail(faulty_detector, lie), DetectorError)
    _comes_back(faulty_detector, lost)


@pytest.mark.parametrize("trick", ["shrink", "inflate"])
def test_a_worker_cannot_take_the_shared_memory_away(faulty_detector: DetectorUnderTest, trick: str) -> None:
    """The node can still write larger images."""
    before = faulty_detector.worker.pid
    _fail(faulty_detector, trick)
    faulty_detector.detect(resized(faulty_detector.image(), (2000, 1500)), faulty_detector.terms)
    assert faulty_detector.worker.pid == before


def test_boxes_outside_the_image_are_cut_or_dropped(faulty_detector: DetectorUnderTest) -> None:
    """One box overlaps the image, one is fully outside."""
    outcome = _fail(faulty_detector, "outside")
    assert isinstance(outcome, DetectionResult)
    (box,) = (detection.box for detection in outcome.detections)
    assert (box.x_min, box.y_min, box.x_max, box.y_max) == (0.0, 0.0, 30.0, 20.0)
