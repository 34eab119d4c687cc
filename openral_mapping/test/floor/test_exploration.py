"""Exploration of drawn floors: all that can be reached is seen, the rest is given up, and it ends."""

from math import pi

import numpy as np
import pytest
from numpy.typing import NDArray

from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap
from openral_core.home_map import Pose2
from openral_mapping.floor.exploration import CONFIG, LookAround, cast, explore, looks, way_lengths

CELL = 0.05
Cells = NDArray[np.int8]


def home(width: float = 8.0, height: float = 5.0) -> Cells:
    """Two rooms with a doorway of one metre and a closed box."""
    truth = np.full((round(height / CELL), round(width / CELL)), FREE, np.int8)
    truth[[0, 1, -2, -1]], truth[:, [0, 1, -2, -1]] = OCCUPIED, OCCUPIED
    middle = truth.shape[1] // 2
    truth[:, middle : middle + 2] = OCCUPIED
    truth[40:60, middle : middle + 2] = FREE
    truth[60:76, 20:36] = OCCUPIED
    truth[62:74, 22:34] = FREE
    return truth


def show(truth: FloorMap, known: Cells, at: tuple[float, float], reach: float = 2.5) -> None:
    """Copy what is seen from a point: everything up to and including the first obstacle of each ray."""
    bearing, steps = np.arange(0.0, 2.0 * pi, 0.015), np.arange(0.0, reach / CELL, 0.7)
    along = np.stack([np.outer(np.sin(bearing), steps), np.outer(np.cos(bearing), steps)], axis=-1)
    places = np.rint(truth.cell(np.array(at)) + along).astype(int)
    row, column = (places[..., axis].clip(0, truth.cells.shape[axis] - 1) for axis in (0, 1))
    hits = np.cumsum(truth.cells[row, column] == OCCUPIED, axis=1)
    seen = (hits == 0) | ((hits == 1) & (truth.cells[row, column] == OCCUPIED))
    known[row[seen], column[seen]] = truth.cells[row[seen], column[seen]]


def explored(truth: FloorMap, at: tuple[float, float]) -> tuple[FloorMap, list[LookAround], list[float]]:
    """Take views to the end."""
    floor = FloorMap(np.full(truth.cells.shape, UNKNOWN, np.int8), CELL, truth.origin)
    views, shares = list[LookAround](), list[float]()
    show(truth, floor.cells, at, reach=1.0)
    while True:
        step = explore(floor, at, views)
        shares.append(step.share)
        if step.view is None:
            return floor, views, shares
        views.append(step.view)
        at = step.view.at
        show(truth, floor.cells, at)


def test_sees_all_floor_that_can_be_reached_through_a_doorway_and_no_closed_box() -> None:
    truth = FloorMap(home(), CELL)
    floor, views, shares = explored(truth, (1.0, 1.0))
    reachable = np.isfinite(way_lengths(truth, (1.0, 1.0), truth.clearance(CONFIG.unknown_margin)))
    assert (floor.cells[reachable] == FREE).mean() > 0.99
    assert (floor.cells[63:73, 23:33] == UNKNOWN).all()
    assert shares[-1] > 0.97
    assert shares[0] < 0.3
    assert len(views) < 20


def test_a_turned_and_shifted_map_is_explored_just_the_same() -> None:
    truth = FloorMap(home(), CELL, Pose2(x=3.0, y=-2.0, yaw=pi / 2))
    _, views, shares = explored(truth, (2.0, -1.0))
    assert shares[-1] > 0.97
    for view in views:
        assert truth.value_at(*view.at) == FREE


@pytest.mark.parametrize("seed", range(4))
def test_every_exploration_ends_and_stands_on_known_floor(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = FloorMap(home(5.0, 5.0), CELL)
    for row, column in rng.integers(10, 90, (8, 2)):
        if np.hypot(row - 20, column - 20) > 15:
            truth.cells[row : row + 6, column : column + 6] = OCCUPIED
    floor, views, shares = explored(truth, (1.0, 1.0))
    assert len(views) < CONFIG.max_views
    assert all(0.0 <= share <= 1.0 for share in shares)
    for view in views:
        assert floor.value_at(*view.at) == FREE
        assert view.gain >= CONFIG.least_gain


def test_what_a_view_could_not_show_counts_no_more() -> None:
    cells = np.full((60, 60), FREE, np.int8)
    cells[20:40, 45:] = UNKNOWN
    floor, base = FloorMap(cells, CELL), (1.5, 1.5)
    first = explore(floor, base)
    assert first.view is not None
    assert first.share < 1.0
    again = [first.view]
    while (step := explore(floor, base, again)).view is not None:
        again.append(step.view)
    assert len(again) < 6
    assert step.share > 0.99


def test_goes_for_the_larger_gain_only_if_it_is_worth_the_way() -> None:
    cells = np.full((40, 400), FREE, np.int8)
    cells[14:24, 60:70], cells[:, 380:] = UNKNOWN, UNKNOWN
    floor = FloorMap(cells, CELL)
    near, far = (explore(floor, (x, 1.0)).view for x in (2.0, 17.0))
    assert near is not None
    assert far is not None
    assert near.at[0] < 5.0
    assert far.at[0] > 15.0
    assert far.gain > near.gain


def test_counts_only_the_part_that_is_asked_for() -> None:
    cells = np.full((60, 120), FREE, np.int8)
    cells[:, :10], cells[:, 110:] = UNKNOWN, UNKNOWN
    floor = FloorMap(cells, CELL)
    right = np.zeros(cells.shape, bool)
    right[:, 60:] = True
    step = explore(floor, (2.0, 1.5), within=right)
    assert step.view is not None
    assert step.view.at[0] > 3.0
    assert step.frontier[:, 0].min() > 5.0
    assert explore(floor, (2.0, 1.5), within=np.zeros(cells.shape, bool)).view is None


def test_looks_around_where_it_stands_while_nothing_else_is_known() -> None:
    floor = FloorMap(np.full((100, 100), UNKNOWN, np.int8), CELL)
    view = explore(floor, (2.5, 2.5)).view
    assert view is not None
    assert view.way == 0.0
    assert np.hypot(view.at[0] - 2.5, view.at[1] - 2.5) < CELL
    assert len(view.bearings) >= 2.0 * pi / CONFIG.look_width


def test_no_floor_without_enough_clearance_is_reached() -> None:
    floor = FloorMap(home(), CELL)
    clearance = floor.clearance(CONFIG.unknown_margin)
    lengths = way_lengths(floor, (1.0, 1.0), clearance)
    assert lengths[tuple(floor.cell(np.array([6.0, 2.5])))] == pytest.approx(5.5, abs=0.4)
    assert np.isinf(lengths[tuple(floor.cell(np.array([0.3, 2.5])))])
    assert np.isinf(way_lengths(floor, (20.0, 20.0), clearance)).all()


def test_rays_end_at_obstacles_and_after_a_metre_of_unknown_space() -> None:
    cells = np.full((60, 60), UNKNOWN, np.int8)
    cells[:, 40] = OCCUPIED
    floor = FloorMap(cells, CELL)
    fan = cast(floor, np.array([[30, 30]]), cells == UNKNOWN, 4, CONFIG)
    assert fan.shown[0].sum(axis=1).tolist() == [9, 20, 20, 20]


def test_looks_cover_every_bearing_with_a_gain() -> None:
    bearing = np.arange(72) * 2.0 * pi / 72
    gain = np.zeros(72)
    gain[[0, 3, 40]] = 1.0
    chosen = looks(bearing, gain, CONFIG)
    assert len(chosen) == 2
    for wanted in bearing[gain > 0.0]:
        assert np.cos(chosen - wanted).max() >= np.cos(CONFIG.look_width / 2.0)
