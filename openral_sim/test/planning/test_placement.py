import mujoco
import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt

from openral_core.geometry import angle_between
from openral_sim.planning.base_planner import CostToGo, plan_from
from openral_sim.planning.occupancy_grid import RESOLUTION, SimOccupancyGrid
from openral_sim.planning.placement import candidate_base_poses, find_placements

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


TOP = 0.8
_BOX = mujoco.mjtGeom.mjGEOM_BOX
Scene = tuple[mujoco.MjModel, mujoco.MjData]


@pytest.fixture
def table() -> Scene:
    """A table of 80 x 60 cm with a box of 10 cm in its middle."""
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=_BOX, size=(0.4, 0.3, TOP / 2), pos=(0, 0, TOP / 2))
    spec.worldbody.add_geom(type=_BOX, size=(0.05, 0.05, 0.05), pos=(0, 0, TOP + 0.05))
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("told", [(0.25, 0.1, TOP), (0.0, 0.0, TOP), (0.0, 0.0, TOP / 2)])
def test_every_spot_is_free_and_on_the_table(table: Scene, told: tuple[float, float, float]) -> None:
    spots = find_placements(*table, np.array(told), 0.06, lambda xy: float(xy[0]))
    assert spots
    for x, y, z in spots:
        assert abs(x) < 0.35
        assert abs(y) < 0.25
        assert max(abs(x), abs(y)) > 0.09
        assert z == pytest.approx(TOP, abs=0.004)


def test_a_free_point_is_the_first_spot(table: Scene) -> None:
    spots = find_placements(*table, np.array([0.25, 0.1, TOP]), 0.06, lambda xy: float(xy[0]))
    assert np.allclose(spots[0], (0.25, 0.1, TOP), atol=0.011)


def test_on_a_piece_of_furniture_the_easiest_spot_comes_first(table: Scene) -> None:
    spots = find_placements(*table, np.array([0.0, 0.0, TOP / 2]), 0.06, lambda xy: float(xy[0]))
    assert spots[0][0] < -0.2


@pytest.mark.parametrize(("told", "radius"), [((0.2, 0.1, TOP), 0.5), ((3.0, 0.0, TOP), 0.05)])
def test_finds_none_where_there_is_no_room(
    table: Scene, told: tuple[float, float, float], radius: float
) -> None:
    assert find_placements(*table, np.array(told), radius, lambda _: 0.0) == []
