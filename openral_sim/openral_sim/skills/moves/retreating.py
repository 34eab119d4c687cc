"""Leaving a place of work."""

import numpy as np
from numpy.typing import NDArray

from openral_sim.motions.approaches import backed_off
from openral_sim.skills.context import SkillContext
from openral_sim.skills.feedback import Move
from openral_sim.skills.moves.driving import CLEARANCE, floor_now, shift_by
from openral_sim.skills.moves.folding import fold
from openral_sim.skills.moves.reaching import reach_along

Vector = NDArray[np.float64]
_BACK = 0.30
_STEEP = 0.3


def withdraw(context: SkillContext, clear: float) -> Move[None]:
    """Draw the level hand back by at least ``clear`` [m], with the base as far as the floor allows, and fold.

    The arm stays stretched meanwhile: drawn in, its elbow would come down on the base.
    """
    back = room_behind(context)
    if back < clear:
        goal = backed_off(context.control.T_map_grasp(), clear - back)
        yield from reach_along(context, goal, "drawing back", 0.25)
    yield from back_off(context, back)
    yield from fold(context, "folding the arm")


def back_off(context: SkillContext, distance: float) -> Move[None]:
    """Move the base straight back from where the hand points by a distance in [m], keeping the heading."""
    yield from shift_by(context, -distance * _forward(context), "backing off")


def room_behind(context: SkillContext) -> float:
    """How far the base can back off straight from where the hand points in [m], at most 30 cm."""
    here, forward = context.control.base_pose[:2], _forward(context)
    floor, back = floor_now(context), 0.0
    for distance in np.arange(0.05, _BACK + 0.01, 0.05):
        if floor.clearance_at(here - distance * forward) < CLEARANCE:
            break
        back = float(distance)
    return back


def _forward(context: SkillContext) -> Vector:
    """Where the hand points over the floor, or where the base faces if it points down; shape (2,)."""
    approach = context.control.T_map_grasp()[:2, 2]
    length = float(np.linalg.norm(approach))
    if length > _STEEP:
        return np.asarray(approach / length)
    yaw = float(context.control.base_pose[2])
    return np.array([np.cos(yaw), np.sin(yaw)])
