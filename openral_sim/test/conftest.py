"""The home scene, and a bare room: a table with a loaf, a can and a crate on it, a low wall, and a person."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import mujoco
import pytest

from openral_core.home_map import NoGoZone
from openral_core.skills import Feedback, ParamValue, SkillResult, Verb
from openral_sim.motion_primitives.context import CONTROL_PERIOD, SkillContext
from openral_sim.robot.joints import PREFIX
from openral_sim.robot.sim_robot import SimRobot, load_sim_robot
from openral_sim.scene.compose import Composition, compose
from openral_sim.scene.entities import WorldFurniture
from openral_sim.scene.scene import Scene, load_scene
from openral_sim.scene.world import SimWorldModel
from openral_sim.skills.runner import run

SCENE = Path(__file__).parents[2] / "scenes" / "deploy" / "home.yaml"


@pytest.fixture(scope="session")
def scene() -> Scene:
    return load_scene(SCENE)


@pytest.fixture(scope="session")
def composition(scene: Scene) -> Composition:
    """The scene of seed 0 without a robot: composed once, as settling takes the longest."""
    return compose(scene, 0, None)


@pytest.fixture(scope="session")
def still_world(scene: Scene, composition: Composition) -> SimWorldModel:
    """A world shared by tests that neither step nor change it."""
    return SimWorldModel(scene, composition)


@pytest.fixture
def world(scene: Scene, composition: Composition) -> SimWorldModel:
    return SimWorldModel(scene, composition)


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
    """The part of a world that skills need, compiled once for all tests."""

    def __init__(self, robot: SimRobot) -> None:
        self.robot = robot
        self.people = {"ann": Someone("person", "palm")}
        self.furniture: dict[str, WorldFurniture] = {}
        self.no_go_zones: tuple[NoGoZone, ...] = ()
        self.model = copy.copy(_model(robot))
        self.data = mujoco.MjData(self.model)
        robot.set_stowed(self.model, self.data)
        mujoco.mj_step(self.model, self.data, 100)


@cache
def _model(robot: SimRobot) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone, spec.option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 10.0
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    floor = spec.worldbody.add_body(name="floor")
    floor.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(6, 6, 0.1))
    spec.worldbody.add_geom(type=_BOX, pos=(2.0, 0.0, TABLE_TOP / 2), size=(0.40, 0.70, TABLE_TOP / 2))
    spec.worldbody.add_geom(type=_BOX, pos=(0.0, 1.6, 0.6), size=(1.2, 0.05, 0.6))
    for name in THINGS:
        _add_thing(spec, name)
    _add_person(spec, -1.6, -0.8)
    robot.add_to(spec, 0.0, 0.0, 0.0)
    for part in [body.name for body in spec.bodies if body.name.startswith(PREFIX)]:
        spec.add_exclude(bodyname1="floor", bodyname2=part)
    return spec.compile()


def _add_thing(spec: mujoco.MjSpec, name: str) -> None:
    kind, size, xy = THINGS[name]
    half_height = size[2] if kind == _BOX else size[1]
    body = spec.worldbody.add_body(name=name, pos=(*xy, TABLE_TOP + half_height))
    body.add_freejoint()
    body.add_geom(type=kind, size=size, mass=0.25, condim=4, friction=(1, 0.01, 0.001))


def _add_person(spec: mujoco.MjSpec, x: float, y: float) -> None:
    body = spec.worldbody.add_body(name="person", pos=(x, y, 0.0))
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=(0, 0, 0.2, 0, 0, 1.5), size=(0.15, 0, 0))
    body.add_geom(type=_BOX, pos=(0.35, 0, 0.98), size=(0.06, 0.04, 0.02))
    body.add_site(name="palm", pos=(0.35, 0, 1.0))


@pytest.fixture
def in_room() -> Callable[[SimRobot], SkillContext]:
    """``in_room(robot)``: any robot in a fresh room."""
    return lambda robot: SkillContext(Room(robot))


@pytest.fixture
def new_context() -> Callable[[int], SkillContext]:
    """``new_context(seed)``: the default robot in a fresh room."""
    return lambda seed: SkillContext(Room(load_sim_robot()), seed)


@pytest.fixture
def context(new_context: Callable[[int], SkillContext]) -> SkillContext:
    return new_context(0)


@pytest.fixture
def at_home(scene: Scene) -> Callable[[int], SkillContext]:
    """``at_home(seed)``: a robot in the home scene."""

    def enter(seed: int) -> SkillContext:
        world = SimWorldModel.load(scene, seed, load_sim_robot())
        load_sim_robot().set_stowed(world.model, world.data)
        return SkillContext(world, seed)

    return enter


@pytest.fixture
def wait(context: SkillContext) -> Callable[[int], None]:
    """``wait(periods)``: let physics run while no skill does."""
    return lambda periods: _step(context, periods)


@pytest.fixture
def do(context: SkillContext) -> Callable[..., SkillResult]:
    """``do(verb, **params)``: run a skill to its end, stepping physics once per yield.

    ``cancel_when(feedback)`` is asked after every period; ``by`` names another robot than the test's own.
    """

    def run_to_end(
        verb: Verb,
        cancel_when: Callable[[Feedback], bool] = lambda _: False,
        by: SkillContext = context,
        **params: ParamValue,
    ) -> SkillResult:
        running = run(by, verb, params)
        while True:
            try:
                feedback = next(running)
            except StopIteration as end:
                result: SkillResult = end.value
                return result
            assert 0.0 <= feedback.progress <= 1.0
            by.cancelled = by.cancelled or cancel_when(feedback)
            _step(by, 1)

    return run_to_end


def _step(context: SkillContext, periods: int) -> None:
    steps = periods * round(CONTROL_PERIOD / context.model.opt.timestep)
    mujoco.mj_step(context.model, context.data, steps)


@pytest.fixture
def robot(at_home: Callable[[int], SkillContext]) -> SkillContext:
    """A robot in a home where a bottle and a glass stand on a free stretch of the counter."""
    robot = at_home(0)
    stand = {"wine_bottle": (2.75, 4.05, 1.047), "wine_glass": (3.0, 4.05, 0.997), "can": (3.9, 1.0, 0.83)}
    for name, position in stand.items():
        robot.data.joint(f"object/{name}").qpos[:] = (*position, 1, 0, 0, 0)
    mujoco.mj_step(robot.model, robot.data, 100)
    return robot
