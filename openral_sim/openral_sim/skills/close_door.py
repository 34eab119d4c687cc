"""CLOSE: push a door shut with the closed hand; slide by the handle what slides."""

from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_sim.furniture import Motion
from openral_sim.skills.context import SkillContext
from openral_sim.skills.failures import Blocked
from openral_sim.skills.feedback import Move, Running
from openral_sim.skills.moves.door_stances import BEFORE, Hold, dock_at_door
from openral_sim.skills.moves.gripping import bumped, push_on_hand
from openral_sim.skills.moves.holding import require_empty
from openral_sim.skills.moves.leaves import Leaf, leaf_of
from openral_sim.skills.moves.looking import aim
from openral_sim.skills.moves.pulling import handle_hold, move_by_handle
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
    """Close a container."""
    require_empty(context)
    leaf = leaf_of(context, request)
    if leaf.angle(context) <= _SHUT:
        return _told(context, leaf, request, "is shut already")
    if leaf.door.motion is Motion.SLIDE:
        yield from _slide_shut(context, leaf, request)
    else:
        yield from _push_shut(context, leaf, request)
    if leaf.angle(context) > _SHUT:
        raise Blocked(f"the door stands at {leaf.guide.words(leaf.angle(context))} and goes no further")
    return _told(context, leaf, request, "is shut")


def _slide_shut(context: SkillContext, leaf: Leaf, request: DoorRequest) -> Move[None]:
    hold = handle_hold(leaf, request.container_id)
    way = yield from dock_at_door(context, hold, (0.0,), "docking")
    yield from aim(context, hold.at(leaf.angle(context)), "looking")
    yield from move_by_handle(context, leaf, way, "sliding the door")


def _push_shut(context: SkillContext, leaf: Leaf, request: DoorRequest) -> Move[None]:
    hold = Hold(
        leaf,
        f"door of '{request.container_id}'",
        lambda angle: leaf.point(angle, leaf.front + _TIP, _SHARE),
        lambda angle: -leaf.guide.normal(angle),
    )
    way = yield from dock_at_door(context, hold, (0.0,), "docking")
    yield from aim(context, hold.at(leaf.angle(context)), "looking")
    context.control.grip(0.0)
    yield from reach_to(context, way.stance.before, "reaching")
    goal = way.stance.option.T_map_goal
    yield from reach_along(context, goal, "approaching", 0.15, stop=lambda: bumped(context))
    yield from swing(context, leaf, _PRESS, "pushing the door", lambda _angle: _ended(context, leaf))
    yield from withdraw(context, BEFORE)


def _ended(context: SkillContext, leaf: Leaf) -> bool:
    return leaf.angle(context) < _SHUT / 3 or push_on_hand(context) > _HARD


def _told(context: SkillContext, leaf: Leaf, request: DoorRequest, words: str) -> SkillResult:
    evidence: dict[str, ParamValue] = {
        "container_id": request.container_id,
        "opening": leaf.opening(context),
        "angle": leaf.angle(context),
    }
    return SkillResult(SkillStatus.SUCCEEDED, f"'{request.container_id}' {words}", evidence)
