"""Drawn drawers and what lies in them."""

import mujoco
import numpy as np

from openral_sim.furniture import Door, Motion
from openral_sim.motions.slides import slide_of
from openral_sim.skills.context import SkillContext
from openral_sim.skills.moves.extents import extent


def contents_of(context: SkillContext, door: Door) -> tuple[int, ...]:
    """Ids of the free bodies that a drawer takes along; none for a door of another kind."""
    if not _is_drawer(context, door):
        return ()
    free = np.flatnonzero(context.model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    return tuple(body for body in map(int, context.model.jnt_bodyid[free]) if _is_in(context, door, body))


def rim_around(context: SkillContext, body: int) -> float:
    """Height in map of the drawer's front that a body lies behind in [m]; -inf if it lies in no drawer."""
    doors = (door for item in context.world.furniture.values() for door in item.doors)
    return max(
        (_top(context, door) for door in doors if _is_drawer(context, door) and _is_in(context, door, body)),
        default=-np.inf,
    )


def _is_drawer(context: SkillContext, door: Door) -> bool:
    return (
        door.motion is Motion.SLIDE
        and slide_of(context.model, context.data, door.body, door.joint).along_normal
    )


def _is_in(context: SkillContext, door: Door, body: int) -> bool:
    tray = context.data.body(door.body)
    low, high = extent(context.model, tray.id)
    local = tray.xmat.reshape(3, 3).T @ (context.data.xpos[body] - tray.xpos)
    return bool((low <= local).all() and (local <= high).all())


def _top(context: SkillContext, door: Door) -> float:
    tray = context.data.body(door.body)
    return float(tray.xpos[2] + extent(context.model, tray.id)[1][2])
