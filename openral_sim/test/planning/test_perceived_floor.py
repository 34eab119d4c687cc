"""The perceived floor as a grid: unknown cells are not free, zones hold, and what is lacking is told."""

from collections.abc import Callable

import numpy as np
import pytest

from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap
from openral_core.geometry import yaw_matrix
from openral_core.home_map import NoGoZone, Pose2
from openral_core.skills import SkillStatus
from openral_sim.planning.base_planner import plan_from
from openral_sim.planning.perceived_floor import (
    UNKNOWN_MARGIN,
    NoFloorMap,
    NoKnownWay,
    PerceivedFloor,
    UnknownFloor,
    perceived_grid,
    unreachable,
)

START = np.array([0.6, 1.0])


@pytest.fixture
def floor_of() -> Callable[..., FloorMap]:
    """``floor_of((rows, columns, value), ...)``: 4 m x 2 m of free floor with parts that are not."""

    def make(*parts: tuple[slice, slice, int]) -> FloorMap:
        cells = np.full((40, 80), FREE, np.int8)
        for rows, columns, value in parts:
            cells[rows, columns] = value
        return FloorMap(cells, 0.05)

    return make


ALL = slice(None)


def test_the_clearance_of_a_cell_is_its_distance_to_the_nearest_obstacle(
    floor_of: Callable[..., FloorMap],
) -> None:
    grid = perceived_grid(floor_of((slice(18, 22), slice(40, 44), OCCUPIED)))
    assert grid.clearance_at(np.array([2.025, 1.025])) == 0.0
    assert grid.clearance_at(np.array([1.525, 1.025])) == pytest.approx(0.5)


def test_unknown_space_and_the_end_of_the_map_are_kept_away_from_like_obstacles_less_a_margin(
    floor_of: Callable[..., FloorMap],
) -> None:
    grid = perceived_grid(floor_of((ALL, slice(60, 80), UNKNOWN)))
    assert grid.clearance_at(np.array([2.525, 1.025])) == pytest.approx(0.5 + UNKNOWN_MARGIN)
    assert grid.clearance_at(np.array([1.525, 0.025])) == pytest.approx(0.05 + UNKNOWN_MARGIN)
    assert grid.clearance_at(np.array([-3.0, 1.0])) < 0.33


def test_no_go_zones_are_obstacles_and_what_moves_with_the_hand_is_none(
    floor_of: Callable[..., FloorMap],
) -> None:
    zone = NoGoZone(id="rug", name="rug", polygon=((3.0, 0.0), (4.0, 0.0), (4.0, 2.0), (3.0, 2.0)))
    floor = floor_of((ALL, slice(40, 42), OCCUPIED))
    grid = perceived_grid(floor, (zone,))
    assert grid.clearance_at(np.array([3.5, 1.0])) == 0.0
    assert grid.clearance_at(np.array([2.05, 1.0])) == 0.0
    door = np.array([(2.0, 0.0), (2.1, 0.0), (2.1, 2.0), (2.0, 2.0)])
    assert perceived_grid(floor, (), (door,)).clearance_at(np.array([2.05, 1.0])) > 0.4


def test_a_turned_map_with_finer_cells_shows_the_same_floor() -> None:
    cells = np.full((200, 200), FREE, np.int8)
    cells[100, 150] = OCCUPIED  # 3.0 m along the row's direction, 2.0 m across
    grid = perceived_grid(FloorMap(cells, 0.02, Pose2(x=1.0, y=0.0, yaw=np.pi / 2)))
    assert grid.clearance_at(np.array([1.0 - 2.01, 3.01])) == 0.0
    assert grid.clearance_at(np.array([1.0 - 2.01, 2.51])) == pytest.approx(0.5, abs=0.04)


def test_without_a_map_it_says_what_to_start() -> None:
    with pytest.raises(NoFloorMap, match="start the mapper or SLAM") as raised:
        PerceivedFloor().map()
    assert raised.value.status is SkillStatus.INACTIVE


@pytest.mark.parametrize(
    ("part", "kind", "words"),
    [
        ((ALL, slice(40, 80), UNKNOWN), UnknownFloor, "lies in unknown space; known floor leads up to"),
        ((ALL, slice(40, 42), OCCUPIED), NoKnownWay, "no way over known floor with 0.33 m of clearance"),
    ],
)
def test_says_why_a_goal_is_not_reachable_and_how_far_the_floor_leads(
    floor_of: Callable[..., FloorMap], part: tuple[slice, slice, int], kind: type, words: str
) -> None:
    floor = floor_of(part)
    field = plan_from(perceived_grid(floor), START, 0.33)
    reason = unreachable(floor, field, np.array([3.0, 1.0]))
    assert type(reason) is kind
    assert words in str(reason)
    assert 1.4 < float(str(reason.evidence["x"])) < 2.0


def test_a_map_that_is_turned_a_little_keeps_its_doors_and_its_single_cells(
    floor_of: Callable[..., FloorMap],
) -> None:
    wall = slice(40, 43)
    floor = floor_of(
        (ALL, wall, OCCUPIED), (slice(10, 28), wall, FREE), (slice(5, 6), slice(20, 21), OCCUPIED)
    )
    for degrees in (0.0, 0.5, 2.0, 10.0):
        T = yaw_matrix(0.02, -0.01, np.radians(degrees))
        grid = perceived_grid(floor.moved(T))
        post = (T @ (1.025, 0.275, 0.0, 1.0))[:2]
        assert grid.clearance_at(post) < 0.05
        door = (T @ (2.075, 0.95, 0.0, 1.0))[:2]
        assert grid.clearance_at(door) == pytest.approx(0.45, abs=0.05), degrees
