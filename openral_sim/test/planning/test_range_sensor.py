import mujoco
import numpy as np
import pytest

from openral_sim.planning.range_sensor import cast_rays, line_of_sight, window_around
from openral_sim.robot.control import robot_bodies
from openral_sim.robot.joints import RobotNames

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
