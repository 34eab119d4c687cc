"""Relations and locations derived from geometry."""

import json
from pathlib import Path

import networkx as nx
import pytest

from openral_core.documents import InvalidDocument
from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_core.spatial_memory import (
    InvalidSceneGraph,
    NodeKind,
    Opening,
    Relation,
    SceneEdge,
    SceneGraph,
    SceneNode,
)
from openral_world_state.scene_graph import (
    NotJson,
    OutsideSaveFolder,
    home_edges,
    is_supported_by,
    locate_in_home,
    must_open,
    path_to_save,
    read_graph,
    route_edges,
    write_graph,
)
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.static_map import StaticMap, static_map_from_graph, static_map_from_home

HOME = static_map_from_home(load_map(Path(__file__).parents[2] / "scenes" / "maps" / "home.yaml"))


def box(
    x: float, y: float, z: float, size: tuple[float, float, float] = (0.1, 0.1, 0.1), **more: object
) -> ObjectRecord:
    return ObjectRecord("box_1", "box", Pose((x, y, z)), size, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("record", "room", "place", "on", "inside"),
    [
        (box(2.0, 4.1, 0.95), "kitchen", "kitchen_counter", "kitchen_counter", None),
        (box(0.4, 1.7, 0.9), "kitchen", "fridge", None, "fridge"),
        (box(2.0, 3.5, 0.05), "kitchen", "kitchen_counter", None, None),
        (box(2.5, 2.4, 0.05), "kitchen", "kitchen_middle", None, None),
        (box(6.5, 3.4, 0.05, carried=True), "living_room", "", None, None),
        (box(20.0, 20.0, 0.05), "", "", None, None),
    ],
    ids=["on", "inside", "before", "at a spot", "carried", "outside"],
)
def test_locates_an_object_by_its_support_container_or_nearest_site(
    record: ObjectRecord, room: str, place: str, on: str | None, inside: str | None
) -> None:
    found = locate_in_home(record, HOME)
    assert (found.room, found.place) == (room, place)
    assert (found.on.node.id if found.on else None) == on
    assert (found.inside.node.id if found.inside else None) == inside
    assert found.site is (found.inside or found.on)


@pytest.mark.parametrize(
    ("site", "openings", "expected"),
    [
        ("fridge", {}, "fridge"),
        ("fridge", {"fridge": Opening.CLOSED}, "fridge"),
        ("fridge", {"fridge": Opening.OPEN}, ""),
        ("fridge", {"cabinet": Opening.OPEN}, "fridge"),
        ("bookshelf", {}, ""),
    ],
)
def test_an_occluding_container_must_be_opened_unless_it_is_known_to_be_open(
    site: str, openings: dict[str, Opening], expected: str
) -> None:
    assert must_open(HOME.by_id[site], openings) == expected
    assert must_open(None, openings) == ""


@pytest.mark.parametrize(
    ("upper", "supported"),
    [
        (box(0.0, 0.0, 0.1), True),
        (box(0.0, 0.0, 0.12), True),
        (box(0.0, 0.0, 0.08), True),
        (box(0.0, 0.0, 0.25), False),
        (box(0.2, 0.0, 0.1), False),
        (box(0.0, 0.0, 0.1, (0.4, 0.4, 0.1)), False),
        (box(0.0, 0.0, 0.05), False),
    ],
    ids=["on", "just above", "in its hollow", "floating", "beside", "wider", "on the same surface"],
)
def test_an_object_stands_on_a_wider_one_below_it(upper: ObjectRecord, supported: bool) -> None:
    tray = box(0.0, 0.0, 0.025, (0.3, 0.3, 0.05))
    assert is_supported_by(upper, tray) is supported
    assert not is_supported_by(tray, upper)


def test_every_fixture_and_person_is_in_its_room() -> None:
    edges = list(home_edges(HOME))
    fixed = {s.node.id for s in HOME.sites} | {a.id for a in HOME.agents} | {p.node.id for p in HOME.parts}
    assert {edge.source for edge in edges if edge.relation is Relation.IN_ROOM} == fixed
    assert SceneEdge("requester", Relation.IN_ROOM, "living_room") in edges
    assert not list(home_edges(StaticMap()))


def test_a_route_leads_in_both_directions() -> None:
    assert list(route_edges([("a", "b", 1.5)])) == [
        SceneEdge("a", Relation.TRAVERSABLE_TO, "b", 1.5),
        SceneEdge("b", Relation.TRAVERSABLE_TO, "a", 1.5),
    ]


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


@pytest.mark.parametrize("asked", ["graph.json", "deep/../graph.json", "./graph.json"])
def test_below_the_folder_is_allowed(tmp_path: Path, asked: str) -> None:
    assert path_to_save(asked, str(tmp_path), "") == tmp_path / "graph.json"
    assert path_to_save(str(tmp_path / asked), str(tmp_path), "") == tmp_path / "graph.json"


@pytest.mark.parametrize(
    "asked", ["../package.json", "/etc/package.json", "link/graph.json", "a/../../b.json"]
)
def test_outside_of_the_folder_is_refused(tmp_path: Path, asked: str) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(OutsideSaveFolder, match="may write only below"):
        path_to_save(asked, str(folder), "")


def test_without_a_folder_only_the_configured_file_is_written() -> None:
    assert path_to_save("", "", "/robot/home.json") == Path("/robot/home.json")
    with pytest.raises(OutsideSaveFolder, match="save_folder is empty"):
        path_to_save("graph.json", "", "/robot/home.json")


@pytest.mark.parametrize(
    ("asked", "configured"), [("", ""), ("", "memory.sqlite"), ("graph", ""), ("a\0.json", "")]
)
def test_only_json_is_written(tmp_path: Path, asked: str, configured: str) -> None:
    with pytest.raises(NotJson):
        path_to_save(asked, str(tmp_path), configured)


@pytest.mark.parametrize(
    ("text", "problem"), [("[" * 100_000, "nested too deeply"), ("9" * 5000, "an integer of 5000 characters")]
)
def test_json_that_python_cannot_hold_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "graph.json").write_text(text)
    with pytest.raises(InvalidDocument, match=problem):
        read_graph(tmp_path / "graph.json")


def test_a_control_is_part_of_its_appliance_and_that_of_its_furniture() -> None:
    whole = {edge.source: edge.target for edge in home_edges(HOME) if edge.relation is Relation.PART_OF}
    assert whole == {"floor_lamp_switch": "floor_lamp", "tv_button": "tv", "tv": "sideboard"}
    again = static_map_from_graph(SceneGraph(tuple(HOME.nodes.values()), tuple(home_edges(HOME))))
    assert {part.node.id: (part.of, part.node.affordance) for part in again.parts} == {
        "floor_lamp_switch": ("floor_lamp", "switch"),
        "tv_button": ("tv", "button"),
        "tv": ("sideboard", ""),
    }
