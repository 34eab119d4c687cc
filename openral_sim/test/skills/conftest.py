"""A bare room: a table with a loaf, a can and a crate on it, a shelf, and a person to give things to."""

from dataclasses import dataclass

import mujoco
import pytest

from openral_core.skills import SkillResult
from openral_sim.robot import add_robot, stand_tucked
from openral_sim.skills import CONTROL_PERIOD, SkillContext, run

TABLE_TOP = 0.75
_BOX, _CYLINDER = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CYLINDER
THINGS = {
    "loaf": (_BOX, (0.025, 0.15, 0.025), (1.80, 0.30)),
    "can": (_CYLINDER, (0.032, 0.055, 0.0), (1.80, -0.10)),
    "crate": (_BOX, (0.10, 0.10, 0.08), (1.85, -0.45)),
}


@dataclass(frozen=True)
class Someone:
    body: str
    hand_site: str


class Room:
    """What the skills need of a world, and a way to step it."""

    def __init__(self):
        spec = mujoco.MjSpec()
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 10.0
        spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(6, 6, 0.1))
        _block(spec, (2.0, 0.0, TABLE_TOP / 2), (0.40, 0.70, TABLE_TOP / 2))
        _block(spec, (0.0, 1.6, 0.6), (1.2, 0.05, 0.6))
        for name, (kind, size, xy) in THINGS.items():
            _add_thing(spec, name, kind, size, xy)
        self.people = {"ann": _add_person(spec, (-1.6, -0.8))}
        add_robot(spec, 0.0, 0.0, 0.0)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        stand_tucked(self.model, self.data)
        mujoco.mj_step(self.model, self.data, 100)

    def step(self):
        mujoco.mj_step(self.model, self.data, round(CONTROL_PERIOD / self.model.opt.timestep))

    def height_of(self, thing):
        return float(self.data.body(thing).xpos[2])


def _block(spec, pos, half):
    spec.worldbody.add_geom(type=_BOX, pos=pos, size=half)


def _add_thing(spec, name, kind, size, xy):
    half_height = size[2] if kind == _BOX else size[1]
    body = spec.worldbody.add_body(name=name, pos=(*xy, TABLE_TOP + half_height))
    body.add_freejoint()
    body.add_geom(type=kind, size=size, mass=0.25, condim=4, friction=(1, 0.01, 0.001))


def _add_person(spec, xy):
    body = spec.worldbody.add_body(name="person", pos=(*xy, 0.0))
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=(0, 0, 0.2, 0, 0, 1.5), size=(0.15, 0, 0))
    body.add_geom(type=_BOX, pos=(0.35, 0, 0.98), size=(0.06, 0.04, 0.02))
    body.add_site(name="palm", pos=(0.35, 0, 1.0))
    return Someone("person", "palm")


@pytest.fixture
def room():
    return Room()


@pytest.fixture
def context(room):
    return SkillContext(room, seed=0)


def finish(context, verb, cancel_when=None, **params) -> SkillResult:
    """Run a skill to its end, stepping physics once per yield."""
    running = run(context, verb, params)
    while True:
        try:
            feedback = next(running)
        except StopIteration as end:
            return end.value
        assert 0.0 <= feedback.progress <= 1.0
        if cancel_when is not None and cancel_when(feedback):
            context.cancelled = True
        context.world.step()


@pytest.fixture
def do(context):
    """``do(verb, **params)`` runs a skill to its end."""
    return lambda verb, cancel_when=None, **params: finish(context, verb, cancel_when, **params)
