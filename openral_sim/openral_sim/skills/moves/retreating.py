"""Leaving a place of work."""

import numpy as np

from openral_sim.motions.grasps import backed_off
from openral_sim.skills.context import SkillContext
from openral_sim.skills.feedback import Move
from openral_sim.skills.moves.driving import floor_now, shift_by
from openral_sim.skills.moves.reaching import fold, reach_along

_BACK = 0.30
_ROOM_BEHIND = 0.30


def withdraw(context: SkillContext, clear: float) -> Move[None]:
    """Draw the level hand back by at least ``clear`` [m], with the base as far as the floor allows, and fold.

    The arm stays stretched meanwhile: drawn in, its elbow would come down on the base.
    """
    back = room_behind(context)
    if back < clear:
        goal = backed_off(context.control.T_map_grasp(), clear - back)
        yield from reach_along(context, goal, "drawing back", 0.25)
    yield from shift_by(context, -back, "backing off")
    yield from fold(context, "folding the arm")


def room_behind(context: SkillContext) -> float:
    """How far the base can back off straight in [m], at most 30 cm."""
    x, y, yaw = context.control.base_pose
    floor, back = floor_now(context), 0.0
    for distance in np.arange(0.05, _BACK + 0.01, 0.05):
        behind = np.array([x - distance * np.cos(yaw), y - distance * np.sin(yaw)])
        if floor.clearance_at(behind) < _ROOM_BEHIND:
            break
        back = float(distance)
    return back
