"""HANDOVER: hold out what is held to a person and let go when they have it."""

import numpy as np
from numpy.typing import NDArray

from openral_core.errors import listed
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.skills.context import CONTROL_PERIOD, Held, Person, SkillContext
from openral_sim.skills.failures import BadRequest, TookTooLong
from openral_sim.skills.feedback import Feedback, Move, Running
from openral_sim.skills.moves.docking import dock
from openral_sim.skills.moves.driving import shift_by
from openral_sim.skills.moves.gripping import bumped, open_hand
from openral_sim.skills.moves.holding import distance_to, fasten, require_held, unfasten
from openral_sim.skills.moves.looking import aim
from openral_sim.skills.moves.presenting import presentations
from openral_sim.skills.moves.reaching import fold, reach_along, reach_to
from openral_sim.skills.requests import HandoverRequest

REACH_OF_HAND = 0.08
"""How near what is offered must be for the person's hand to take it, in [m]."""
_GAP, _AHEAD = 0.03, 0.03
_DROP = 0.10
_WAIT = 5.0


def handover(context: SkillContext, request: HandoverRequest) -> Running:
    """Approach, offer what is held at the person's hand, and let go once the hand has it."""
    held = require_held(context, Verb.HANDOVER)
    if request.agent_id not in context.world.people:
        raise BadRequest(f"no person '{request.agent_id}' here; there are: {listed(context.world.people)}")
    person = context.world.people[request.agent_id]
    point = _palm(context, person) + _AHEAD * _away(context, person)
    stance = yield from dock(
        context, point, lambda base: presentations(held, point, _GAP, _DROP, base), "approaching the person"
    )
    face = np.array([*request.agent.position[:2], 1.5])
    yield from aim(context, face, "looking at the person")
    yield from reach_to(context, stance.before, "holding it out", 0.7)
    yield from reach_along(context, stance.option.T_map_goal, "offering", 0.15, stop=lambda: bumped(context))
    yield from _give(context, held, person)
    yield from reach_along(context, stance.option.T_map_before, "drawing back", 0.25)
    yield from shift_by(context, -0.20, "backing off")
    yield from fold(context, "folding the arm")
    distance = distance_to(context, held.body, _palm(context, person))
    evidence: dict[str, ParamValue] = {"agent_id": request.agent_id, "distance_to_hand": distance}
    return SkillResult(SkillStatus.SUCCEEDED, f"handed over the {held.label}", evidence)


def _give(context: SkillContext, held: Held, person: Person) -> Move[None]:
    """Wait, bounded, until the hand can take it; then let go as the hand closes.

    Raises:
        TookTooLong: If it never comes within the hand's reach; it is still held then.
    """
    for _ in range(int(_WAIT / CONTROL_PERIOD)):
        if distance_to(context, held.body, _palm(context, person)) < REACH_OF_HAND:
            break
        yield Feedback("waiting for the hand", 0.8)
    else:
        raise TookTooLong(f"bringing the {held.label} to the hand", _WAIT)
    fasten(context, context.names.handover_weld, context.model.body(person.body).id, held.body)
    unfasten(context, context.names.grasp_weld)
    context.held = None
    yield from open_hand(context, "letting go")


def _away(context: SkillContext, person: Person) -> NDArray[np.float64]:
    """Direction away from the person along the palm, shape (3,)."""
    return np.array(context.data.site(person.hand_site).xmat).reshape(3, 3)[:, 0]


def _palm(context: SkillContext, person: Person) -> NDArray[np.float64]:
    return np.array(context.data.site(person.hand_site).xpos)
