"""Closing the hand on a thing, lifting it and carrying it off."""

from collections.abc import Sequence

from openral_sim.motions.approaches import Pointing, backed_off
from openral_sim.motions.arm_paths import NoArmPath
from openral_sim.skills.context import Held, SkillContext
from openral_sim.skills.failures import LostObject
from openral_sim.skills.feedback import Move
from openral_sim.skills.moves.folding import fold
from openral_sim.skills.moves.gripping import between_fingers, bumped, close_hand, open_hand
from openral_sim.skills.moves.holding import T_grasp_body, fasten, unfasten
from openral_sim.skills.moves.reaching import reach_along, reach_to
from openral_sim.skills.moves.retreating import back_off, room_behind
from openral_sim.skills.moves.surveying import Choice
from openral_sim.skills.moves.trays import rim_around

_LIFT, _LIFT_LEVEL = 0.10, 0.04
_RAISED = 0.02
_OVER_RIM = 0.03
_TRIED = 6


def align(context: SkillContext, choices: Sequence[Choice]) -> Move[Choice]:
    """Bring the hand before the best of some grasps to which the arm finds a way.

    Raises:
        NoArmPath: If it finds none to a bounded number of them.
    """
    for choice in choices[:_TRIED]:
        yield from open_hand(context, "opening", choice.grasp.opening)
        try:
            yield from reach_to(context, choice.before, "aligning")
        except NoArmPath as error:
            refused = error
        else:
            return choice
    raise refused


def take(context: SkillContext, choice: Choice, label: str) -> Move[bool]:
    """Go in from where the hand is aligned, and close; False if the fingers missed.

    The weld that stands for the grip is made only while both fingers touch the same movable body.
    """
    goal, opening = choice.grasp.T_map_grasp, choice.grasp.opening
    yield from open_hand(context, "opening", opening)
    inside = yield from reach_along(context, goal, "approaching", 0.20, stop=lambda: bumped(context))
    body = (yield from close_hand(context, "closing")) if inside else None
    if body is None:
        yield from open_hand(context, "opening", opening)
        yield from reach_along(context, backed_off(goal, 0.12), "drawing back", 0.25)
        return False
    fasten(context, context.names.grasp_weld, context.model.body(context.names.hand).id, body)
    height = float(context.control.T_map_grasp()[2, 3] - choice.support)
    context.held = Held(body, T_grasp_body(context, body), label, height, Pointing.of(goal[:3, :3]))
    return True


def lift(context: SkillContext, held: Held) -> Move[None]:
    """Raise what the hand has closed on, out of a drawer over its front.

    Raises:
        LostObject: If it does not come along.
    """
    raised = context.control.T_map_grasp()
    before = float(context.data.xpos[held.body, 2])
    bottom = float(raised[2, 3]) - held.above_support
    over_rim = rim_around(context, held.body) + _OVER_RIM - bottom
    raised[2, 3] += max(_LIFT if held.downward else _LIFT_LEVEL, over_rim)
    yield from reach_along(context, raised, "lifting", 0.25)
    if between_fingers(context) != held.body or float(context.data.xpos[held.body, 2]) < before + _RAISED:
        unfasten(context, context.names.grasp_weld)
        context.held = None
        raise LostObject(f"the {held.label} slipped out of the hand while it was lifted")


def carry_away(context: SkillContext) -> Move[None]:
    """Back off as far as the floor allows, then bring the hand to the side."""
    yield from back_off(context, room_behind(context))
    yield from fold(context, "carrying")
