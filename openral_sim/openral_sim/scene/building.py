"""Static building of a scene: floors, walls, trims and lights."""

from math import atan2

import mujoco

from openral_core.home_map import Room
from openral_sim.assets.materials import AppearanceName, add_material
from openral_sim.scene.scene import Scene
from openral_sim.scene.schema import Light, Trim, Wall, yaw_quaternion

FLOOR = "floor"
FLOOR_THICKNESS = 0.1
"""Thickness of a floor slab [m]; its upper side is z = 0."""
SKIRTING_HEIGHT = 0.08
"""Height of the skirting boards [m]."""
SKIRTING_DEPTH = 0.012
"""Distance by which a skirting board stands out from its wall [m]."""


def add_building(spec: mujoco.MjSpec, scene: Scene) -> None:
    """Add every static part of a scene that is not furniture."""
    floor = spec.worldbody.add_body(name=FLOOR)
    for room in scene.home.rooms:
        _add_floor(spec, floor, room, scene.document.floors[room.id])
    for wall in scene.document.walls:
        _add_wall(spec, wall)
    for trim in scene.document.trims:
        _add_trim(spec, trim)
    for light in scene.document.lights:
        _add_light(spec, light)


def _add_floor(spec: mujoco.MjSpec, body: mujoco.MjsBody, room: Room, look: AppearanceName) -> None:
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


def _add_wall(spec: mujoco.MjSpec, wall: Wall) -> None:
    (x0, y0), (x1, y1) = wall.start, wall.end
    yaw = atan2(y1 - y0, x1 - x0)
    body = spec.worldbody.add_body(name=f"wall/{wall.id}", pos=(x0, y0, 0), quat=yaw_quaternion(yaw))
    for start, end, bottom in _solid_segments(wall):
        _add_slab(spec, body, (start, end), (bottom, wall.height), wall.thickness, wall.look)
        if bottom == 0.0:
            thickness = wall.thickness + 2 * SKIRTING_DEPTH
            _add_slab(spec, body, (start, end), (0.0, SKIRTING_HEIGHT), thickness, "skirting")


def _solid_segments(wall: Wall) -> list[tuple[float, float, float]]:
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


def _add_trim(spec: mujoco.MjSpec, trim: Trim) -> None:
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


def _add_light(spec: mujoco.MjSpec, light: Light) -> None:
    spec.worldbody.add_light(
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=light.pos,
        dir=light.dir,
        diffuse=light.diffuse,
        specular=(0.2, 0.2, 0.2),
        ambient=(0, 0, 0),
        castshadow=light.shadow,
    )
