"""Snapshots of the scene graph are consistent or refused."""

import pytest

from openral_core.geometry import Pose
from openral_core.spatial_memory import (
    InvalidSceneGraph,
    NodeKind,
    Relation,
    SceneEdge,
    SceneGraph,
    SceneNode,
)

MUG = SceneNode("mug_1", NodeKind.OBJECT, "mug", Pose())
TABLE = SceneNode("table", NodeKind.PLACE, "table", Pose())
ON = SceneEdge("mug_1", Relation.ON, "table")


def test_relations_are_followed_both_ways() -> None:
    graph = SceneGraph((MUG, TABLE), (ON,))
    assert graph.targets("mug_1", Relation.ON) == ("table",)
    assert graph.sources(Relation.ON, "table") == ("mug_1",)
    assert graph.of_kind(NodeKind.PLACE) == (TABLE,)


def test_a_dangling_edge_is_refused_by_name() -> None:
    with pytest.raises(InvalidSceneGraph, match="missing nodes: 'table'"):
        SceneGraph((MUG,), (ON,))


def test_an_id_given_twice_is_refused_by_name() -> None:
    with pytest.raises(InvalidSceneGraph, match="duplicate ids: 'mug_1'"):
        SceneGraph((MUG, MUG))
