"""HANDOVER: hold out what is held to a person and let go when they have it."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from openral_core.errors import format_choices
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.arm_motion import reach_along, reach_to
from openral_sim.motion_primitives.base_pose_selection import Options, move_to_work_pose
from openral_sim.motion_primitives.gripper import (
    activate_weld,
    contact_detected,
    deactivate_weld,
    distance_to,
    open_hand,
    require_held,
)
from openral_sim.motion_primitives.head import aim
from openral_sim.motion_primitives.pregrasp import hold_poses_over
from openral_sim.motion_primitives.retract import back_away, room_behind, stow_arm
from openral_sim.planning.approach import pregrasp_pose
from openral_sim.skills.context import CONTROL_PERIOD, Feedback, Held, Move, Person, Running, SkillContext
from openral_sim.skills.errors import BadRequest, TookTooLong
from openral_sim.skills.requests import HandoverRequest

Vector = NDArray[np.float64]
REACH_OF_HAND = 0.08
"""How near what is offered must be for the person's hand to take it, in [m]."""
_GAP, _AHEAD = 0.03, 0.03
_DROP, _BESIDE = 0.10, 0.10
_WAIT = 5.0


def handover(context: SkillContext, request: HandoverRequest) -> Running:
    """Approach, offer what is held at the person's hand, and let go once the hand has it."""
    held = require_held(context, Verb.HANDOVER)
    if request.agent_id not in context.world.people:
        raise BadRequest(
            f"no person '{request.agent_id}' here; there are: {format_choices(context.world.people)}"
        )
    person = context.world.people[request.agent_id]
    point = _palm(context, person) + _AHEAD * _away(context, person)
    _free_weld(context)
    stance = yield from move_to_work_pose(
        context, point, _offers(context, held, person, point), "approaching the person"
    )
    face = np.array([*request.agent.position[:2], 1.5])
    yield from aim(context, face, "looking at the person")
    yield from reach_to(context, stance.before, "holding it out", 0.7)
    yield from reach_along(
        context, stance.option.T_map_goal, "offering", 0.15, stop=lambda: contact_detected(context)
    )
    yield from _give(context, held, person)
    context.achieved = told_now = partial(_told, context, held, request)
    yield from open_hand(context, "letting go")
    level, option = held.pointing.is_level, stance.option
    back = option.T_map_before if level else pregrasp_pose(option.T_map_goal, _DROP)
    yield from reach_along(context, back, "drawing back", 0.25)
    yield from back_away(context, min(0.20, room_behind(context)))
    yield from stow_arm(context, "folding the arm")
    return told_now()


def _told(context: SkillContext, held: Held, request: HandoverRequest) -> SkillResult:
    palm = _palm(context, context.world.people[request.agent_id])
    distance = distance_to(context, held.body, palm)
    evidence: dict[str, ParamValue] = {"agent_id": request.agent_id, "distance_to_hand": distance}
    return SkillResult(SkillStatus.SUCCEEDED, f"handed over the {held.label}", evidence)


def _give(context: SkillContext, held: Held, person: Person) -> Move[None]:
    """Wait, bounded, until the hand can take it; from then on it is the hand that holds it.

    Raises:
        TookTooLong: If it never comes within the hand's reach; it is still held then.
    """
    for _ in range(int(_WAIT / CONTROL_PERIOD)):
        if distance_to(context, held.body, _palm(context, person)) < REACH_OF_HAND:
            break
        yield Feedback("waiting for the hand", 0.8)
    else:
        raise TookTooLong(f"bringing the {held.label} to the hand", _WAIT)
    activate_weld(context, _free_weld(context), context.model.body(person.body).id, held.body)
    deactivate_weld(context, context.names.grasp_weld)
    context.held = None


def _offers(context: SkillContext, held: Held, person: Person, point: Vector) -> Options:
    """Ways to bring it to the palm; beside what the palm has already."""
    x, y, _ = np.array(context.data.site(person.hand_site).xmat).reshape(3, 3).T
    beside = [_BESIDE * way for way in (y, -y, x)] if _given(context, person) else []
    points = [point, *(point + offset for offset in beside)]
    return lambda base: (way for at in points for way in hold_poses_over(held, at, _GAP, _DROP, base))


def _given(context: SkillContext, person: Person) -> list[str]:
    """The welds that keep what a person was given."""
    body, welds = context.model.body(person.body).id, context.names.handover_welds
    ids = {weld: context.model.equality(weld).id for weld in welds}
    return [w for w, i in ids.items() if context.data.eq_active[i] and context.model.eq_obj1id[i] == body]


def _free_weld(context: SkillContext) -> str:
    """One more thing for a hand.

    Raises:
        BadRequest: If it has too many already.
    """
    welds = context.names.handover_welds
    free = [weld for weld in welds if not context.data.eq_active[context.model.equality(weld).id]]
    if not free:
        raise BadRequest(f"hands are full: {len(welds)} things were handed over and none was taken away")
    return free[0]


def _away(context: SkillContext, person: Person) -> Vector:
    """Direction away from the person along the palm, shape (3,)."""
    return np.array(context.data.site(person.hand_site).xmat).reshape(3, 3)[:, 0]


def _palm(context: SkillContext, person: Person) -> Vector:
    return np.array(context.data.site(person.hand_site).xpos)
