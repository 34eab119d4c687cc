import mujoco
import numpy as np
import pytest

from openral_sim.planning.placement import find_placements

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
