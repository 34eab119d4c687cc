"""Static maps built from a map file and from a stored graph."""

from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.home_map import Place, load_map
from openral_core.spatial_memory import NodeKind, Relation, SceneEdge, SceneGraph, SceneNode
from openral_world_state.home.loaders import static_map_from_graph, static_map_from_home

MAP = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")
HOME = static_map_from_home(MAP, map_epoch=3)


def stored(*nodes: SceneNode, edges: tuple[SceneEdge, ...] = ()) -> SceneGraph:
    return SceneGraph(nodes=nodes, edges=edges)


def test_every_room_fixture_spot_and_person_of_the_file_is_in_the_map() -> None:
    spots = {place.id for place in MAP.places if not place.looks_at}
    assert {site.node.id for site in HOME.sites} == {fixture.id for fixture in MAP.fixtures} | spots
    assert {area.node.id for area in HOME.areas} == {room.id for room in MAP.rooms}
    assert {agent.id for agent in HOME.agents} == {agent.id for agent in MAP.agents}
    assert {node.map_epoch for node in HOME.nodes.values()} == {3}


@pytest.mark.parametrize("place", [place for place in MAP.places if place.looks_at], ids=lambda p: p.id)
def test_a_place_that_serves_a_fixture_gives_it_its_pose_and_names(place: Place) -> None:
    site = HOME.by_id[place.looks_at]
    assert {place.id, place.name, *place.aliases} <= set(site.node.aliases)
    assert site.base_pose is not None
    assert site.base_pose.position[:2] == (place.pose.x, place.pose.y)
    assert place.id not in HOME.by_id


def test_furniture_that_holds_nothing_is_an_object_and_the_rest_are_places() -> None:
    kinds = {name: HOME.nodes[name].kind for name in ("floor_lamp", "fridge", "kitchen_middle", "sofa")}
    assert kinds == {
        "floor_lamp": NodeKind.OBJECT,
        "fridge": NodeKind.PLACE,
        "kitchen_middle": NodeKind.PLACE,
        "sofa": NodeKind.PLACE,
    }


def test_only_containers_have_an_interior() -> None:
    assert {site.node.id for site in HOME.containers} == {f.id for f in MAP.fixtures if f.container}
    assert HOME.nodes["fridge"].occludes_contents
    assert not HOME.nodes["bookshelf"].occludes_contents


def test_a_room_of_a_stored_graph_is_its_bounding_box() -> None:
    for room in MAP.rooms:
        node = HOME.nodes[room.id]
        (area,) = static_map_from_graph(stored(node)).areas
        assert set(area.outline.polygon) == set(room.polygon)


def test_a_stored_container_has_a_top_and_walls() -> None:
    node = SceneNode(
        "crate", NodeKind.PLACE, "crate", Pose((1.0, 2.0, 0.5)), (0.4, 0.6, 1.0), is_container=True
    )
    edge = SceneEdge("crate", Relation.IN_ROOM, "hall")
    hall = SceneNode("hall", NodeKind.ROOM, "hall", Pose(), (4.0, 4.0, 0.0))
    site = static_map_from_graph(stored(node, hall, edges=(edge,))).by_id["crate"]
    assert (site.room, site.height, site.base_pose) == ("hall", 1.0, None)
    assert site.encloses((1.0, 2.0, 0.5), margin=0.0)
    assert not site.encloses((1.19, 2.0, 0.5), margin=0.0)
    assert site.shelf_under((1.0, 2.0, 1.05), 1.0) is not None


def test_a_stored_place_without_a_size_is_a_spot_to_stand_on() -> None:
    node = SceneNode("window", NodeKind.PLACE, "window", Pose.planar(1.0, 2.0, 0.5))
    site = static_map_from_graph(stored(node)).by_id["window"]
    assert (site.footprint, site.base_pose) == (None, node.pose)


def test_only_objects_of_the_map_are_furniture() -> None:
    lamp = SceneNode("lamp", NodeKind.OBJECT, "lamp", Pose(), (0.3, 0.3, 1.6), source="map")
    mug = SceneNode("mug_1", NodeKind.OBJECT, "mug", Pose(), (0.1, 0.1, 0.1), source="rt-detr")
    assert list(static_map_from_graph(stored(lamp, mug)).by_id) == ["lamp"]
