import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from openral_sim.planning.range_sensor import (
    NoObjectFound,
    cast_rays,
    line_of_sight,
    segment_object,
    window_around,
)
from openral_sim.robot import RobotNames
from openral_sim.robot.control import robot_bodies

LOOKING_DOWN = np.array([[1, 0, 0, 1.2], [0, -1, 0, 0.0], [0, 0, -1, 1.5], [0, 0, 0, 1.0]])


def test_measures_where_the_surfaces_are(compiled: mujoco.MjModel, data: mujoco.MjData) -> None:
    window = window_around(LOOKING_DOWN, np.array([1.2, 0.0, 0.8]), 0.2, 0.02)
    points = cast_rays(compiled, data, LOOKING_DOWN, window, frozenset())
    assert len(points) == len(window)
    assert points[:, 2].max() == pytest.approx(0.91, abs=0.002)
    away = np.hypot(points[:, 0] - 1.2, points[:, 1]) > 0.08
    assert np.allclose(points[away, 2], 0.8, atol=1e-6)


def test_a_window_covers_the_square_it_was_asked_for(compiled: mujoco.MjModel, data: mujoco.MjData) -> None:
    window = window_around(LOOKING_DOWN, np.array([1.1, 0.1, 0.8]), 0.1, 0.01)
    points = cast_rays(compiled, data, LOOKING_DOWN, window, frozenset({compiled.body("ball").id}))
    assert points[:, 0].min() == pytest.approx(1.0, abs=1e-6)
    assert points[:, 1].max() == pytest.approx(0.2, abs=1e-6)


def test_leaves_out_what_it_is_blind_to(compiled: mujoco.MjModel, data: mujoco.MjData) -> None:
    window = window_around(LOOKING_DOWN, np.array([1.2, 0.0, 0.8]), 0.2, 0.02)
    points = cast_rays(compiled, data, LOOKING_DOWN, window, frozenset({compiled.body("ball").id}))
    assert 0 < len(points) < len(window)
    assert points[:, 2].max() < 0.81


@pytest.mark.parametrize(
    ("point", "seen"), [((0.95, 0.0, 0.85), True), ((1.8, 0.0, 0.2), False), ((0.0, 1.0, 1.0), True)]
)
def test_sees_along_a_free_line_only(
    compiled: mujoco.MjModel, data: mujoco.MjData, names: RobotNames, point: tuple[float, ...], seen: bool
) -> None:
    eye = np.array([-0.1, 0.0, 1.36])
    blind = robot_bodies(compiled, names)
    assert line_of_sight(compiled, data, eye, np.array(point), blind) is seen


Vector = NDArray[np.float64]

TABLE = 0.75


def scan(*boxes: tuple[float, float, float, float], noise: float = 0.0) -> Vector:
    """Points of a table and of boxes (x, y, half, height) on it, seen from above."""
    x, y = (grid.ravel() for grid in np.meshgrid(*[np.arange(-0.2, 0.2, 0.004)] * 2))
    z = np.full(len(x), TABLE)
    for cx, cy, half, height in boxes:
        z[(np.abs(x - cx) < half) & (np.abs(y - cy) < half)] = TABLE + height
    return np.column_stack([x, y, z + np.random.default_rng(0).normal(0, noise, len(z))])


def test_cuts_out_the_thing_nearest_to_where_it_is_expected() -> None:
    segment = segment_object(
        scan((0.0, 0.0, 0.03, 0.1), (0.12, 0.0, 0.03, 0.1)), np.array([0.02, 0.01, 0.8]), TABLE
    )
    assert segment.own_points[:, 0].max() < 0.04
    assert segment.own_points[:, 0].min() > -0.04


def test_finds_the_support_even_when_its_height_was_told_wrong() -> None:
    segment = segment_object(scan((0.0, 0.0, 0.03, 0.1), noise=0.0005), np.zeros(3), TABLE + 0.03)
    assert segment.support == pytest.approx(TABLE, abs=0.003)


def test_says_that_nothing_stands_there() -> None:
    with pytest.raises(NoObjectFound, match=r"no object within 5 cm of \(0.00, 0.00, 0.80\)"):
        segment_object(scan((0.15, 0.15, 0.02, 0.1)), np.array([0.0, 0.0, 0.8]), TABLE)


def test_an_empty_table_shows_nothing() -> None:
    with pytest.raises(NoObjectFound):
        segment_object(scan(), np.array([0.0, 0.0, 0.8]), TABLE)
