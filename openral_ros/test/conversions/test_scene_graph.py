"""Conversions of the scene graph."""

from typing import Any

import pytest

from openral_core.geometry import Pose
from openral_core.scene_graph import NodeKind, Opening, Presence, Relation, SceneEdge, SceneGraph, SceneNode

pytest.importorskip("openral_msgs")
from openral_ros.conversions import scene_graph


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
