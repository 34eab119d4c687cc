"""LOOK_AT: point the head camera at a point in map, or into what stands open."""

import numpy as np
from numpy.typing import NDArray

from openral_core.skills import SkillResult, SkillStatus
from openral_sim.assets.furniture.doors import points_inside
from openral_sim.motion_primitives.base_pose_selection import move_to_unoccluded_view
from openral_sim.motion_primitives.head import aim, face
from openral_sim.skills.context import Move, Running, SkillContext
from openral_sim.skills.requests import LookAtRequest

Vector = NDArray[np.float64]
_AROUND = 0.03
_OPEN = 0.5


def look_at(context: SkillContext, request: LookAtRequest) -> Running:
    """Turn the base if the head cannot pan that far, then pan and tilt.

    Into a container that stands open, and at what lies in one, the robot looks from where furniture does
    not hide it: a drawer's own front does, from where the robot drew it.
    """
    came_from = context.control.base_pose[:2]
    seen = yield from _look(context, request)
    pan, tilt = context.control.head
    drove = float(np.linalg.norm(context.control.base_pose[:2] - came_from))
    evidence = {"pan": float(pan), "tilt": float(tilt), "drove": drove, "in_sight": seen}
    return SkillResult(SkillStatus.SUCCEEDED, "looking at it", evidence)


def _look(context: SkillContext, request: LookAtRequest) -> Move[float]:
    """Share of what is asked for that furniture does not hide."""
    point = np.array(request.target.position)
    points = _behind_a_door(context, request, point)
    if points is None:
        yield from face(context, point, "turning")
        yield from aim(context, point, "looking")
        return 1.0
    return (yield from move_to_unoccluded_view(context, points, "looking")).share


def _behind_a_door(context: SkillContext, request: LookAtRequest, point: Vector) -> Vector | None:
    """What to see of what is in a container, in map in [m], shape (N, 3); None if it stands not open."""
    if _stands_open(context, request.node_id):
        return _inside(context, request.node_id)
    if not _stands_open(context, request.inside):
        return None
    if _comes_out(context, request.inside):
        # Where in it the thing lies now is not known before it is seen.
        return _inside(context, request.inside)
    return point + _AROUND * np.vstack([np.zeros(3), np.eye(3)[:2], -np.eye(3)[:2]])


def _stands_open(context: SkillContext, container: str) -> bool:
    furniture = context.world.furniture.get(container)
    if furniture is None or not furniture.doors or furniture.fixture.container is None:
        return False
    door = furniture.doors[0]
    return float(context.data.joint(door.joint).qpos[0]) >= _OPEN * door.travel


def _comes_out(context: SkillContext, container: str) -> bool:
    inside = context.world.furniture[container].fixture.container
    return inside is not None and inside.drawer_travel > 0.0


def _inside(context: SkillContext, container: str) -> Vector:
    furniture = context.world.furniture[container]
    door, inside = furniture.doors[0], furniture.fixture.container
    share = float(context.data.joint(door.joint).qpos[0]) / door.travel
    return points_inside(furniture.fixture, share * inside.drawer_travel if inside else 0.0)
