"""OPEN: take a door by its handle and turn with it about its hinge."""
# MERGED CLOSE: push a door shut with the closed hand.

from collections.abc import Callable
from functools import partial

import numpy as np

from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_sim.motion_primitives.arm_motion import reach_along, reach_to
from openral_sim.motion_primitives.door import ArticulatedDoor, articulated_door, move_door
from openral_sim.motion_primitives.door_base_pose import BEFORE, DoorWorkPose, HandleGrasp, move_to_door
from openral_sim.motion_primitives.gripper import (
    activate_point_constraint,
    bar_between_fingers,
    close_hand,
    contact_detected,
    deactivate_weld,
    open_hand,
    push_on_hand,
    require_empty,
)
from openral_sim.motion_primitives.head import aim
from openral_sim.motion_primitives.retract import retract_hand
from openral_sim.skills.context import Move, Running, SkillContext
from openral_sim.skills.errors import Blocked, LostObject, NotInGripperRange, NotReachable
from openral_sim.skills.requests import DoorRequest

_LOOSE = 0.03


def open_door(context: SkillContext, request: DoorRequest) -> Running:
    """Swing a container's door wide enough to reach in."""
    require_empty(context)
    leaf = articulated_door(context, request)
    if _stands_open(context, leaf):
        return _told(context, leaf, request, "stands open already")
    angles = tuple(share * leaf.door.travel for share in leaf.gait.wide)
    told_now = partial(_told, context, leaf, request, "is open")
    yield from draw(context, leaf, request.container_id, angles, told_now)
    return told_now()


def draw(
    context: SkillContext,
    leaf: ArticulatedDoor,
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
    hold = HandleGrasp(
        leaf,
        f"handle of '{name}'",
        lambda angle: leaf.point(angle, float(leaf.handle[0]), 1.0),
        lambda angle: -leaf.hinge.normal(angle),
    )
    way = yield from move_to_door(context, hold, angles, "docking")
    yield from aim(context, hold.at(leaf.angle(context)), "looking")
    try:
        yield from _take_handle(context, leaf, way)
        yield from _pull(context, leaf, way.angle)
    finally:
        deactivate_weld(context, context.names.handle_connect)
    context.achieved = told_now
    yield from open_hand(context, "letting go")
    yield from retract_hand(context, BEFORE)


def _stands_open(context: SkillContext, leaf: ArticulatedDoor) -> bool:
    return leaf.angle(context) >= leaf.gait.enough * leaf.door.travel


def _told(context: SkillContext, leaf: ArticulatedDoor, request: DoorRequest, words: str) -> SkillResult:
    evidence: dict[str, ParamValue] = {
        "container_id": request.container_id,
        "opening": leaf.opening(context),
        "angle": leaf.angle(context),
    }
    if not _stands_open(context, leaf):
        message = f"'{request.container_id}' opened to {leaf.stands_at(context)} only"
        return SkillResult(SkillStatus.BLOCKED, message, evidence)
    return SkillResult(SkillStatus.SUCCEEDED, f"'{request.container_id}' {words}", evidence)


def _take_handle(context: SkillContext, leaf: ArticulatedDoor, way: DoorWorkPose) -> Move[None]:
    """Close on the bar; the hand is pinned to it only while both fingers touch it.

    Raises:
        NotInGripperRange: If the fingers close beside it.
    """
    yield from reach_to(context, way.stance.before, "reaching")
    yield from open_hand(context, "opening the hand")
    goal = way.stance.option.T_map_goal
    yield from reach_along(context, goal, "approaching", 0.15, stop=lambda: contact_detected(context))
    bar = leaf.door.handle_geoms
    body = yield from close_hand(context, "closing", lambda context: bar_between_fingers(context, bar))
    if body is None:
        yield from open_hand(context, "letting go")
        yield from retract_hand(context, BEFORE)
        raise NotInGripperRange("the fingers closed beside the handle")
    activate_point_constraint(
        context, context.names.handle_connect, context.model.body(context.names.hand).id, body
    )


def _pull(context: SkillContext, leaf: ArticulatedDoor, angle: float) -> Move[None]:
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

    done = yield from move_door(context, leaf, angle, "pulling the door", stop)
    if not done:
        slipped = bar_between_fingers(context, leaf.door.handle_geoms) is None
        deactivate_weld(context, context.names.handle_connect)
        yield from open_hand(context, "letting go")
        yield from retract_hand(context, BEFORE)
        stands = f"the door stands at {leaf.stands_at(context)}"
        if slipped:
            raise LostObject(f"the handle slipped out of the hand; {stands}")
        raise Blocked(f"the door does not move further; {stands}")


_TIP = 0.026
_SHARES = (0.62, 0.85, 0.45)
"""Where the hand may push, as shares of the way from the hinge to the handle."""
_HARD = 60.0


def close_door(context: SkillContext, request: DoorRequest) -> Running:
    """Push a container's door until it is shut."""
    require_empty(context)
    leaf = articulated_door(context, request)
    if leaf.angle(context) <= leaf.gait.shut:
        return _close_door_told(context, leaf, request, "is shut already")
    told_now = partial(_close_door_told, context, leaf, request, "is shut")
    if leaf.is_pushed_shut:
        yield from _push(context, leaf, request.container_id)
        context.achieved = told_now
        yield from retract_hand(context, BEFORE)
    else:
        yield from draw(context, leaf, request.container_id, (0.0,), told_now)
    return told_now()


def _push(context: SkillContext, leaf: ArticulatedDoor, name: str) -> Move[None]:
    """Lay the closed hand on the front and go with it until it is shut.

    Raises:
        NotReachable: If there is nowhere to stand for that.
    """
    hold, way = yield from _dock(context, leaf, name)
    yield from aim(context, hold.at(leaf.angle(context)), "looking")
    context.control.grip(0.0)
    yield from reach_to(context, way.stance.before, "reaching")
    goal = way.stance.option.T_map_goal
    yield from reach_along(context, goal, "approaching", 0.15, stop=lambda: contact_detected(context))
    yield from move_door(
        context, leaf, -leaf.gait.press, "pushing the door", lambda _angle: _ended(context, leaf)
    )


def _dock(context: SkillContext, leaf: ArticulatedDoor, name: str) -> Move[tuple[HandleGrasp, DoorWorkPose]]:
    """Go where the door can be pushed shut, the hand on one point of it or another.

    Raises:
        NotReachable: If no point of it can be pushed from anywhere.
    """
    for share in _SHARES:
        hold = HandleGrasp(
            leaf,
            f"door of '{name}'",
            partial(leaf.point, x=leaf.front + _TIP, share=share),
            lambda angle: -leaf.hinge.normal(angle),
        )
        try:
            return hold, (yield from move_to_door(context, hold, (0.0,), "docking"))
        except NotReachable as error:
            refused = error
    raise refused


def _ended(context: SkillContext, leaf: ArticulatedDoor) -> bool:
    return leaf.angle(context) < leaf.gait.shut / 3 or push_on_hand(context) > _HARD


def _close_door_told(
    context: SkillContext, leaf: ArticulatedDoor, request: DoorRequest, words: str
) -> SkillResult:
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
