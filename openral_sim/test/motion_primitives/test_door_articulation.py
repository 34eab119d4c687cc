import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from openral_core.geometry import yaw_matrix
from openral_sim.motion_primitives.door import Hinge, hinge_of
from openral_sim.scene.world import SimWorldModel

angles = st.floats(-1.9, 1.9)
coordinates = st.floats(-3.0, 3.0)
sides = st.sampled_from((-1.0, 1.0))


def a_hinge(side: float) -> Hinge:
    return Hinge("hinge", side, np.array(yaw_matrix(0.6, 2.0, 0.4)))


@given(sides, coordinates, coordinates, angles, angles)
def test_what_is_carried_keeps_its_pose_on_the_door(
    side: float, x: float, y: float, first: float, by: float
) -> None:
    hinge, pose = a_hinge(side), np.array([x, y, 0.3])
    before = np.linalg.inv(hinge.T_map_door(first)) @ yaw_matrix(*pose)
    after = np.linalg.inv(hinge.T_map_door(first + by)) @ yaw_matrix(*hinge.moved_with(pose, by))
    assert np.allclose(before, after, atol=1e-9)


@given(sides, coordinates, coordinates, angles)
def test_its_velocity_is_the_derivative_of_where_it_is_carried(
    side: float, x: float, y: float, angle: float
) -> None:
    hinge, pose = a_hinge(side), np.array([x, y, 0.0])
    here = hinge.moved_with(pose, angle)
    step = (hinge.moved_with(pose, angle + 1e-5) - hinge.moved_with(pose, angle - 1e-5)) / 2e-5
    assert np.allclose(hinge.velocity(here, 1.0)[:2], step[:2], atol=1e-4)


@pytest.mark.parametrize(("fixture", "out"), [("fridge", (1, 0, 0)), ("cabinet", (0, 1, 0))])
@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_reads_a_door_the_same_however_it_stands(
    world: SimWorldModel, fixture: str, out: NDArray[np.float64], angle: float
) -> None:
    door = world.furniture[fixture].doors[0]
    world.data.joint(door.joint).qpos = angle
    mujoco.mj_forward(world.model, world.data)
    hinge = hinge_of(world.model, world.data, door.body, door.joint)
    assert np.allclose(hinge.normal(0.0), out, atol=1e-4)
    assert np.allclose(hinge.T_map_door(angle), world.T_world(door.body), atol=1e-6)
