"""Core types survive the way over the wire."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.detections import Box, Detection
from openral_core.detectors import (
    DetectorInfo,
    Health,
    LifecycleState,
    LocateResult,
    LocateStatus,
    Mode,
    Vocabulary,
)
from openral_core.geometry import InvalidGeometry, Pose
from openral_core.memory_queries import (
    EditOperation,
    EditResult,
    EditStatus,
    MemoryEdit,
    ObserveResult,
    ObserveStatus,
    RecallMatch,
    RecallQuery,
    RecallResult,
    RecallStatus,
    ResolveQuery,
    ResolveResult,
    ResolveStatus,
)
from openral_core.names import Name
from openral_core.scene_graph import NodeKind, Opening, Presence, Relation, SceneEdge, SceneGraph, SceneNode
from openral_core.skills import SkillGoal, SkillResult, SkillStatus

pytest.importorskip("openral_msgs")
from builtin_interfaces.msg import Time
from std_msgs.msg import Header

from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import DetectorInfo as DetectorInfoMsg
from openral_msgs.msg import KeyValue
from openral_msgs.srv import EditMemory, LocateInView, ObserveDetections, RecallObject, ResolvePlace
from openral_ros.conversions import detections as detectors
from openral_ros.conversions import geometry, scene_graph, skills
from openral_ros.conversions import geometry as times
from openral_ros.conversions import memory_queries as queries
from openral_ros.conversions.skills import UnknownParameterType

numbers = st.floats(-1e3, 1e3, allow_nan=False)
points = st.tuples(numbers, numbers, numbers)
poses = st.builds(Pose.planar, numbers, numbers, st.floats(-3.1, 3.1), numbers)
params = st.dictionaries(
    st.text(min_size=1, max_size=8),
    st.one_of(st.text(max_size=8), numbers, st.integers(-(2**60), 2**60), st.booleans(), poses),
    max_size=5,
)


@given(st.floats(-2e9, 2e9))
def test_stamps_keep_their_time_to_a_microsecond(time: float) -> None:
    assert times.seconds(times.stamp_of(time)) == pytest.approx(time, abs=1e-6)


@given(st.integers(-(2**31), 2**31 - 1), st.integers(0, 10**9 - 1))
def test_whatever_stamp_comes_can_be_told_again(sec: int, nanosec: int) -> None:
    time = times.seconds(Time(sec=sec, nanosec=nanosec))
    assert times.seconds(times.stamp_of(time)) == pytest.approx(time, abs=1e-6)


@pytest.mark.parametrize(
    ("time", "sec"), [(2147483648.0, 2**31 - 1), (math.inf, 2**31 - 1), (-1e300, -(2**31))]
)
def test_a_time_that_no_stamp_holds_is_the_nearest_that_can(time: float, sec: int) -> None:
    assert times.stamp_of(time).sec == sec


def test_a_time_that_is_no_number_is_refused() -> None:
    with pytest.raises(times.InvalidTime):
        times.stamp_of(math.nan)


@given(poses)
def test_poses_survive(pose: Pose) -> None:
    assert close(geometry.pose_from_message(geometry.pose_message(pose)), pose)
    assert close(geometry.pose_from_transform(geometry.transform_message(pose)), pose)


def test_a_pose_that_is_not_a_number_is_refused() -> None:
    message = geometry.pose_message(Pose())
    message.position.x = float("nan")
    with pytest.raises(InvalidGeometry, match="three finite numbers"):
        geometry.pose_from_message(message)


@given(params)
def test_typed_parameters_survive(given_params: dict[str, object]) -> None:
    goal = SkillGoal("grasp", "take it", given_params, 2.5)  # type: ignore[arg-type]
    returned = skills.skill_goal_from_message(skills.skill_goal_message(goal, "00-a-b-01"))
    assert (returned.rskill_id, returned.prompt, returned.deadline) == ("grasp", "take it", 2.5)
    assert returned.params.keys() == goal.params.keys()
    for key, value in goal.params.items():
        back = returned.params[key]
        assert type(back) is type(value)
        assert close(back, value) if isinstance(value, Pose) else back == value  # type: ignore[arg-type]


def test_a_parameter_of_no_known_type_is_refused_by_name() -> None:
    with pytest.raises(UnknownParameterType, match="'speed' has type 9"):
        skills.params_of([KeyValue(key="speed", type=9)])


def test_skill_results_survive() -> None:
    result = SkillResult(SkillStatus.NOT_REACHABLE, "too far", {"distance": 1.5})
    message = skills.fill_skill_result(ExecuteRskill.Result(), result)
    assert not message.success
    assert skills.skill_result_from_message(message) == result


def test_a_look_survives_with_boxes_in_source_pixels() -> None:
    detection = Detection(Box(10.0, 20.0, 30.0, 60.0), "red mug", 0.75, "7")
    result = LocateResult(
        LocateStatus.FOUND, "1 found", "red mug", "head", "d", (detection,), 0.5, 0.25, 0.125
    )
    header = Header(frame_id="head_camera_optical_frame")
    response = detectors.fill_locate_response(LocateInView.Response(), result, header)
    assert response.found
    assert response.detections.header.frame_id == "head_camera_optical_frame"
    assert detectors.locate_result_from_response(response, "red mug") == result


def test_detector_info_survives() -> None:
    info = DetectorInfo(
        Name("omdet-turbo-locator", ("omdet",)),
        Mode.ON_DEMAND,
        "zeroshot_hf",
        Vocabulary.OPEN,
        "finds words",
        (),
        ("head", "wrist"),
        "Apache-2.0",
        True,
        500.0,
        0.5,
        memory_measured=480.0,
        memory_resident=450.0,
        scores_calibrated=False,
        is_default=True,
        state=LifecycleState.ACTIVE,
        health=Health.RESTARTING,
        health_message="restart in 1 s",
    )
    message = detectors.detector_info_message(info)
    assert detectors.detector_info_from_message(message) == info
    message.health = 200
    assert detectors.detector_info_from_message(message).blind


def test_the_scene_graph_survives() -> None:
    mug = SceneNode(
        "mug_1",
        NodeKind.OBJECT,
        "mug",
        Pose.planar(1.0, 2.0, 0.5, 0.8),
        (0.08, 0.08, 0.1),
        ("cup",),
        {"mug": 2.0, "cup": 0.5},
        (0.25,) * 9,
        0.5,
        Presence.STALE,
        True,
        True,
        Opening.CLOSED,
        1.0,
        2.0,
        3,
        "sim-groundtruth",
        4,
    )
    kitchen = SceneNode("kitchen", NodeKind.ROOM, "kitchen", Pose())
    graph = SceneGraph((mug, kitchen), (SceneEdge("mug_1", Relation.IN_ROOM, "kitchen", 0.5),), 4, 9)
    returned = scene_graph.scene_graph_from_message(scene_graph.scene_graph_message(graph, 12.5))
    assert returned == graph


MATCH = RecallMatch(
    "mug_1",
    "mug",
    0.5,
    Pose.planar(1, 2, 0),
    (0.25, 0.5, 1.0),
    "exact label",
    Pose.planar(0, 0, 1.5),
    "kitchen",
    "table",
    ("fridge",),
    "fridge",
    Presence.PRESENT,
    5.5,
    3,
    "sim",
)


@pytest.mark.parametrize(
    ("result", "through"),
    [
        (
            RecallResult(RecallStatus.AMBIGUOUS, "two", (MATCH,), (MATCH,), ("cup",), 7),
            lambda r: queries.recall_result_from_response(
                queries.fill_recall_response(RecallObject.Response(), r)
            ),
        ),
        (
            ObserveResult(ObserveStatus.REMEMBERED, "one", (MATCH,), ("no depth",), 8),
            lambda r: queries.observe_result_from_response(
                queries.fill_observe_response(ObserveDetections.Response(), r)
            ),
        ),
        (
            ResolveResult(
                ResolveStatus.FOUND, "there", Pose(), Pose.planar(1, 1, 0), "room", "k", ("a", "b"), 2.5
            ),
            lambda r: queries.resolve_result_from_response(
                queries.fill_resolve_response(ResolvePlace.Response(), r)
            ),
        ),
        (
            ResolveResult(ResolveStatus.NOT_FOUND, "nowhere", candidates=("kitchen",)),
            lambda r: queries.resolve_result_from_response(
                queries.fill_resolve_response(ResolvePlace.Response(), r)
            ),
        ),
    ],
)
def test_answers_survive(result: object, through: Callable[[object], object]) -> None:
    assert through(result) == result


def test_a_miss_carries_no_pose() -> None:
    response = queries.fill_resolve_response(
        ResolvePlace.Response(), ResolveResult(ResolveStatus.NOT_FOUND, "")
    )
    assert queries.resolve_result_from_response(response).goal_pose is None


@given(st.text(max_size=9), st.none() | points)
def test_questions_survive(words: str, place: tuple[float, float, float] | None) -> None:
    recall = RecallQuery(words, 3, place, 1.5, 60.0, "kitchen")
    assert queries.recall_query_from_request(queries.recall_request(recall, "")) == recall
    resolve = ResolveQuery(words, "person", place)
    assert queries.resolve_query_from_request(queries.resolve_request(resolve, "")) == resolve


def close(first: Pose, second: Pose) -> bool:
    same = np.allclose(first.position, second.position) and np.allclose(
        np.abs(np.dot(first.orientation, second.orientation)), 1.0
    )
    return bool(same)


@given(st.sampled_from(EditOperation), st.text("abc_1", max_size=5), points)
def test_edits_survive(operation: EditOperation, name: str, point: tuple[float, float, float]) -> None:
    asked = MemoryEdit(operation, name, "red mug", point, "mug_2")
    assert queries.edit_from_request(queries.edit_request(asked, "00-a-b-01")) == asked


@pytest.mark.parametrize("status", EditStatus)
def test_answers_to_edits_survive(status: EditStatus) -> None:
    result = EditResult(status, "because", ("mug_1", "mug_2"), 7)
    assert (
        queries.edit_result_from_response(queries.fill_edit_response(EditMemory.Response(), result)) == result
    )


def test_the_start_of_a_way_is_the_pose_of_the_request() -> None:
    request = ResolvePlace.Request(reference="sofa", has_start=True)
    request.start.position.x = 2.0
    assert queries.resolve_query_from_request(request).start == (2.0, 0.0, 0.0)


def graph_message() -> Any:
    nodes = (
        SceneNode("mug_1", NodeKind.OBJECT, "mug", Pose()),
        SceneNode("desk", NodeKind.PLACE, "desk", Pose()),
    )
    graph = SceneGraph(nodes, (SceneEdge("mug_1", Relation.ON, "desk"),))
    return scene_graph.scene_graph_message(graph, 1.0)


def test_nodes_and_relations_of_a_newer_version_are_left_out() -> None:
    message = graph_message()
    message.nodes[1].kind = 200
    assert [node.id for node in scene_graph.scene_graph_from_message(message).nodes] == ["mug_1"]
    assert not scene_graph.scene_graph_from_message(message).edges
    message = graph_message()
    message.edges[0].relation = "dreams_of"
    assert not scene_graph.scene_graph_from_message(message).edges


def test_a_presence_that_is_not_known_is_none_to_act_upon() -> None:
    message = graph_message()
    message.nodes[0].presence, message.nodes[0].opening = 200, 200
    node = scene_graph.scene_graph_from_message(message).nodes[0]
    assert (node.presence, node.opening) == (Presence.STALE, Opening.UNKNOWN)


@pytest.mark.parametrize("field", ["memory_declared", "memory_measured", "memory_resident", "latency"])
@pytest.mark.parametrize("amount", [math.nan, math.inf, -1.0])
def test_a_detector_of_no_measurable_size_is_refused_by_name(field: str, amount: float) -> None:
    message = DetectorInfoMsg(id="rtdetr-coco-r18")
    detectors.detector_info_from_message(message)
    setattr(message, field, amount)
    with pytest.raises(detectors.InvalidMeasure, match=field):
        detectors.detector_info_from_message(message)
