"""The detector's real node, in a process of its own."""
# MERGED The detector's own worker, with its model loaded, failing in every way a model can.

import time

import pytest
from lifecycle_msgs.msg import Transition

from openral_detector_conformance.activation_cycles import toggle
from openral_detector_conformance.faults import PREFIX
from openral_detector_conformance.running_node import RunningNode
from openral_detector_conformance.scenes import golden, resized
from openral_detector_conformance.subject import LOAD, LOOK, DetectorUnderTest
from openral_msgs.srv import LocateInView
from openral_perception_ros.detector import Detector
from openral_perception_ros.inference.status import EventKind, WorkerPhase
from openral_perception_ros.locate.errors import DetectorFailed, DetectorOutOfMemory
from openral_perception_ros.locate.queue import DetectionResult, RequestOutcome

LEAK = 20.0
"""Growth over all lives that is still noise [MB]."""
VIEWS = {"head": "kitchen_counter", "wrist": "dining_table"}
ANSWERED = (LocateInView.Response.FOUND, LocateInView.Response.NOT_IN_VIEW)
ASKED = 12


def _request(detector: Detector, number: int, camera: str) -> LocateInView.Request:
    words = detector.labels or ("red mug", "baguette", "lemon", "bowl")
    return LocateInView.Request(query=words[number % len(words)], camera=camera, deadline=LOOK)


def test_two_cameras_and_concurrent_prompts_are_told_apart(node: RunningNode, detector: Detector) -> None:
    """Twelve at once: each answer has its own camera's header and size, and its own words alone."""
    assert node.transition(Transition.TRANSITION_ACTIVATE)
    frames = {
        camera: golden(name, detector.manifest.sensors, camera, time.time_ns())
        for camera, name in VIEWS.items()
    }
    for camera, frame in frames.items():
        assert node.show_until_seen(frame, _request(detector, 0, camera)).status in ANSWERED
    cameras = list(frames)
    requests = [_request(detector, number, cameras[number % 2]) for number in range(ASKED)]
    for request, response in zip(requests, node.locate_all(requests), strict=True):
        assert response.status in ANSWERED, response.message
        assert response.camera == request.camera
        assert response.detections.header.frame_id == f"{request.camera}_optical"
        width, height = frames[request.camera].size
        for each in response.detections.detections:
            assert each.results[0].hypothesis.class_id == request.query
            centre = each.bbox.center.position
            assert centre.x + each.bbox.size_x / 2 <= width + 0.5
            assert centre.y + each.bbox.size_y / 2 <= height + 0.5


def test_it_survives_being_switched_off_while_pictures_come(
    node: RunningNode, detector: Detector, lives: int
) -> None:
    """A node may be in the middle of anything when its memory is needed for something else."""
    toggle(node, golden(VIEWS["head"], detector.manifest.sensors, "head"), lives)
    assert not node.ended


def test_unloading_gives_all_memory_back(node: RunningNode, lives: int, measured: dict[str, object]) -> None:
    """No process stays, and that of the node does not grow."""
    start, active, after = node.memory(), [], []
    for _ in range(lives):
        assert node.transition(Transition.TRANSITION_ACTIVATE)
        active.append(node.memory())
        assert node.transition(Transition.TRANSITION_DEACTIVATE)
        assert not node.process.children(recursive=True)
        after.append(node.memory())
    measured["memory of node and children before the first load [MB]"] = round(start, 1)
    measured["while loaded [MB]"] = [round(each, 1) for each in active]
    measured["after each unload [MB]"] = [round(each, 1) for each in after]
    assert after[-1] - start < LEAK


def _fail(fragile: DetectorUnderTest, fault: str) -> RequestOutcome:
    return fragile.outcome(fragile.picture(camera=f"{PREFIX}{fault}"), fragile.words)


def _comes_back(fragile: DetectorUnderTest, lost: int) -> None:
    """Its supervision says so, another process answers."""
    assert fragile.events.get(timeout=10.0).kind is EventKind.WORKER_LOST
    assert fragile.events.get(timeout=LOAD).kind is EventKind.WORKER_RESTORED
    fragile.look(fragile.picture(), fragile.words)
    assert fragile.worker.pid != lost


def test_a_worker_killed_in_mid_inference_is_an_error_and_comes_back(fragile: DetectorUnderTest) -> None:
    """SIGKILL while it looks; whoever asked is told."""
    worker, vitals = fragile.worker, fragile.supervised.vitals
    asked = fragile.begin(fragile.picture(camera=f"{PREFIX}hang"), fragile.words)
    while vitals.phase is not WorkerPhase.BUSY:
        assert not asked.done()
    worker.kill()
    outcome = asked.result(LOOK)
    assert isinstance(outcome, DetectorFailed)
    assert "SIGKILL" in str(outcome)
    _comes_back(fragile, worker.pid)


@pytest.mark.parametrize(("fault", "words"), [("hang", "within"), ("hoard", "SIGABRT")])
def test_a_model_that_hangs_or_dies_of_hunger_costs_the_worker_alone(
    fragile: DetectorUnderTest, fault: str, words: str
) -> None:
    """A hang is killed; a native library without memory aborts."""
    lost = fragile.worker.pid
    outcome = _fail(fragile, fault)
    assert isinstance(outcome, DetectorFailed)
    assert words in str(outcome)
    _comes_back(fragile, lost)


@pytest.mark.parametrize(
    ("fault", "refusal"),
    [
        ("allocate", DetectorOutOfMemory),
        ("refuse", DetectorOutOfMemory),
        ("nan", DetectorFailed),
        ("sure", DetectorFailed),
        ("break", DetectorFailed),
    ],
)
def test_a_bad_answer_is_typed_and_the_worker_serves_on(
    fragile: DetectorUnderTest, fault: str, refusal: type[RequestOutcome]
) -> None:
    """Broken is not the same as empty, and nobody has to load the model again."""
    before = fragile.worker.pid
    assert isinstance(_fail(fragile, fault), refusal)
    fragile.look(fragile.picture(), fragile.words)
    assert fragile.worker.pid == before


@pytest.mark.parametrize("lie", ["stammer", "boast", "trail off", "babble", "interrupt"])
def test_a_worker_that_breaks_the_protocol_is_lost_and_comes_back(
    fragile: DetectorUnderTest, lie: str
) -> None:
    """Half an answer, one of 2 GB, one that is no msgpack, two at once: supervision goes on."""
    lost = fragile.worker.pid
    assert isinstance(_fail(fragile, lie), DetectorFailed)
    _comes_back(fragile, lost)


@pytest.mark.parametrize("trick", ["shrink", "inflate"])
def test_a_worker_cannot_take_the_shared_memory_away(fragile: DetectorUnderTest, trick: str) -> None:
    """Larger pictures follow, which the node writes into it."""
    before = fragile.worker.pid
    _fail(fragile, trick)
    fragile.look(resized(fragile.picture(), (2000, 1500)), fragile.words)
    assert fragile.worker.pid == before


def test_boxes_outside_the_image_are_cut_or_dropped(fragile: DetectorUnderTest) -> None:
    """One reaches in, one lies wholly outside."""
    outcome = _fail(fragile, "outside")
    assert isinstance(outcome, DetectionResult)
    (box,) = (each.box for each in outcome.detections)
    assert (box.x_min, box.y_min, box.x_max, box.y_max) == (0.0, 0.0, 30.0, 20.0)
