"""Positions where the robot fits, and the distances it drives between them."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.home_map import HomeMap, NoGoZone, load_map
from openral_world_state.navigation import FloorGrid, Routes, choose_viewpoint, pose_facing
from openral_world_state.static_map import static_map_from_home

MAP = load_map(Path(__file__).parents[2] / "scenes" / "maps" / "home.yaml")
HOME = static_map_from_home(MAP)
FLOOR = FloorGrid(HOME)
STANDS = HOME.base_poses


@pytest.mark.parametrize("place", sorted(STANDS))
def test_the_robot_fits_at_every_place_of_the_map(place: str) -> None:
    x, y, _ = STANDS[place].position
    assert FLOOR.is_free((x, y))


@pytest.mark.parametrize("point", [(2.0, 4.2), (0.36, 1.7), (-1.0, 2.0), (5.0, 0.5), (4.9, 4.0)])
def test_it_does_not_fit_into_furniture_or_walls(point: tuple[float, float]) -> None:
    assert not FLOOR.is_free(point)


def test_the_way_to_the_other_room_leads_through_the_doorway() -> None:
    start, goal = (4.3, 0.8), (5.7, 0.8)
    assert math.dist(start, goal) < 1.5
    assert FLOOR.distances((4.4, 2.2), [(5.6, 1.2)])[0] > 2.0


def test_without_a_doorway_there_is_no_way() -> None:
    doors = MAP.doorways[0].model_copy(update={"at": (5.0, -9.0)})
    shut = FloorGrid(static_map_from_home(HomeMap(**{**dict(MAP), "doorways": (doors,)})))
    assert math.isinf(shut.distances((2.0, 2.2), [(7.0, 2.6)])[0])
    assert not shut.connected((2.0, 2.2), (7.0, 2.6))


def test_a_no_go_zone_is_neither_entered_nor_crossed() -> None:
    doorway = MAP.doorways[0].at
    corners = tuple(
        (doorway[0] + dx, doorway[1] + dy) for dx, dy in ((-0.2, -1), (0.2, -1), (0.2, 1), (-0.2, 1))
    )
    zone = NoGoZone(id="cord", name="cord", polygon=corners)
    shut = FloorGrid(static_map_from_home(MAP.model_copy(update={"no_go_zones": (zone,)})))
    assert not shut.is_free(doorway)
    assert FLOOR.connected((2.0, 2.2), (7.0, 2.6))
    assert not shut.connected((2.0, 2.2), (7.0, 2.6))


ROUTES = Routes(FLOOR, STANDS)


@given(st.floats(0.3, 9.7), st.floats(0.3, 4.2))
def test_a_viewpoint_is_reachable_and_faces_its_target(x: float, y: float) -> None:
    pose = choose_viewpoint(FLOOR, (x, y), 0.7, None, (2.0, 2.2))
    if pose is None:
        return
    stand = (pose.position[0], pose.position[1])
    assert FLOOR.is_free(stand)
    assert FLOOR.connected(stand, (2.0, 2.2))
    assert math.isclose(math.cos(pose.yaw - math.atan2(y - stand[1], x - stand[0])), 1.0, abs_tol=1e-6)
    assert 0.5 < math.dist(stand, (x, y)) < 1.2


def test_an_object_on_the_counter_is_approached_from_the_front() -> None:
    pose = choose_viewpoint(FLOOR, (2.3, 4.15), 0.7, HOME.by_id["kitchen_counter"], None)
    assert pose is not None
    assert pose.position[1] < 3.6


def test_routes_join_every_place_of_the_home() -> None:
    for place in STANDS:
        found = ROUTES.route((2.0, 2.2), place)
        assert found is not None
        assert found.places[-1] == place


def test_a_route_passes_joined_places_only() -> None:
    joined = {frozenset((first, second)) for first, second, _ in ROUTES.edges}
    for start in STANDS.values():
        for goal in STANDS:
            route = ROUTES.route(start.position[:2], goal)
            assert route is not None
            steps = zip(route.places, route.places[1:], strict=False)
            assert all(frozenset(step) in joined for step in steps)


def test_a_route_is_no_shorter_than_the_straight_line_and_as_long_in_both_directions() -> None:
    for first, a in STANDS.items():
        for second, b in STANDS.items():
            there, back = ROUTES.route(a.position[:2], second), ROUTES.route(b.position[:2], first)
            assert there is not None
            assert back is not None
            assert there.length == pytest.approx(back.length, abs=1e-6)
            assert there.length >= a.distance(b) - 2.0 * 0.05


def test_an_edge_is_the_shortest_connection_of_its_places() -> None:
    assert len(ROUTES.edges) >= len(STANDS) - 1
    for first, second, length in ROUTES.edges:
        assert first < second
        distance = FLOOR.distances(STANDS[first].position[:2], [STANDS[second].position[:2]])[0]
        assert length == pytest.approx(distance, abs=1e-6)


@pytest.mark.parametrize("goal", ["nowhere", "outside"])
def test_an_unknown_or_unreachable_place_has_no_route(goal: str) -> None:
    routes = Routes(FLOOR, {**STANDS, "outside": Pose((50.0, 50.0, 0.0))})
    assert routes.route((2.0, 2.2), goal) is None


@pytest.mark.parametrize("place", sorted(STANDS))
def test_the_place_nearest_to_a_base_pose_is_its_own(place: str) -> None:
    assert ROUTES.nearest(STANDS[place].position[:2]) == place


def test_without_places_there_is_none_near() -> None:
    assert Routes(FLOOR, {}).nearest((1.0, 1.0)) == ""


@given(st.floats(-5.0, 5.0), st.floats(-5.0, 5.0), st.floats(-3.1, 3.1), st.floats(0.1, 9.0))
def test_a_facing_pose_looks_straight_at_its_target(x: float, y: float, bearing: float, away: float) -> None:
    pose = pose_facing((x, y), (x + away * math.cos(bearing), y + away * math.sin(bearing)))
    assert pose.yaw == pytest.approx(bearing, abs=1e-6)
    assert pose.position == (x, y, 0.0)


def test_a_target_out_of_reach_has_no_viewpoint_unless_its_furniture_has_a_base_pose() -> None:
    far = (50.0, 50.0)
    assert choose_viewpoint(FLOOR, far, 0.7, None, None) is None
    fallback = choose_viewpoint(FLOOR, far, 0.7, HOME.by_id["fridge"], None)
    assert fallback is not None
    assert fallback.position == STANDS["fridge"].position
