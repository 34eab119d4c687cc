"""The graph as JSON and back."""

import json
from pathlib import Path

import networkx as nx
import pytest

from openral_core.documents import InvalidDocument
from openral_core.geometry import Pose
from openral_core.spatial_memory import (
    InvalidSceneGraph,
    NodeKind,
    Relation,
    SceneEdge,
    SceneGraph,
    SceneNode,
)
from openral_world_state.scene_graph.json_io import read_graph, write_graph

GRAPH = SceneGraph(
    nodes=(
        SceneNode("kitchen", NodeKind.ROOM, "kitchen", Pose()),
        SceneNode(
            "mug_1", NodeKind.OBJECT, "mug", Pose((1.0, 2.0, 3.0)), (0.1, 0.1, 0.1), votes={"mug": 2.0}
        ),
    ),
    edges=(
        SceneEdge("mug_1", Relation.IN_ROOM, "kitchen"),
        SceneEdge("mug_1", Relation.NEAR, "kitchen", 0.5),
    ),
    map_epoch=2,
    revision=7,
)


def test_what_was_written_is_read_the_same(tmp_path: Path) -> None:
    write_graph(GRAPH, tmp_path / "graph.json")
    assert read_graph(tmp_path / "graph.json") == GRAPH


def test_networkx_reads_it_too(tmp_path: Path) -> None:
    write_graph(GRAPH, tmp_path / "graph.json")
    graph = nx.node_link_graph(json.loads((tmp_path / "graph.json").read_text()), edges="edges")
    assert graph.nodes["mug_1"]["label"] == "mug"
    assert set(graph["mug_1"]["kitchen"]) == {"in_room", "near"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"graph": {"schema_version": 2}}, "graph.schema_version"),
        ({"nodes": [{"id": "a", "kind": "thing", "label": "a", "position": [0, 0, 0]}]}, "nodes.0.kind"),
        (
            {"nodes": [{"id": "a", "kind": "object", "label": "a", "position": [0, 0, "NaN"]}]},
            "nodes.0.position.2",
        ),
        ({"extra": 1}, "unknown key 'extra'"),
    ],
)
def test_a_wrong_document_is_refused_by_key(tmp_path: Path, change: dict[str, object], words: str) -> None:
    path = tmp_path / "graph.json"
    path.write_text(json.dumps({"graph": {"schema_version": 1}, **change}))
    with pytest.raises(InvalidDocument, match=words):
        read_graph(path)


def test_a_dangling_edge_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    edge = {"source": "a", "target": "b", "key": "on"}
    path.write_text(json.dumps({"graph": {"schema_version": 1}, "edges": [edge]}))
    with pytest.raises(InvalidSceneGraph, match="missing nodes"):
        read_graph(path)


def test_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "graph.json").write_text("{")
    with pytest.raises(InvalidDocument):
        read_graph(tmp_path / "graph.json")
