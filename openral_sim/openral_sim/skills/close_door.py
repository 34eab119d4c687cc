"""CLOSE: push a door shut with the closed hand."""

from functools import partial

from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_sim.skills.context import SkillContext
from openral_sim.skills.failures import Blocked, NotReachable
from openral_sim.skills.feedback import Move, Running
from openral_sim.skills.moves.door_stances import BEFORE, Hold, Swing, dock_at_door
from openral_sim.skills.moves.gripping import bumped, push_on_hand
from openral_sim.skills.moves.holding import require_empty
from openral_sim.skills.moves.leaves import Leaf, leaf_of
from openral_sim.skills.moves.looking import aim
from openral_sim.skills.moves.reaching import reach_along, reach_to
from openral_sim.skills.moves.retreating import withdraw
from openral_sim.skills.moves.swinging import swing
from openral_sim.skills.open_door import draw
from openral_sim.skills.requests import DoorRequest

_TIP = 0.026
_SHARES = (0.62, 0.85, 0.45)
"""Where the hand may push, as shares of the way from the hinge to the handle."""
_HARD = 60.0


def close_door(context: SkillContext, request: DoorRequest) -> Running:
    """Push a container's door until it is shut."""
    require_empty(context)
    leaf = leaf_of(context, request)
    if leaf.angle(context) <= leaf.gait.shut:
        return _told(context, leaf, request, "is shut already")
    told_now = partial(_told, context, leaf, request, "is shut")
    if leaf.is_pushed_shut:
        yield from _push(context, leaf, request.container_id)
        context.achieved = told_now
        yield from withdraw(context, BEFORE)
    else:
        yield from draw(context, leaf, request.container_id, (0.0,), told_now)
    return told_now()


def _push(context: SkillContext, leaf: Leaf, name: str) -> Move[None]:
    """Lay the closed hand on the front and go with it until it is shut.

    Raises:
        NotReachable: If there is nowhere to stand for that.
    """
    hold, way = yield from _dock(context, leaf, name)
    yield from aim(context, hold.at(leaf.angle(context)), "looking")
    context.control.grip(0.0)
    yield from reach_to(context, way.stance.before, "reaching")
    goal = way.stance.option.T_map_goal
    yield from reach_along(context, goal, "approaching", 0.15, stop=lambda: bumped(context))
    yield from swing(
        context, leaf, -leaf.gait.press, "pushing the door", lambda _angle: _ended(context, leaf)
    )


def _dock(context: SkillContext, leaf: Leaf, name: str) -> Move[tuple[Hold, Swing]]:
    """Go where the door can be pushed shut, the hand on one point of it or another.

    Raises:
        NotReachable: If no point of it can be pushed from anywhere.
    """
    for share in _SHARES:
        hold = Hold(
            leaf,
            f"door of '{name}'",
            partial(leaf.point, x=leaf.front + _TIP, share=share),
            lambda angle: -leaf.hinge.normal(angle),
        )
        try:
            return hold, (yield from dock_at_door(context, hold, (0.0,), "docking"))
        except NotReachable as error:
            refused = error
    raise refused


def _ended(context: SkillContext, leaf: Leaf) -> bool:
    return leaf.angle(context) < leaf.gait.shut / 3 or push_on_hand(context) > _HARD


def _told(context: SkillContext, leaf: Leaf, request: DoorRequest, words: str) -> SkillResult:
    """How the door stands.

    Raises:
        Blocked: If it is not shut.
    """
    if leaf.angle(context) > leaf.gait.shut:
        raise Blocked(f"the door stands at {leaf.stands_at(context)} and goes no further")
    evidence: dict[str, ParamValue] = {
        "container_id": request.container_id,
        "opening": leaf.opening(context),
        "angle": leaf.angle(context),
    }
    return SkillResult(SkillStatus.SUCCEEDED, f"'{request.container_id}' {words}", evidence)
