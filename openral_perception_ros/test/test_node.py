"""The real node on real DDS; `Rig` shows it frames."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lifecycle_msgs.msg import Transition
from sensor_msgs.msg import CompressedImage, Image
from std_msgs.msg import String
from vision_msgs.msg import Detection2DArray

from openral_core.detectors import LifecycleState, LocateStatus
from openral_msgs.msg import DetectorInfo, FailureTrigger
from openral_msgs.srv import LocateInView
from openral_perception_ros import locate_service as inquiries
from openral_perception_ros import publishers as announcements
from openral_perception_ros.scheduler import RequestQueue
from openral_ros.callback_guard import FatalNodeError
from openral_ros.qos import LATCHED
from openral_testing.detectors.encodings import bomb, compressed
from openral_testing.detectors.faulty_node import FaultyNode

DEFAULT_SERVICE = "/openral/perception/locate_in_view"
NS = "/openral/perception/sim_groundtruth_locator"
LIVES, SETTLED, LEAK = 10, 2, 5.0
"""Lives of a node, those after which it holds what it needs, and what it may hold more at the end [MB]."""
Rig = Any
Make = Callable[..., Rig]


@pytest.fixture
def looking(active: Make) -> Rig:
    made = active(cameras=["head", "wrist"], default=True)
    made.show()
    return made


@pytest.fixture
def faulty(active: Make) -> Rig:
    made = active(node_type=FaultyNode, inference_deadline=10.0, queue=2)
    made.show()
    return made


@pytest.fixture
def rgb_only(tmp_path: Path) -> str:
    """An rSkill that looks at colour alone."""
    folder = tmp_path / "rgb-only"
    folder.mkdir()
    (folder / "rskill.yaml").write_text(
        "{kind: detector, id: rgb-only, description: d, engine: sim_groundtruth, mode: on_demand,"
        " vocabulary: {kind: open}, sensors: [rgb], licence: {name: x, commercial_use: true},"
        " memory_mb: 1, latency: 1}"
    )
    return str(folder)


def status(response: object) -> LocateStatus:
    return LocateStatus(response.status)


TABLE = [
    ({"query": "red mug"}, LocateStatus.FOUND, "1 x 'red mug'"),
    ({"query": "mug, unicorn"}, LocateStatus.FOUND, "not in view: 'unicorn'"),
    ({"query": "mug", "camera": "head", "detector": "sim-locator"}, LocateStatus.FOUND, "2 x 'mug'"),
    ({"query": "unicorn"}, LocateStatus.NOT_IN_VIEW, "unicorn"),
    ({"query": "mug", "camera": "rear"}, LocateStatus.UNKNOWN_CAMERA, "'head', 'wrist'"),
    ({"query": "mug", "camera": "wrist"}, LocateStatus.NO_FRAME, "rgb"),
    ({"query": ""}, LocateStatus.BAD_QUERY, "empty"),
    ({"query": "mug\x07"}, LocateStatus.BAD_QUERY, "control"),
    ({"query": "mug", "deadline": -1.0}, LocateStatus.BAD_QUERY, "deadline"),
    ({"query": "mug", "detector": "sim-groundtruth"}, LocateStatus.WRONG_DETECTOR, "sim-locator"),
]


def test_every_request_gets_its_status(looking: Rig) -> None:
    for request, expected, words in TABLE:
        response = looking.locate(**request)
        assert status(response) is expected, request
        assert words in response.message
        assert response.found == (expected is LocateStatus.FOUND)
        assert json.loads(response.metadata_json)["status"] == expected.name


def test_boxes_are_source_pixels_under_the_source_header(looking: Rig, scene_boxes: dict) -> None:
    stamp = looking.client.get_clock().now().nanoseconds / 1e9
    looking.show(stamp=stamp)
    response = looking.locate("red mug")
    (detection,) = response.detections.detections
    x_min, y_min, x_max, y_max = scene_boxes[1]
    center = detection.bbox.center.position
    assert (center.x, center.y) == pytest.approx(((x_min + x_max) / 2, (y_min + y_max) / 2), abs=4.0)
    assert detection.results[0].hypothesis.class_id == "red mug"
    header = response.detections.header
    assert header.stamp.sec + header.stamp.nanosec / 1e9 == pytest.approx(stamp, abs=1e-6)
    assert header.frame_id == "optical"
    assert response.inference_time > 0.0
    assert 0.0 <= response.frame_age <= looking.client.get_clock().now().nanoseconds / 1e9 - stamp


def test_two_cameras_are_told_apart(looking: Rig, scene_boxes: dict) -> None:
    empty = np.zeros((100, 60), np.uint16)
    empty[10:50, 5:25] = 2
    looking.show("wrist", semantic=empty)
    assert status(looking.locate("baguette", camera="wrist")) is LocateStatus.FOUND
    assert status(looking.locate("mug", camera="wrist")) is LocateStatus.NOT_IN_VIEW
    assert status(looking.locate("mug")) is LocateStatus.FOUND


def test_the_default_locator_answers_without_a_namespace_and_only_for_itself(looking: Rig) -> None:
    assert status(looking.locate("mug", DEFAULT_SERVICE)) is LocateStatus.FOUND
    assert status(looking.locate("mug", DEFAULT_SERVICE, detector="other")) is LocateStatus.WRONG_DETECTOR


def test_an_old_frame_is_stale(looking: Rig) -> None:
    looking.show(stamp=looking.client.get_clock().now().nanoseconds / 1e9 - 5.0)
    response = looking.locate("mug")
    assert status(response) is LocateStatus.STALE_FRAME
    assert "5." in response.message


def test_detector_query_is_what_an_empty_query_means(looking: Rig) -> None:
    publisher = looking.client.create_publisher(String, f"{NS}/detector_query", 10)
    looking.wait(publisher.get_subscription_count)
    publisher.publish(String(data="red mug"))
    looking.wait(lambda: status(looking.locate("")) is LocateStatus.FOUND)


def test_inactive_nodes_answer_and_say_what_they_are(rig: Make) -> None:
    made = rig()
    infos = made.heard(DetectorInfo, f"{NS}/info", LATCHED)
    assert made.transition(Transition.TRANSITION_CONFIGURE)
    assert status(made.locate("mug")) is LocateStatus.INACTIVE
    assert status(made.locate("")) is LocateStatus.BAD_QUERY
    assert made.transition(Transition.TRANSITION_ACTIVATE)
    made.wait(lambda: infos and infos[-1].lifecycle_state == LifecycleState.ACTIVE)
    active = infos[-1]
    assert (active.id, active.slug) == ("sim-groundtruth-locator", "sim_groundtruth_locator")
    assert list(active.cameras) == ["head"]
    assert active.memory_measured > 20.0
    assert active.latency > 0.0
    worker = psutil.Process(made.node._active_detector.supervised.status.pid)
    assert made.transition(Transition.TRANSITION_DEACTIVATE)
    assert not worker.is_running()
    made.wait(lambda: infos[-1].lifecycle_state == LifecycleState.INACTIVE)
    assert status(made.locate("mug")) is LocateStatus.INACTIVE


def test_boxes_are_drawn_only_while_somebody_watches(looking: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[object] = []
    real = announcements.draw_annotations
    monkeypatch.setattr(announcements, "draw_annotations", lambda *a: drawn.append(a) or real(*a))
    assert status(looking.locate("mug")) is LocateStatus.FOUND
    assert not drawn
    watched = looking.heard(Image, f"{NS}/annotated")
    looking.wait(lambda: looking.node.count_subscribers(f"{NS}/annotated"))
    looking.wait(lambda: looking.locate("mug") and watched)
    assert (watched[0].width, watched[0].height, watched[0].encoding) == (400, 240, "rgb8")


def test_a_continuous_detector_streams_and_is_no_locator_of_other_words(active: Make) -> None:
    made = active("sim-groundtruth")
    streamed = made.heard(Detection2DArray, "/openral/perception/sim_groundtruth/objects")
    watched = made.heard(Image, "/openral/perception/sim_groundtruth/annotated")
    made.wait(lambda: made.show() or (streamed and watched))
    labels = {detection.results[0].hypothesis.class_id for detection in streamed[0].detections}
    assert labels <= {"mug", "bread", "bottle"}
    assert labels
    assert (watched[0].width, watched[0].height) == (400, 240)
    assert watched[0].header in [item.header for item in streamed]
    assert np.any(np.asarray(watched[0].data) != 0)
    assert status(made.locate("cup")) is LocateStatus.FOUND
    refused = made.locate("baguette")
    assert status(refused) is LocateStatus.NOT_IN_VOCABULARY
    assert "'bread'" in refused.message


def test_requests_overlap_while_the_node_stays_free(faulty: Rig) -> None:
    answered: list[LocateStatus] = []
    faulty.locate_all("slow", "slow", "", on_answer=lambda response: answered.append(status(response)))
    assert answered == [LocateStatus.BAD_QUERY] + [LocateStatus.FOUND] * 2


def test_too_many_requests_are_busy(faulty: Rig) -> None:
    statuses = [status(item) for item in faulty.locate_all(*["slow"] * 6)]
    assert set(statuses) == {LocateStatus.FOUND, LocateStatus.BUSY}
    assert statuses.count(LocateStatus.FOUND) in (2, 3)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("nan", LocateStatus.DETECTOR_ERROR),
        ("break", LocateStatus.DETECTOR_ERROR),
        ("allocate", LocateStatus.OUT_OF_MEMORY),
    ],
)
def test_a_model_that_fails_is_no_empty_view(faulty: Rig, query: str, expected: LocateStatus) -> None:
    assert status(faulty.locate(query)) is expected
    assert status(faulty.locate("mug")) is LocateStatus.FOUND


def test_a_request_ends_at_its_deadline_while_the_model_hangs(faulty: Rig) -> None:
    assert status(faulty.locate("hang", deadline=0.5)) is LocateStatus.TIMEOUT
    assert faulty.node._active_detector.worker_status.restarts == 0


def test_a_killed_worker_is_an_error_a_failure_and_a_new_worker(faulty: Rig) -> None:
    failures = faulty.heard(FailureTrigger, "/openral/failure/sim_groundtruth_locator")
    diagnoses = faulty.heard(DiagnosticArray, "/diagnostics")
    faulty.wait(lambda: faulty.node.count_subscribers("/openral/failure/sim_groundtruth_locator"))
    killed = faulty.node._active_detector.supervised.status.pid
    client = faulty.client.create_client(LocateInView, f"{NS}/locate_in_view")
    faulty.wait(client.service_is_ready)
    answer = client.call_async(LocateInView.Request(query="hang", deadline=20.0))
    faulty.wait(lambda: faulty.node._active_detector.supervised.status.phase.value == "busy")
    psutil.Process(killed).kill()
    faulty.wait(answer.done)
    assert status(answer.result()) is LocateStatus.DETECTOR_ERROR
    assert "SIGKILL" in answer.result().message
    assert status(faulty.locate("mug")) is LocateStatus.LOADING
    faulty.wait(lambda: len(failures) == 2)
    assert [failure.kind for failure in failures] == ["worker_lost", "worker_restored"]
    faulty.show()
    assert status(faulty.locate("mug")) is LocateStatus.FOUND
    faulty.wait(lambda: {v.key: v.value for v in diagnoses[-1].status[0].values}.get("restarts") == "1")


def test_a_blind_detector_says_so_until_its_next_worker_is_there(active: Make) -> None:
    made = active(node_type=FaultyNode, restarts=0, cool_down=5.0)
    infos = made.heard(DetectorInfo, f"{NS}/info", LATCHED)
    failures = made.heard(FailureTrigger, "/openral/failure/sim_groundtruth_locator")
    made.wait(lambda: infos and made.node.count_subscribers("/openral/failure/sim_groundtruth_locator"))
    measured = infos[-1].memory_measured
    psutil.Process(made.node._active_detector.worker_status.pid).kill()
    made.wait(lambda: infos[-1].health == DetectorInfo.HEALTH_GIVEN_UP)
    blind = infos[-1]
    assert blind.lifecycle_state == LifecycleState.ACTIVE
    assert "SIGKILL" in blind.health_message
    assert "next restart in 5 s" in blind.health_message
    assert (blind.memory_resident, blind.memory_measured) == (0.0, measured)
    refused = made.locate("mug")
    assert status(refused) is LocateStatus.DETECTOR_ERROR
    assert "failed too often" in refused.message
    made.wait(lambda: infos[-1].health == DetectorInfo.HEALTH_OK, 30.0)
    assert infos[-1].memory_resident > 0.0
    made.wait(lambda: [failure.kind for failure in failures] == ["worker_given_up", "worker_restored"])
    assert failures[0].severity == FailureTrigger.SEVERITY_ERROR
    made.show()
    assert status(made.locate("mug")) is LocateStatus.FOUND


@pytest.mark.parametrize("side", [40_000, 8_000])
def test_a_picture_bomb_is_a_typed_answer_and_the_next_picture_is_looked_at(
    active: Make, rgb_only: str, side: int
) -> None:
    made = active(rgb_only, FaultyNode, compressed=True)
    cache = made.node._active_detector.caches["head"]

    def show(image: CompressedImage) -> None:
        image.header.stamp = made.client.get_clock().now().to_msg()
        stamp = image.header.stamp.sec * 10**9 + image.header.stamp.nanosec
        made.publish(CompressedImage, "/head/image_raw/compressed", image)
        made.wait(lambda: (image_set := cache.latest()) and image_set.stamp == stamp)

    good = compressed(np.arange(1800, dtype=np.uint8).reshape(20, 30, 3))
    show(good)
    assert status(made.locate("mug")) is LocateStatus.FOUND
    show(bomb(side))
    refused = made.locate("mug", deadline=5.0)
    assert status(refused) is LocateStatus.DETECTOR_ERROR
    assert "too large" in refused.message
    show(good)
    assert status(made.locate("mug")) is LocateStatus.FOUND
    assert made.node._active_detector.worker_status.restarts == 0


def test_an_answer_that_is_no_text_is_told_as_an_error(looking: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    fill, broken = (
        inquiries.fill_locate_response,
        iter((UnicodeEncodeError("utf-8", "\ud83d", 0, 1, "lone"),)),
    )

    def filled(*arguments: object) -> object:
        for error in broken:
            raise error
        return fill(*arguments)

    monkeypatch.setattr(inquiries, "fill_locate_response", filled)
    refused = looking.locate("mug")
    assert status(refused) is LocateStatus.DETECTOR_ERROR
    assert "not valid text" in refused.message
    assert status(looking.locate("mug")) is LocateStatus.FOUND


def test_a_node_whose_supervision_ended_ends_itself_and_says_why(
    looking: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[Callable[[], None]] = []
    monkeypatch.setattr(looking.node._calls, "post", ended.append)
    monkeypatch.setattr(RequestQueue, "expire", lambda *_: 1 / 0)
    assert status(looking.locate("mug")) is LocateStatus.LOADING

    def end() -> Callable[[], None] | None:
        return next((call for call in ended if call.func.__name__ == "_raise_supervision_ended"), None)

    looking.wait(end)
    with pytest.raises(FatalNodeError, match="exiting so that this process can be restarted"):
        end()()


@pytest.mark.parametrize("rskill", ["sim-groundtruth", "sim-groundtruth-locator"])
def test_a_healthy_shipped_detector_is_ok_in_diagnostics(active: Make, rskill: str) -> None:
    made = active(rskill)
    diagnoses = made.heard(DiagnosticArray, "/diagnostics")
    made.wait(lambda: diagnoses)
    status_ = diagnoses[-1].status[0]
    assert (status_.level, status_.message) == (DiagnosticStatus.OK, "idle"), status_.values


def test_missing_weights_refuse_the_activation_and_nothing_stays(rig: Make, tmp_path: Path) -> None:
    folder = tmp_path / "no-weights"
    folder.mkdir()
    (folder / "rskill.yaml").write_text(
        "{kind: detector, id: no-weights, description: d, engine: sim_groundtruth, mode: on_demand,"
        " vocabulary: {kind: open}, sensors: [rgb], licence: {name: x, commercial_use: true},"
        " memory_mb: 1, latency: 1, options: {load: missing_weights}}"
    )
    made, before = rig(str(folder), FaultyNode), psutil.Process().children()
    assert made.transition(Transition.TRANSITION_CONFIGURE)
    assert not made.transition(Transition.TRANSITION_ACTIVATE)
    assert made.node._state_machine.current_state[1] == "inactive"
    assert psutil.Process().children() == before
    assert status(made.locate("mug")) is LocateStatus.INACTIVE


@pytest.mark.parametrize(
    ("parameters", "rskill"),
    [
        ({"cameras": ["head", "head"]}, "sim-groundtruth"),
        ({}, "nonsense"),
        ({"rate": 0.0}, "sim-groundtruth"),
    ],
)
def test_what_cannot_be_configured_is_refused(rig: Make, parameters: dict, rskill: str) -> None:
    made = rig(rskill, **parameters)
    assert not made.transition(Transition.TRANSITION_CONFIGURE)


@pytest.mark.slow
def test_many_lives_leave_nothing_behind(rig: Make) -> None:
    made = rig()
    assert made.transition(Transition.TRANSITION_CONFIGURE)
    me, before, held = psutil.Process(), psutil.Process().children(), []
    for _ in range(LIVES):
        assert made.transition(Transition.TRANSITION_ACTIVATE)
        assert made.transition(Transition.TRANSITION_DEACTIVATE)
        assert me.children() == before
        held.append((me.num_fds(), me.num_threads(), me.memory_info().rss / 1e6))
    (descriptors, threads, memory), last = held[SETTLED], held[-1]
    assert last[0] <= descriptors
    made.wait(lambda: me.num_threads() <= threads)  # the last transition's own thread may just be ending
    assert last[2] <= memory + LEAK


@pytest.mark.parametrize("level", [0, 5, 200])
def test_a_picture_that_shows_nothing_is_no_evidence_of_absence(looking: Rig, level: int) -> None:
    noise = np.random.default_rng(1).integers(0, 3, (240, 400, 3), np.uint8)
    looking.show(colour=noise + np.uint8(level), semantic=np.zeros((240, 400), np.uint16))
    response = looking.locate("red mug")
    assert status(response) is LocateStatus.NO_FRAME
    assert "no usable frame from camera 'head': the latest is black or a single colour" in response.message
    looking.show()
    assert status(looking.locate("red mug")) is LocateStatus.FOUND


def test_a_continuous_detector_tells_nothing_of_a_picture_that_shows_nothing(active: Make) -> None:
    rig = active(rskill="sim-groundtruth")
    reported = rig.heard(Detection2DArray, f"{rig.node.get_namespace()}/objects")
    rig.wait(lambda: rig.client.count_publishers(f"{rig.node.get_namespace()}/objects"))
    for _ in range(5):
        rig.show(colour=np.zeros((240, 400, 3), np.uint8), semantic=np.zeros((240, 400), np.uint16))
    while not reported:
        rig.show()
    assert all(message.detections for message in reported)


def test_the_module_of_a_detector_node_loads_no_heavy_library() -> None:
    heavy = "{'scipy', 'mujoco', 'torch', 'transformers', 'onnxruntime', 'networkx'}"
    code = f"import sys, openral_perception_ros.node; print(*sorted({heavy} & set(sys.modules)))"
    found = subprocess.check_output([sys.executable, "-P", "-c", code], text=True, timeout=60.0)
    assert found.split() == []
