"""Leaving a place of work."""

from openral_sim.motions.grasps import backed_off
from openral_sim.skills.context import SkillContext
from openral_sim.skills.feedback import Move
from openral_sim.skills.moves.driving import shift_by
from openral_sim.skills.moves.reaching import fold, reach_along

_BACK = 0.20


def withdraw(context: SkillContext, distance: float) -> Move[None]:
    """Draw the hand back by ``distance`` [m], back off and fold the arm."""
    goal = backed_off(context.control.T_map_grasp(), distance)
    yield from reach_along(context, goal, "drawing back", 0.25)
    yield from shift_by(context, -_BACK, "backing off")
    yield from fold(context, "folding the arm")
