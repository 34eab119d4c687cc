import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.home_map import NoGoZone
from openral_sim.planning.occupancy_grid import RESOLUTION, SimOccupancyGrid, rasterise
from openral_sim.robot.control import robot_bodies
from openral_sim.robot.joints import RobotNames


@pytest.fixture
def grid(compiled: mujoco.MjModel, data: mujoco.MjData, names: RobotNames) -> SimOccupancyGrid:
    return rasterise(compiled, data, robot_bodies(compiled, names))


@pytest.mark.parametrize(
    ("point", "distance"),
    [((1.2, 0.0), 0.0), ((0.9, 0.3), 0.0), ((0.4, 0.0), 0.5), ((1.2, -1.1), 0.6), ((-2.0, -1.0), 0.0)],
)
def test_measures_the_distance_to_the_nearest_obstacle(
    grid: SimOccupancyGrid, point: tuple[float, float], distance: float
) -> None:
    assert grid.clearance_at(np.array(point)) == pytest.approx(distance, abs=1.5 * RESOLUTION)


def test_a_turned_box_covers_only_its_own_outline(grid: SimOccupancyGrid) -> None:
    along, across = np.array([-2.0, -1.0]) + 0.35, np.array([-2.0 - 0.35, -1.0 + 0.35])
    assert grid.clearance_at(along) == 0.0
    assert grid.clearance_at(across) > 0.3


def test_what_hangs_above_the_robot_is_no_obstacle(grid: SimOccupancyGrid) -> None:
    assert grid.clearance_at(np.array([0.0, 2.0])) > 0.5


def test_a_no_go_zone_is_an_obstacle(
    compiled: mujoco.MjModel, data: mujoco.MjData, names: RobotNames, grid: SimOccupancyGrid
) -> None:
    zone = NoGoZone(id="rug", name="rug", polygon=((-0.2, 0.8), (0.2, 0.8), (0.2, 1.1), (-0.2, 1.1)))
    guarded = rasterise(compiled, data, robot_bodies(compiled, names), (zone,))
    at = np.array([0.0, 0.95])
    assert grid.clearance_at(at) > 0.2
    assert guarded.clearance_at(at) == 0.0
    assert guarded.clearance_at(np.array([0.0, 0.6])) == pytest.approx(0.2, abs=1.5 * RESOLUTION)


def test_the_robot_is_an_obstacle_only_to_others(
    compiled: mujoco.MjModel, data: mujoco.MjData, grid: SimOccupancyGrid
) -> None:
    assert grid.clearance_at(np.zeros(2)) > 0.5
    assert rasterise(compiled, data, frozenset()).clearance_at(np.zeros(2)) == 0.0


@given(st.integers(0, 40), st.integers(0, 40))
def test_a_cell_is_the_cell_of_its_own_centre(ix: int, iy: int) -> None:
    grid = SimOccupancyGrid(np.array([-1.3, 0.7]), np.zeros((41, 41)))
    assert grid.cell(grid.point(np.array([ix, iy]))) == (ix, iy)
