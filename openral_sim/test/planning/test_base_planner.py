from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import distance_transform_edt

from openral_core.arrays import Array, Points
from openral_core.geometry import angle_between
from openral_sim.planning.base_planner import CostToGo, NoBasePath, candidate_base_poses, plan_from
from openral_sim.planning.occupancy_grid import RESOLUTION, SimOccupancyGrid


def floor(*walls: tuple[int, int, int, int], size: tuple[int, int] = (80, 60)) -> SimOccupancyGrid:
    """A floor of ``size`` cells with rectangles of cells occupied."""
    occupied = np.zeros(size, dtype=bool)
    for x0, x1, y0, y1 in walls:
        occupied[x0:x1, y0:y1] = True
    occupied[[0, -1], :] = occupied[:, [0, -1]] = True
    return SimOccupancyGrid(np.zeros(2), distance_transform_edt(~occupied) * RESOLUTION)


def clearances_along(grid: SimOccupancyGrid, path: Points) -> Array:
    dense = np.vstack([a + np.linspace(0, 1, 80)[:, None] * (b - a) for a, b in pairwise(path)])
    return np.array([grid.clearance_at(point) for point in dense])


def test_goes_straight_over_empty_floor() -> None:
    path = plan_from(floor(), np.array([1.0, 1.5]), 0.3).path_to(np.array([3.0, 1.5]))
    assert len(path) == 2


def test_goes_round_a_wall_and_keeps_clear_of_it() -> None:
    grid = floor((38, 42, 0, 40))
    path = plan_from(grid, np.array([0.7, 0.7]), 0.3).path_to(np.array([3.3, 0.7]))
    assert path[0] == pytest.approx([0.7, 0.7])
    assert path[-1] == pytest.approx([3.3, 0.7])
    assert clearances_along(grid, path).min() > 0.3 - RESOLUTION


def test_says_that_no_way_leads_through_a_wall() -> None:
    field = plan_from(floor((38, 42, 0, 60)), np.array([0.7, 0.7]), 0.3)
    with pytest.raises(NoBasePath, match=r"no base path from \(0.70, 0.70\) to \(3.30, 0.70\)"):
        field.path_to(np.array([3.3, 0.7]))


def test_leaves_a_docked_place_by_the_nearest_free_floor() -> None:
    grid = floor((0, 40, 0, 10))
    field = plan_from(grid, np.array([1.0, 0.62]), 0.3)
    assert np.isfinite(field.cost_at(np.array([3.0, 2.0])))


def test_refuses_to_start_far_inside_something() -> None:
    with pytest.raises(NoBasePath):
        plan_from(floor((10, 70, 10, 50)), np.array([2.0, 1.5]), 0.3)


def test_offers_the_nearest_floor_beside_an_occupied_goal() -> None:
    field = plan_from(floor((38, 44, 28, 34)), np.array([0.7, 0.7]), 0.3)
    blocked = np.array([2.0, 1.5])
    beside = field.nearest_reachable(blocked, 0.6)
    assert np.isfinite(field.cost_at(beside))
    assert 0 < np.linalg.norm(beside - blocked) <= 0.6
    assert np.isnan(field.nearest_reachable(blocked, 0.05)).all()


@given(st.floats(0.5, 3.4), st.floats(0.5, 2.4))
def test_a_way_never_costs_less_than_the_straight_line(x: float, y: float) -> None:
    field = plan_from(floor((38, 42, 20, 40)), np.array([0.7, 0.7]), 0.3)
    cost = field.cost_at(np.array([x, y]))
    assert cost >= np.hypot(x - 0.7, y - 0.7) - 2 * RESOLUTION


TARGET = np.array([2.0, 1.0, 0.9])
REACHES = (0.55, 0.62, 0.70, 0.48, 0.78, 0.84)


def field_with_table() -> CostToGo:
    occupied = np.zeros((100, 80), dtype=bool)
    occupied[30:52, 0:26] = True
    grid = SimOccupancyGrid(np.zeros(2), distance_transform_edt(~occupied) * RESOLUTION)
    return plan_from(grid, np.array([4.0, 3.0]), 0.33)


def test_stands_on_free_floor_facing_the_target() -> None:
    poses = candidate_base_poses(field_with_table(), TARGET, REACHES)
    assert poses
    for x, y, yaw in poses:
        assert np.isfinite(field_with_table().cost_at(np.array([x, y])))
        assert angle_between(float(yaw), float(np.arctan2(1.0 - y, 2.0 - x))) < 1e-6
        assert min(abs(np.hypot(x - 2.0, y - 1.0) - reach) for reach in REACHES) < 1e-9


def test_offers_the_nearer_side_first() -> None:
    first = candidate_base_poses(field_with_table(), TARGET, REACHES)[0]
    assert first[1] > 1.0


def test_is_the_same_every_time() -> None:
    once, again = (np.array(candidate_base_poses(field_with_table(), TARGET, REACHES)) for _ in range(2))
    assert np.array_equal(once, again)
