"""Composes a scene, drawn by a seed, and a robot into one specification."""
# MERGED Physics and drawing options every composed model shares.
# MERGED Objects brought to rest before a world begins.
# MERGED Furniture, objects and people added to a specification.

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import mujoco
import numpy as np

from openral_core.home_map import Agent, Fixture
from openral_sim.assets.furniture.builder import FurnitureBuilder
from openral_sim.assets.furniture.catalogue import build_fixture
from openral_sim.assets.objects.builder import ObjectBuilder
from openral_sim.assets.objects.catalogue import KINDS, build_object
from openral_sim.assets.person import build_person
from openral_sim.robot.joints import RobotNames
from openral_sim.scene.building import FLOOR, add_building
from openral_sim.scene.entities import WorldFurniture, WorldObject, WorldPerson
from openral_sim.scene.scene import Scene
from openral_sim.scene.schema import CameraStyle, FurnitureStyle, ObjectPlacement, PersonStyle, yaw_quaternion

TIMESTEP = 0.002
EXTENT = 10.0
NEAR, FAR = 0.02, 40.0
"""Clipping distances of every camera [m]."""


def new_spec(name: str) -> mujoco.MjSpec:
    """An empty specification with contact and drawing options set."""
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.compiler.degree = False
    _set_physics(spec.option)
    spec.stat.extent = EXTENT
    spec.stat.center = (5.0, 2.25, 1.0)
    _set_drawing(spec.visual)
    _add_sky(spec)
    return spec


def _set_physics(option: mujoco.MjOption) -> None:
    option.timestep = TIMESTEP
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = 10.0
    # MuJoCo 4.0.0 has a wrong Hessian in its sparse Newton solver.
    option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE


def _set_drawing(visual: mujoco.MjVisual) -> None:
    visual.map.znear, visual.map.zfar = NEAR / EXTENT, FAR / EXTENT
    visual.map.shadowclip = 1.2
    visual.map.shadowscale = 0.9
    visual.quality.offsamples = 0
    visual.quality.shadowsize = 1024
    visual.headlight.ambient = (0.46, 0.46, 0.47)
    visual.headlight.diffuse = (0.16, 0.16, 0.16)
    visual.headlight.specular = (0.05, 0.05, 0.05)


def _add_sky(spec: mujoco.MjSpec) -> None:
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.93, 0.93, 0.91),
        rgb2=(0.72, 0.78, 0.84),
        width=64,
        height=384,
    )


_SETTLE_TIME = 1.5


def settle(spec: mujoco.MjSpec, bodies: Iterable[str]) -> None:
    """Let free bodies come to rest, and write where they rest into the specification; nothing without any."""
    names = list(bodies)
    if not names:
        return
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(_SETTLE_TIME / model.opt.timestep))
    for name in names:
        rest = data.body(name)
        spec.body(name).pos, spec.body(name).quat = rest.xpos.copy(), rest.xquat.copy()


_CLEARANCE = 0.001


def add_fixture(spec: mujoco.MjSpec, fixture: Fixture, style: FurnitureStyle) -> WorldFurniture:
    """Add a fixture where the map has it."""
    pose = fixture.pose
    body = spec.worldbody.add_body(
        name=f"furniture/{fixture.id}", pos=(pose.x, pose.y, 0), quat=yaw_quaternion(pose.yaw)
    )
    builder = FurnitureBuilder(spec, body, fixture, style)
    build_fixture(builder)
    return WorldFurniture(fixture, body.name, _geoms_of(body), tuple(builder.doors))


def add_object(
    spec: mujoco.MjSpec, scene: Scene, placement: ObjectPlacement, rng: np.random.Generator
) -> WorldObject:
    """Add an object just above its surface, its placement drawn."""
    fixture, surface = scene.spot(placement)
    kind, pose = KINDS[placement.kind], placement.draw(rng)
    x, y = fixture.pose.to_parent(pose.x, pose.y)
    body = spec.worldbody.add_body(
        name=f"object/{placement.id}",
        pos=(x, y, surface.z + kind.size[2] / 2 + _CLEARANCE),
        quat=yaw_quaternion(fixture.pose.yaw + pose.yaw),
    )
    body.add_freejoint(name=body.name)
    build_object(ObjectBuilder(spec, body, placement.kind, kind, placement.colour))
    phrase = f"{placement.colour} {kind.noun}" if placement.colour else kind.noun
    return WorldObject(
        placement.id, placement.kind, phrase, body.name, _geoms_of(body), kind.size, kind.graspable
    )


def add_person(spec: mujoco.MjSpec, agent: Agent, style: PersonStyle) -> WorldPerson:
    """Add a person where the map has them."""
    pose = agent.pose
    body = spec.worldbody.add_body(
        name=f"person/{agent.id}", pos=(pose.x, pose.y, 0), quat=yaw_quaternion(pose.yaw)
    )
    hand = build_person(spec, body, style, agent.height)
    return WorldPerson(agent.id, agent.name, pose, body.name, _geoms_of(body), hand)


def _geoms_of(body: mujoco.MjsBody) -> tuple[str, ...]:
    return tuple(geom.name for geom in body.find_all(mujoco.mjtObj.mjOBJ_GEOM))


AddRobot = Callable[[mujoco.MjSpec, float, float, float], RobotNames]
"""Adds a robot at x [m], y [m], yaw [rad]; all its names start with `robot/`."""


@dataclass(frozen=True)
class Composition:
    """A specification and what is in it."""

    spec: mujoco.MjSpec
    furniture: dict[str, WorldFurniture]
    objects: dict[str, WorldObject]
    people: dict[str, WorldPerson]
    robot: RobotNames | None


def compose(scene: Scene, seed: int, add_robot: AddRobot | None) -> Composition:
    """Build everything the scene describes; the same seed places the objects the same way."""
    document, home = scene.document, scene.home
    spec, rng = new_spec(document.name), np.random.default_rng(seed)
    add_building(spec, scene)
    fixtures = [add_fixture(spec, fixture, document.furniture[fixture.id]) for fixture in home.fixtures]
    objects = [add_object(spec, scene, placement, rng) for placement in document.objects]
    people = [add_person(spec, agent, document.people[agent.id]) for agent in home.agents]
    settle(spec, (item.body for item in objects))
    return Composition(
        spec,
        {item.id: item for item in fixtures},
        {item.id: item for item in objects},
        {item.id: item for item in people},
        None if add_robot is None else _place_robot(spec, scene, add_robot),
    )


def _place_robot(spec: mujoco.MjSpec, scene: Scene, add_robot: AddRobot) -> RobotNames:
    start = scene.document.robot
    names = add_robot(spec, start.x, start.y, start.yaw)
    for body in spec.bodies:
        if body.name.startswith("robot/"):
            spec.add_exclude(name=f"{body.name}/{FLOOR}", bodyname1=FLOOR, bodyname2=body.name)
    for name, style in scene.document.cameras.items():
        _set_camera(spec.camera(f"robot/{name}"), style)
    return names


def _set_camera(camera: mujoco.MjsCamera, style: CameraStyle) -> None:
    camera.fovy = style.fovy
    camera.resolution = (style.width, style.height)
