"""CLOSE: push a door shut with the closed hand."""

import numpy as np

from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_sim.skills.context import SkillContext
from openral_sim.skills.failures import Blocked
from openral_sim.skills.feedback import Running
from openral_sim.skills.moves.door_stances import BEFORE, Hold, dock_at_door
from openral_sim.skills.moves.gripping import bumped, push_on_hand
from openral_sim.skills.moves.holding import require_empty
from openral_sim.skills.moves.leaves import Leaf, leaf_of
from openral_sim.skills.moves.looking import aim
from openral_sim.skills.moves.reaching import reach_along, reach_to
from openral_sim.skills.moves.retreating import withdraw
from openral_sim.skills.moves.swinging import swing
from openral_sim.skills.requests import DoorRequest

_SHUT = 0.03
_TIP = 0.026
_SHARE = 0.62
_PRESS = -0.05
_HARD = 60.0


def close_door(context: SkillContext, request: DoorRequest) -> Running:
    """Push a container's door until it is shut."""
    require_empty(context)
    leaf = leaf_of(context, request)
    if leaf.angle(context) <= _SHUT:
        return _told(context, leaf, request, "is shut already")
    hold = Hold(
        leaf,
        f"door of '{request.container_id}'",
        lambda angle: leaf.point(angle, leaf.front + _TIP, _SHARE),
        lambda angle: -leaf.hinge.normal(angle),
    )
    way = yield from dock_at_door(context, hold, (0.0,), "docking")
    yield from aim(context, hold.at(leaf.angle(context)), "looking")
    context.control.grip(0.0)
    yield from reach_to(context, way.stance.before, "reaching")
    goal = way.stance.option.T_map_goal
    yield from reach_along(context, goal, "approaching", 0.15, stop=lambda: bumped(context))
    yield from swing(context, leaf, _PRESS, "pushing the door", lambda _angle: _ended(context, leaf))
    yield from withdraw(context, BEFORE)
    if leaf.angle(context) > _SHUT:
        raise Blocked(f"the door stands at {np.degrees(leaf.angle(context)):.0f} degrees and goes no further")
    return _told(context, leaf, request, "is shut")


def _ended(context: SkillContext, leaf: Leaf) -> bool:
    return leaf.angle(context) < _SHUT / 3 or push_on_hand(context) > _HARD


def _told(context: SkillContext, leaf: Leaf, request: DoorRequest, words: str) -> SkillResult:
    evidence: dict[str, ParamValue] = {
        "container_id": request.container_id,
        "opening": leaf.opening(context),
        "angle": leaf.angle(context),
    }
    return SkillResult(SkillStatus.SUCCEEDED, f"'{request.container_id}' {words}", evidence)
