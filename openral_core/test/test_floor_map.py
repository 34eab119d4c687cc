"""Cells of a floor map and the points of its frame."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap, MapTooLarge, check_size
from openral_core.home_map import Pose2

CELLS = np.array([[FREE, OCCUPIED, UNKNOWN], [UNKNOWN, FREE, FREE]], np.int8)


@given(st.floats(-20, 20), st.floats(-20, 20), st.floats(-3.2, 3.2), st.floats(0.01, 0.5))
def test_the_centre_of_a_cell_is_in_that_cell(x: float, y: float, yaw: float, resolution: float) -> None:
    floor = FloorMap(CELLS, resolution, Pose2(x=x, y=y, yaw=yaw))
    rows, columns = (index.ravel() for index in np.indices(CELLS.shape))
    found = floor.cell(floor.centres(rows, columns))
    assert np.array_equal(found, np.column_stack((rows, columns)))


def test_rows_run_along_y_of_a_turned_origin() -> None:
    floor = FloorMap(CELLS, 1.0, Pose2(x=2.0, y=3.0, yaw=np.pi / 2))
    assert floor.value_at(1.5, 3.5) == FREE
    assert floor.value_at(1.5, 4.5) == OCCUPIED
    assert floor.centres(np.array([0]), np.array([1])) == pytest.approx(np.array([[1.5, 4.5]]))


def test_outside_is_unknown() -> None:
    floor = FloorMap(CELLS, 1.0)
    assert floor.value_at(-0.1, 0.5) == floor.value_at(3.1, 0.5) == UNKNOWN


def test_a_map_larger_than_a_building_is_refused() -> None:
    check_size(8000, 8000)
    with pytest.raises(MapTooLarge, match="100000x100000"):
        check_size(100_000, 100_000)


def test_clearance_is_the_distance_to_obstacles_and_with_a_margin_to_what_is_unknown() -> None:
    cells = np.full((1, 9), FREE, np.int8)
    cells[0, 0] = OCCUPIED
    clearance = FloorMap(cells, 0.1).clearance(0.3)[0]
    assert clearance == pytest.approx(np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.4, 0.4, 0.4, 0.4]))
    assert FloorMap(cells[:, 1:], 0.1).clearance(0.0).max() == pytest.approx(0.1)
