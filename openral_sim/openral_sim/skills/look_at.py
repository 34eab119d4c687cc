"""LOOK_AT: aim the head camera at a point in map, or into an open container."""

import numpy as np

from openral_core.arrays import Points, Vector3
from openral_core.skill_requests import LookAtRequest
from openral_core.skills import SkillResult, SkillStatus
from openral_sim.assets.furniture.doors import points_inside
from openral_sim.motion_primitives.base_pose_selection import move_to_unoccluded_view
from openral_sim.motion_primitives.context import Move, Running, SkillContext
from openral_sim.motion_primitives.door import container_at
from openral_sim.motion_primitives.head import aim, face

_OBJECT_RADIUS = 0.03
"""Distance from an object's centre of the points that must be visible [m]; half a cup's width."""
_OPEN_FRACTION = 0.5
"""Fraction of a door's travel from which the head can look in [1]."""


def look_at(context: SkillContext, request: LookAtRequest) -> Running:
    """Turn the base if the head cannot pan that far, then pan and tilt.

    To look into an open container, or at an object in one, the robot drives to where furniture does not hide
    it; a drawer's own front hides its contents from where the robot opened it.
    """
    came_from = context.control.base_pose[:2]
    visible = yield from _look(context, request)
    pan, tilt = context.control.head
    drove = float(np.linalg.norm(context.control.base_pose[:2] - came_from))
    evidence = {"pan": float(pan), "tilt": float(tilt), "drove": drove, "in_sight": visible}
    return SkillResult(SkillStatus.SUCCEEDED, "looking at it", evidence)


def _look(context: SkillContext, request: LookAtRequest) -> Move[float]:
    """Aim the head and return the fraction of the target that furniture does not hide."""
    point = np.array(request.target.position)
    points = _points_in_container(context, request, point)
    if points is None:
        yield from face(context, point, "turning")
        yield from aim(context, point, "looking")
        return 1.0
    return (yield from move_to_unoccluded_view(context, points, "looking")).fraction


def _points_in_container(context: SkillContext, request: LookAtRequest, point: Vector3) -> Points | None:
    """Points to see in an open container, in map in [m], shape (N, 3); None if there is no open container."""
    x, y, z = point.tolist()
    container = container_at(context, request.node_id, (x, y, z)) if not request.inside else request.node_id
    if _is_open(context, container):
        return _inside(context, container)
    inside = _enclosing(context, request.inside, point)
    if not _is_open(context, inside):
        return None
    if _moves_out(context, inside):
        # The object moved with the drawer, so its position in there is unknown until it is seen.
        return _inside(context, inside)
    return point + _OBJECT_RADIUS * np.vstack([np.zeros(3), np.eye(3)[:2], -np.eye(3)[:2]])


def _enclosing(context: SkillContext, name: str, point: Vector3) -> str:
    """Return the id of the container that a goal names, or of the one around its point."""
    furniture = context.world.furniture
    if not name or name in furniture:
        return name
    enclosing = (
        key
        for key, item in furniture.items()
        if item.fixture.container is not None
        and item.fixture.container.interior.contains(
            *item.fixture.pose.to_local(float(point[0]), float(point[1])), float(point[2])
        )
    )
    return next(enclosing, name)


def _is_open(context: SkillContext, container: str) -> bool:
    furniture = context.world.furniture.get(container)
    if furniture is None or not furniture.doors or furniture.fixture.container is None:
        return False
    door = furniture.doors[0]
    return float(context.data.joint(door.joint).qpos[0]) >= _OPEN_FRACTION * door.travel


def _moves_out(context: SkillContext, container: str) -> bool:
    inside = context.world.furniture[container].fixture.container
    return inside is not None and inside.drawer_travel > 0.0


def _inside(context: SkillContext, container: str) -> Points:
    furniture = context.world.furniture[container]
    door, inside = furniture.doors[0], furniture.fixture.container
    fraction = float(context.data.joint(door.joint).qpos[0]) / door.travel
    return points_inside(furniture.fixture, fraction * inside.drawer_travel if inside else 0.0)
