"""Conversions of the scene graph."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.spatial_memory import (
    EditOperation,
    EditResult,
    EditStatus,
    MemoryEdit,
    NodeKind,
    ObserveResult,
    ObserveStatus,
    Opening,
    Presence,
    RecallMatch,
    RecallQuery,
    RecallResult,
    RecallStatus,
    Relation,
    ResolveQuery,
    ResolveResult,
    ResolveStatus,
    SceneEdge,
    SceneGraph,
    SceneNode,
)
from openral_msgs.srv import EditMemory, ObserveDetections, RecallObject, ResolvePlace
from openral_ros.conversions import spatial_memory as queries
from openral_ros.conversions import spatial_memory as scene_graph

pytest.importorskip("openral_msgs")


def test_the_scene_graph_survives() -> None:
    mug = SceneNode(
        "mug_1",
        NodeKind.OBJECT,
        "mug",
        Pose.planar(1.0, 2.0, 0.5, 0.8),
        (0.08, 0.08, 0.1),
        ("cup",),
        {"mug": 2.0, "cup": 0.5},
        ("cup",),
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


pytest.importorskip("openral_msgs")

numbers = st.floats(-1e3, 1e3, allow_nan=False)
points = st.tuples(numbers, numbers, numbers)
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
