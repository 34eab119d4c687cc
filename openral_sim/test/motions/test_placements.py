import numpy as np
from scipy.ndimage import distance_transform_edt

from openral_core.geometry import angle_between
from openral_sim.planning.base_planner import CostToGo, plan_from
from openral_sim.planning.occupancy_grid import RESOLUTION, SimOccupancyGrid
from openral_sim.planning.placement import REACHES, candidate_base_poses

TARGET = np.array([2.0, 1.0, 0.9])


def field_with_table() -> CostToGo:
    occupied = np.zeros((100, 80), dtype=bool)
    occupied[30:52, 0:26] = True
    grid = SimOccupancyGrid(np.zeros(2), distance_transform_edt(~occupied) * RESOLUTION)
    return plan_from(grid, np.array([4.0, 3.0]), 0.33)


def test_stands_on_free_floor_facing_the_target() -> None:
    poses = candidate_base_poses(field_with_table(), TARGET)
    assert poses
    for x, y, yaw in poses:
        assert np.isfinite(field_with_table().cost_at(np.array([x, y])))
        assert angle_between(float(yaw), float(np.arctan2(1.0 - y, 2.0 - x))) < 1e-6
        assert min(abs(np.hypot(x - 2.0, y - 1.0) - reach) for reach in REACHES) < 1e-9


def test_offers_the_nearer_side_first() -> None:
    first = candidate_base_poses(field_with_table(), TARGET)[0]
    assert first[1] > 1.0


def test_is_the_same_every_time() -> None:
    once, again = (np.array(candidate_base_poses(field_with_table(), TARGET)) for _ in range(2))
    assert np.array_equal(once, again)
