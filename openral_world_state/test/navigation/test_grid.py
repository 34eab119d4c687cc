"""Positions where the robot fits, and the distances it drives between them."""

import math
from pathlib import Path

import pytest

from openral_core.home_map import HomeMap, load_map
from openral_world_state.home.loaders import static_map_from_home
from openral_world_state.navigation.grid import FloorGrid

MAP = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")
HOME = static_map_from_home(MAP)
FLOOR = FloorGrid(HOME)
STANDS = {site.node.id: site.base_pose for site in HOME.sites if site.base_pose is not None}


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
