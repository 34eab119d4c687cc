"""A floor with a box, a low wall and a robot."""

import mujoco
import pytest

from openral_sim.robot.joints import RobotNames
from openral_sim.robot.sim_robot import load_sim_robot

BOX = mujoco.mjtGeom.mjGEOM_BOX


@pytest.fixture(scope="session")
def compiled() -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(5, 5, 0.1))
    spec.worldbody.add_geom(type=BOX, pos=(1.2, 0.0, 0.4), size=(0.3, 0.5, 0.4))
    spec.worldbody.add_geom(type=BOX, pos=(0.0, 2.0, 2.2), size=(0.5, 0.5, 0.2))
    body = spec.worldbody.add_body(name="ball", pos=(1.2, 0.0, 0.86))
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(0.05, 0, 0), mass=0.1)
    turned = spec.worldbody.add_body(name="turned", pos=(-2.0, -1.0, 0.3), quat=(0.924, 0, 0, 0.383))
    turned.add_geom(type=BOX, size=(0.5, 0.05, 0.3))
    load_sim_robot().add_to(spec, 0.0, 0.0, 0.0)
    return spec.compile()


@pytest.fixture
def data(compiled: mujoco.MjModel) -> mujoco.MjData:
    data = mujoco.MjData(compiled)
    load_sim_robot().set_stowed(compiled, data)
    return data


@pytest.fixture
def names() -> RobotNames:
    return load_sim_robot().names
