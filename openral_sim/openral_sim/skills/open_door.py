"""OPEN: take a door by its handle and turn with it about its hinge."""

from collections.abc import Callable
from functools import partial

import numpy as np

from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_sim.skills.context import SkillContext
from openral_sim.skills.failures import Blocked, LostObject, NotInGripperRange
from openral_sim.skills.feedback import Move, Running
from openral_sim.skills.moves.door_stances import BEFORE, Hold, Swing, dock_at_door
from openral_sim.skills.moves.gripping import bar_between_fingers, bumped, close_hand, open_hand
from openral_sim.skills.moves.holding import pin, require_empty, unfasten
from openral_sim.skills.moves.leaves import Leaf, leaf_of
from openral_sim.skills.moves.looking import aim
from openral_sim.skills.moves.reaching import reach_along, reach_to
from openral_sim.skills.moves.retreating import withdraw
from openral_sim.skills.moves.swinging import swing
from openral_sim.skills.requests import DoorRequest

_LOOSE = 0.03


def open_door(context: SkillContext, request: DoorRequest) -> Running:
    """Swing a container's door wide enough to reach in."""
    require_empty(context)
    leaf = leaf_of(context, request)
    if _stands_open(context, leaf):
        return _told(context, leaf, request, "stands open already")
    angles = tuple(share * leaf.door.travel for share in leaf.gait.wide)
    told_now = partial(_told, context, leaf, request, "is open")
    yield from draw(context, leaf, request.container_id, angles, told_now)
    return told_now()


def draw(
    context: SkillContext,
    leaf: Leaf,
    name: str,
    angles: tuple[float, ...],
    told_now: Callable[[], SkillResult],
) -> Move[None]:
    """Move a door by its handle to the first of ``angles`` that can be reached, and let it go there.

    ``told_now`` says how it stands from then on.

    Raises:
        NotReachable: If there is no such angle.
        NotInGripperRange: If the fingers close beside the handle.
        LostObject: If the handle slips out of the hand.
        Blocked: If the door does not come along.
    """
    hold = Hold(
        leaf,
        f"handle of '{name}'",
        lambda angle: leaf.point(angle, float(leaf.handle[0]), 1.0),
        lambda angle: -leaf.hinge.normal(angle),
    )
    way = yield from dock_at_door(context, hold, angles, "docking")
    yield from aim(context, hold.at(leaf.angle(context)), "looking")
    try:
        yield from _take_handle(context, leaf, way)
        yield from _pull(context, leaf, way.angle)
    finally:
        unfasten(context, context.names.handle_connect)
    context.achieved = told_now
    yield from open_hand(context, "letting go")
    yield from withdraw(context, BEFORE)


def _stands_open(context: SkillContext, leaf: Leaf) -> bool:
    return leaf.angle(context) >= leaf.gait.enough * leaf.door.travel


def _told(context: SkillContext, leaf: Leaf, request: DoorRequest, words: str) -> SkillResult:
    evidence: dict[str, ParamValue] = {
        "container_id": request.container_id,
        "opening": leaf.opening(context),
        "angle": leaf.angle(context),
    }
    if not _stands_open(context, leaf):
        message = f"'{request.container_id}' opened to {leaf.stands_at(context)} only"
        return SkillResult(SkillStatus.BLOCKED, message, evidence)
    return SkillResult(SkillStatus.SUCCEEDED, f"'{request.container_id}' {words}", evidence)


def _take_handle(context: SkillContext, leaf: Leaf, way: Swing) -> Move[None]:
    """Close on the bar; the hand is pinned to it only while both fingers touch it.

    Raises:
        NotInGripperRange: If the fingers close beside it.
    """
    yield from reach_to(context, way.stance.before, "reaching")
    yield from open_hand(context, "opening the hand")
    goal = way.stance.option.T_map_goal
    yield from reach_along(context, goal, "approaching", 0.15, stop=lambda: bumped(context))
    bar = leaf.door.handle_geoms
    body = yield from close_hand(context, "closing", lambda context: bar_between_fingers(context, bar))
    if body is None:
        yield from open_hand(context, "letting go")
        yield from withdraw(context, BEFORE)
        raise NotInGripperRange("the fingers closed beside the handle")
    pin(context, context.names.handle_connect, context.model.body(context.names.hand).id, body)


def _pull(context: SkillContext, leaf: Leaf, angle: float) -> Move[None]:
    """Turn the door.

    Raises:
        LostObject: If the handle slips out of the hand.
        Blocked: If the door does not come along.
    """
    taken = leaf.hinge.T_map_door(leaf.angle(context))
    at_door = np.linalg.inv(taken) @ context.control.T_map_grasp()[:, 3]

    def strayed() -> float:
        at = leaf.hinge.T_map_door(leaf.angle(context)) @ at_door
        return float(np.linalg.norm(at[:3] - context.control.T_map_grasp()[:3, 3]))

    def stop(expected: float) -> bool:
        return abs(expected - leaf.angle(context)) > leaf.gait.lag or strayed() > _LOOSE

    done = yield from swing(context, leaf, angle, "pulling the door", stop)
    if not done:
        slipped = bar_between_fingers(context, leaf.door.handle_geoms) is None
        unfasten(context, context.names.handle_connect)
        yield from open_hand(context, "letting go")
        yield from withdraw(context, BEFORE)
        stands = f"the door stands at {leaf.stands_at(context)}"
        if slipped:
            raise LostObject(f"the handle slipped out of the hand; {stands}")
        raise Blocked(f"the door does not move further; {stands}")
