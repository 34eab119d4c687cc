"""Static map: containment, support and distance in a site's own frame."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.home_map import Box3, Place, Pose2, Rectangle, Room, load_map
from openral_core.spatial_memory import NodeKind, Relation, SceneEdge, SceneGraph, SceneNode
from openral_world_state.static_map import (
    Area,
    SiteFixture,
    StaticMap,
    SupportSurface,
    is_on_map,
    static_map_from_graph,
    static_map_from_home,
)

ANYWHERE = st.builds(Pose2, x=st.floats(-5.0, 5.0), y=st.floats(-5.0, 5.0), yaw=st.floats(-3.0, 3.0))


def cabinet(frame: Pose2, drawn: float = 0.0, name: str = "cabinet", room: str = "") -> SiteFixture:
    """Build a cabinet of 0.4 m x 0.8 m with two shelves and an interior from 0.1 m to 1.4 m."""
    area = Rectangle(min=(-0.2, -0.4), max=(0.2, 0.4))
    return SiteFixture(
        SceneNode(name, NodeKind.PLACE, name, Pose.planar(frame.x, frame.y, frame.yaw)),
        room,
        frame,
        footprint=area,
        height=1.5,
        shelves=(SupportSurface(0.4, area), SupportSurface(0.9, area)),
        interior=Box3(min=(-0.2, -0.4, 0.1), max=(0.2, 0.4, 1.4)),
        drawn=drawn,
    )


@given(ANYWHERE, st.floats(-0.19, 0.19), st.floats(-0.39, 0.39), st.floats(0.11, 1.39))
def test_a_container_encloses_the_points_of_its_interior_however_it_stands(
    frame: Pose2, x: float, y: float, z: float
) -> None:
    site, point = cabinet(frame), (*frame.to_parent(x, y), z)
    assert site.encloses(point)
    assert not site.encloses((*point[:2], z + 1.5))
    assert not site.encloses((*frame.to_parent(x + 0.5, y), z))
    assert site.distance(point) == pytest.approx(0.0, abs=1e-9)


def test_a_drawer_encloses_its_contents_pulled_out_in_front() -> None:
    point = (0.4, 0.0, 0.5)
    assert not cabinet(Pose2(x=0.0, y=0.0)).encloses(point)
    assert cabinet(Pose2(x=0.0, y=0.0), drawn=0.3).encloses(point)
    assert not cabinet(Pose2(x=0.0, y=0.0), drawn=0.3).encloses((-0.4, 0.0, 0.5))


@pytest.mark.parametrize(
    ("bottom", "height"), [(0.41, 0.4), (0.33, 0.4), (0.95, 0.9), (0.6, None), (0.0, None), (1.5, None)]
)
def test_the_supporting_shelf_is_the_one_just_below(bottom: float, height: float | None) -> None:
    shelf = cabinet(Pose2(x=1.0, y=2.0)).shelf_under((1.0, 2.0, bottom + 0.05), bottom)
    assert (shelf.height if shelf else None) == height


def test_no_shelf_supports_an_object_beside_it() -> None:
    assert cabinet(Pose2(x=0.0, y=0.0)).shelf_under((0.4, 0.0, 0.45), 0.4) is None


@given(ANYWHERE, st.floats(0.0, 3.0), st.floats(-0.4, 0.4))
def test_the_distance_is_measured_from_the_nearest_side(frame: Pose2, away: float, y: float) -> None:
    point = (*frame.to_parent(0.2 + away, y), 0.5)
    assert math.isclose(cabinet(frame).distance(point), away, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("point", "on_map"),
    [((1.0, -1.0, 0.0), True), ((math.nan, 0.0), False), ((0.0, math.inf), False), ((1e9, 0.0), False)],
)
def test_a_position_on_the_map_is_finite_and_near(point: tuple[float, ...], on_map: bool) -> None:
    assert is_on_map(point) is on_map


def square(name: str, x: float) -> Area:
    corners = ((x, 0.0), (x + 3.0, 0.0), (x + 3.0, 3.0), (x, 3.0))
    return Area(
        SceneNode(name, NodeKind.ROOM, name, Pose()), Room(id=name, name=name, aliases=(), polygon=corners)
    )


def test_the_nearest_site_is_in_the_same_room() -> None:
    home = StaticMap(
        areas=(square("kitchen", 0.0), square("hall", 3.0)),
        sites=(
            cabinet(Pose2(x=3.3, y=1.0), name="coats", room="hall"),
            cabinet(Pose2(x=2.0, y=1.0), name="pans", room="kitchen"),
        ),
    )
    point = (2.9, 1.0, 1.0)
    assert home.room_at(point) == "kitchen"
    near = home.nearest_site(point, 1.0)
    assert near is not None
    assert near.node.id == "pans"
    assert home.nearest_site(point, 0.5) is None
    assert home.room_at((9.0, 9.0, 0.0)) == ""


def test_an_empty_map_knows_nothing() -> None:
    home, point = StaticMap(), (0.0, 0.0, 0.0)
    assert home.room_at(point) == ""
    assert home.container_at(point) is None
    assert home.support_of(point, 0.0) is None
    assert home.nearest_site(point, 100.0) is None
    assert not home.nodes


MAP = load_map(Path(__file__).parents[2] / "scenes" / "maps" / "home.yaml")
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
