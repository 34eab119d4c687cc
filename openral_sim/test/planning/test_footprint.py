import mujoco
import numpy as np
import pytest

from openral_sim.planning.footprint import ObjectFootprint, lies_free

SCENE = """
<mujoco><worldbody>
  <geom type="box" size="0.15 0.5 0.35" pos="0 0 0.35"/>
  <geom name="jar" type="cylinder" size="0.04 0.1" pos="0 0.3 0.8"/>
  <body name="arm" pos="0 -0.3 0.9"><geom type="box" size="0.2 0.1 0.02"/></body>
</worldbody></mujoco>
"""


@pytest.mark.parametrize(
    ("middle", "yaw", "free"),
    [
        ((0.0, -0.2), 90.0, True),
        ((0.0, -0.2), 0.0, False),
        ((0.0, 0.2), 90.0, False),
        ((0.1, 0.3), 90.0, True),
        ((0.0, 0.4), 90.0, False),
    ],
)
def test_a_long_object_lies_free_along_the_board_only(
    middle: tuple[float, float], yaw: float, free: bool
) -> None:
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    footprint = ObjectFootprint(np.array([0.17, 0.03]))
    points = footprint.points(np.array([*middle, 0.7]), np.radians(yaw), 0.01)
    arm = frozenset({model.body("arm").id})
    assert footprint.is_long
    assert lies_free(model, data, points, 0.7, 0.4, arm) is free
    assert not lies_free(model, data, points, 0.6, 0.4, arm)


def test_a_round_footprint_is_not_long() -> None:
    assert not ObjectFootprint(np.array([0.05, 0.04])).is_long
    assert ObjectFootprint(np.array([0.02, 0.1])).radius == 0.1
    assert ObjectFootprint(np.array([0.02, 0.1])).half_width == 0.02
