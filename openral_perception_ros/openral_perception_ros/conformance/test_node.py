"""The detector's real node, in a process of its own."""

import time

from lifecycle_msgs.msg import Transition

from openral_msgs.srv import LocateInView
from openral_perception_ros.conformance.running_node import RunningNode
from openral_perception_ros.conformance.scenes import golden
from openral_perception_ros.conformance.subject import LOOK
from openral_perception_ros.conformance.toggling import toggle
from openral_perception_ros.detector import Detector

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
