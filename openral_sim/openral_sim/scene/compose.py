"""Composition of a scene and a robot into one MuJoCo specification.

`new_spec` sets the physics and rendering options, `add_building` adds floors, walls, trims and lights,
`add_fixture`, `add_object` and `add_person` add the entities, `settle` lets the objects come to rest, and
`compose` does all of it for a scene and a seed.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np

from openral_core.home_map import Agent, Fixture, Room
from openral_sim.assets.furniture.builder import FurnitureBuilder, FurnitureStyle, yaw_quaternion
from openral_sim.assets.furniture.catalogue import build_fixture
from openral_sim.assets.materials import AppearanceName, add_material
from openral_sim.assets.objects.builder import ObjectBuilder
from openral_sim.assets.objects.catalogue import KINDS, build_object
from openral_sim.assets.people import PersonStyle, build_person
from openral_sim.robot.joints import PREFIX
from openral_sim.robot.sim_robot import SimRobot
from openral_sim.scene.entities import WorldFurniture, WorldObject, WorldPerson
from openral_sim.scene.scene import Scene
from openral_sim.scene.schema import Light, ObjectPlacement, Trim, Wall, WallOpening

FLOOR = "floor"
FLOOR_THICKNESS = 0.1
"""Thickness of a floor slab [m]; its upper side is z = 0."""
DOOR = "door"
"""First part of the names of doors in doorways."""
DOOR_THICKNESS = 0.04
"""Thickness of a sliding door [m], less than that of its wall."""
SKIRTING_HEIGHT = 0.08
"""Height of the skirting boards [m]."""
SKIRTING_DEPTH = 0.012
"""Distance by which a skirting board stands out from its wall [m]."""


def add_building(spec: mujoco.MjSpec, scene: Scene) -> None:
    """Add every static part of a scene that is not furniture."""
    floor = spec.worldbody.add_body(name=FLOOR)
    for room in scene.home.rooms:
        add_floor(spec, floor, room, scene.document.floors[room.id])
    for wall in scene.document.walls:
        add_wall(spec, wall)
    for trim in scene.document.trims:
        add_trim(spec, trim)
    for light in scene.document.lights:
        add_light(spec, light)


def add_floor(spec: mujoco.MjSpec, body: mujoco.MjsBody, room: Room, look: AppearanceName) -> None:
    """Add a slab under the room's bounding rectangle."""
    xs, ys = zip(*room.polygon, strict=True)
    centre = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
    body.add_geom(
        name=f"{FLOOR}/{room.id}",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=((max(xs) - min(xs)) / 2, (max(ys) - min(ys)) / 2, FLOOR_THICKNESS / 2),
        pos=(*centre, -FLOOR_THICKNESS / 2),
        material=add_material(spec, look),
    )


def add_wall(spec: mujoco.MjSpec, wall: Wall) -> None:
    """Add a wall around its opening, with a skirting board on both sides."""
    body = spec.worldbody.add_body(
        name=f"wall/{wall.id}", pos=(*wall.start, 0), quat=yaw_quaternion(wall.yaw)
    )
    for start, end, bottom in solid_segments(wall):
        _add_slab(spec, body, (start, end), (bottom, wall.height), wall.thickness, wall.look)
        if bottom == 0.0:
            thickness = wall.thickness + 2 * SKIRTING_DEPTH
            _add_slab(spec, body, (start, end), (0.0, SKIRTING_HEIGHT), thickness, "skirting")
    if wall.opening is not None and wall.opening.door:
        _add_door(spec, wall, wall.opening)


def solid_segments(wall: Wall) -> list[tuple[float, float, float]]:
    """Return start and end along the wall, and bottom, of each solid piece [m]."""
    if wall.opening is None:
        return [(0.0, wall.length, 0.0)]
    near, far = wall.opening.at, wall.opening.at + wall.opening.width
    return [(0.0, near, 0.0), (near, far, wall.opening.height), (far, wall.length, 0.0)]


def _add_slab(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    along: tuple[float, float],
    up: tuple[float, float],
    thickness: float,
    look: AppearanceName,
) -> None:
    body.add_geom(
        name=f"{body.name}/part_{len(body.geoms)}",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=((along[1] - along[0]) / 2, thickness / 2, (up[1] - up[0]) / 2),
        pos=((along[0] + along[1]) / 2, 0, (up[0] + up[1]) / 2),
        material=add_material(spec, look),
    )


def _add_door(spec: mujoco.MjSpec, wall: Wall, opening: WallOpening) -> None:
    """Add a sliding door, open: in the longer part of the wall."""
    door = spec.worldbody.add_body(name=f"{DOOR}/{wall.id}")
    half = opening.width / 2
    _add_slab(spec, door, (-half, half), (0.0, opening.height), DOOR_THICKNESS, "birch")
    door.pos = (*wall.door_position(shut=False), 0.0)
    door.quat = yaw_quaternion(wall.yaw)


def add_trim(spec: mujoco.MjSpec, trim: Trim) -> None:
    """Add a decoration without collisions."""
    spec.worldbody.add_geom(
        name=f"trim/{trim.id}",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[extent / 2 for extent in trim.size],
        pos=trim.centre,
        quat=yaw_quaternion(trim.yaw),
        material=add_material(spec, trim.look),
        contype=0,
        conaffinity=0,
        group=2,
    )


def add_light(spec: mujoco.MjSpec, light: Light) -> None:
    """Add a light from far away."""
    spec.worldbody.add_light(
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=light.pos,
        dir=light.dir,
        diffuse=light.diffuse,
        specular=(0.2, 0.2, 0.2),
        ambient=(0, 0, 0),
        castshadow=light.shadow,
    )


TIMESTEP = 0.002
"""Time step of the physics [s]; MuJoCo's default."""
EXTENT = 10.0
"""Size of a home [m] in which MuJoCo expresses clipping distances."""
NEAR, FAR = 0.02, 40.0
"""Clipping distances of every camera [m]."""
SETTLE_TIME = 1.5
"""Simulated time in which the objects come to rest before a world begins [s]."""
DROP_HEIGHT = 0.001
"""Gap between an object and its surface before it settles [m]; without it they would start in contact."""


def new_spec(name: str) -> mujoco.MjSpec:
    """Create an empty specification with physics and rendering options set."""
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.compiler.degree = False
    spec.option.timestep = TIMESTEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0
    # MuJoCo 4.0.0 has a wrong Hessian in its sparse Newton solver.
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    spec.stat.extent = EXTENT
    spec.stat.center = (5.0, 2.25, 1.0)
    _set_rendering(spec.visual)
    return spec


def _set_rendering(visual: mujoco.MjVisual) -> None:
    visual.map.znear, visual.map.zfar = NEAR / EXTENT, FAR / EXTENT
    visual.map.shadowclip = 1.2
    visual.map.shadowscale = 0.9
    visual.quality.offsamples = 0
    visual.quality.shadowsize = 1024
    visual.headlight.ambient = (0.46, 0.46, 0.47)
    visual.headlight.diffuse = (0.16, 0.16, 0.16)
    visual.headlight.specular = (0.05, 0.05, 0.05)


def add_sky(spec: mujoco.MjSpec) -> None:
    """Add a sky of two colours, seen where a camera looks past the building."""
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.93, 0.93, 0.91),
        rgb2=(0.72, 0.78, 0.84),
        width=64,
        height=384,
    )


def settle(spec: mujoco.MjSpec, bodies: Iterable[str]) -> None:
    """Let free bodies come to rest, and write their poses at rest into the specification."""
    names = list(bodies)
    if not names:
        return
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(SETTLE_TIME / model.opt.timestep))
    for name in names:
        rest = data.body(name)
        spec.body(name).pos, spec.body(name).quat = rest.xpos.copy(), rest.xquat.copy()


def add_fixture(spec: mujoco.MjSpec, fixture: Fixture, style: FurnitureStyle) -> WorldFurniture:
    """Add a fixture at its pose in the map."""
    pose = fixture.pose
    body = spec.worldbody.add_body(
        name=f"furniture/{fixture.id}", pos=(pose.x, pose.y, 0), quat=yaw_quaternion(pose.yaw)
    )
    builder = FurnitureBuilder(spec, body, fixture, style)
    build_fixture(builder)
    return WorldFurniture(
        fixture, body.name, _geoms_of(body), tuple(builder.doors), tuple(builder.appliances)
    )


def add_object(
    spec: mujoco.MjSpec, scene: Scene, placement: ObjectPlacement, rng: np.random.Generator
) -> WorldObject:
    """Add an object just above its surface, at a sampled placement."""
    fixture, surface = scene.spot(placement)
    kind, pose = KINDS[placement.kind], placement.sample(rng)
    x, y = fixture.pose.to_parent(pose.x, pose.y)
    body = spec.worldbody.add_body(
        name=f"object/{placement.id}",
        pos=(x, y, surface.z + kind.size[2] / 2 + DROP_HEIGHT),
        quat=yaw_quaternion(fixture.pose.yaw + pose.yaw),
    )
    body.add_freejoint(name=body.name)
    build_object(ObjectBuilder(spec, body, placement.kind, kind, placement.colour))
    phrase = f"{placement.colour} {kind.noun}" if placement.colour else kind.noun
    return WorldObject(
        placement.id, placement.kind, phrase, body.name, _geoms_of(body), kind.size, kind.graspable
    )


def add_person(spec: mujoco.MjSpec, agent: Agent, style: PersonStyle) -> WorldPerson:
    """Add a person at their pose in the map."""
    pose = agent.pose
    body = spec.worldbody.add_body(
        name=f"person/{agent.id}", pos=(pose.x, pose.y, 0), quat=yaw_quaternion(pose.yaw)
    )
    hand = build_person(spec, body, style, agent.height)
    return WorldPerson(agent.id, agent.name, pose, body.name, _geoms_of(body), hand)


def _geoms_of(body: mujoco.MjsBody) -> tuple[str, ...]:
    return tuple(geom.name for geom in body.find_all(mujoco.mjtObj.mjOBJ_GEOM))


@dataclass(frozen=True)
class Composition:
    """A specification and the entities in it, by id."""

    spec: mujoco.MjSpec
    furniture: dict[str, WorldFurniture]
    objects: dict[str, WorldObject]
    people: dict[str, WorldPerson]
    robot: SimRobot | None


def compose(scene: Scene, seed: int, robot: SimRobot | None) -> Composition:
    """Build everything in the scene; the same seed gives the same placements of the objects."""
    document, home = scene.document, scene.home
    spec, rng = new_spec(document.name), np.random.default_rng(seed)
    add_sky(spec)
    add_building(spec, scene)
    fixtures = [add_fixture(spec, fixture, document.furniture[fixture.id]) for fixture in home.fixtures]
    objects = [add_object(spec, scene, placement, rng) for placement in document.objects]
    people = [add_person(spec, agent, document.people[agent.id]) for agent in home.agents]
    settle(spec, (item.body for item in objects))
    if robot is not None:
        place_robot(spec, scene, robot)
    return Composition(
        spec,
        {item.id: item for item in fixtures},
        {item.id: item for item in objects},
        {item.id: item for item in people},
        robot,
    )


def place_robot(spec: mujoco.MjSpec, scene: Scene, robot: SimRobot) -> None:
    """Add the robot at its start and set its cameras; it passes through the floor."""
    start = scene.document.robot
    robot.add_to(spec, start.x, start.y, start.yaw)
    for body in spec.bodies:
        if body.name.startswith(PREFIX):
            spec.add_exclude(name=f"{body.name}/{FLOOR}", bodyname1=FLOOR, bodyname2=body.name)
    for name, style in scene.document.cameras.items():
        camera = spec.camera(PREFIX + name)
        camera.fovy, camera.resolution = style.fovy, (style.width, style.height)
