"""OPEN: grasp a door's handle and move the base with it. CLOSE: push it shut, or pull it by its handle."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from openral_core.skill_errors import Blocked, LostObject, NotInGripperRange, NotReachable
from openral_core.skill_requests import DoorRequest
from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_sim.motion_primitives.arm_motion import reach_along, reach_to
from openral_sim.motion_primitives.context import Move, Running, SkillContext
from openral_sim.motion_primitives.door import ArticulatedDoor, articulated_door, move_door
from openral_sim.motion_primitives.door_base_pose import CONFIG as DOOR_BASE_POSE
from openral_sim.motion_primitives.door_base_pose import DoorWorkPose, HandleGrasp, move_to_door
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


@dataclass(frozen=True)
class OpenCloseConfig:
    """Parameters of pulling and pushing doors."""

    # Distance of the handle from where it was grasped that counts as slipped in [m]; the radius of a handle's
    # bar and the compliance of the grip.
    max_slip: float = 0.03
    approach_speed: float = 0.15  # Speed of the hand towards the door in [m/s].
    # Distance from the grasp site to the tips of the closed fingers in [m]; the pads end 20 mm ahead of the
    # site, 6 mm are kept.
    fist_length: float = 0.026
    # Where the hand may push, as fractions of the way from the hinge to the handle.
    push_fractions: tuple[float, ...] = (0.62, 0.85, 0.45)
    # Force on the hand that ends a push in [N]; a closed door bears it, a moving one is far below it.
    max_push_force: float = 60.0


CONFIG = OpenCloseConfig()


def open_door(context: SkillContext, request: DoorRequest) -> Running:
    """Open a container's door wide enough to reach in."""
    require_empty(context)
    door = articulated_door(context, request)
    if _is_open(context, door):
        return _open_result(context, door, request, "is already open")
    angles = tuple(fraction * door.spec.travel for fraction in door.limits.opening_fractions)
    result = partial(_open_result, context, door, request, "is open")
    yield from move_by_handle(context, door, request.container_id, angles, result)
    return result()


def move_by_handle(
    context: SkillContext,
    door: ArticulatedDoor,
    name: str,
    angles: tuple[float, ...],
    result: Callable[[], SkillResult],
) -> Move[None]:
    """Move a door by its handle to the first feasible one of ``angles`` and release it there.

    ``result`` reports the door's state from then on.

    Raises:
        NotReachable: If none of the angles is feasible.
        NotInGripperRange: If the fingers miss the handle.
        LostObject: If the handle slips out of the hand.
        Blocked: If the door does not follow the hand.
    """
    hold = HandleGrasp(
        door,
        f"handle of '{name}'",
        lambda angle: door.point(angle, float(door.handle[0]), 1.0),
        lambda angle: -door.joint.normal(angle),
    )
    at_door = yield from move_to_door(context, hold, angles, "docking")
    yield from aim(context, hold.point_at(door.angle(context)), "looking")
    try:
        yield from grasp_handle(context, door, at_door)
        yield from pull_open(context, door, at_door.angle)
    finally:
        deactivate_weld(context, context.names.handle_connect)
    context.achieved = result
    yield from open_hand(context, "letting go")
    yield from retract_hand(context, DOOR_BASE_POSE.pregrasp_distance)


def _is_open(context: SkillContext, door: ArticulatedDoor) -> bool:
    return door.angle(context) >= door.limits.open_fraction * door.spec.travel


def _open_result(
    context: SkillContext, door: ArticulatedDoor, request: DoorRequest, state: str
) -> SkillResult:
    evidence = _evidence(context, door, request)
    if not _is_open(context, door):
        message = f"'{request.container_id}' opened only to {door.describe_angle(context)}"
        return SkillResult(SkillStatus.BLOCKED, message, evidence)
    return SkillResult(SkillStatus.SUCCEEDED, f"'{request.container_id}' {state}", evidence)


def _evidence(context: SkillContext, door: ArticulatedDoor, request: DoorRequest) -> dict[str, ParamValue]:
    return {
        "container_id": request.container_id,
        "opening": door.opening(context),
        "angle": door.angle(context),
    }


def grasp_handle(context: SkillContext, door: ArticulatedDoor, at_door: DoorWorkPose) -> Move[None]:
    """Close on the bar; the hand is constrained to it only while both fingers touch it.

    Raises:
        NotInGripperRange: If the fingers miss it.
    """
    yield from reach_to(context, at_door.work_pose.before, "reaching")
    yield from open_hand(context, "opening the hand")
    goal = at_door.work_pose.option.T_map_goal
    yield from reach_along(
        context, goal, "approaching", CONFIG.approach_speed, stop=lambda: contact_detected(context)
    )
    bar = door.spec.handle_geoms
    body = yield from close_hand(context, "closing", lambda context: bar_between_fingers(context, bar))
    if body is None:
        yield from open_hand(context, "letting go")
        yield from retract_hand(context, DOOR_BASE_POSE.pregrasp_distance)
        raise NotInGripperRange("the fingers missed the handle")
    activate_point_constraint(
        context, context.names.handle_connect, context.model.body(context.names.hand).id, body
    )


def pull_open(context: SkillContext, door: ArticulatedDoor, angle: float) -> Move[None]:
    """Move the door by its grasped handle.

    Raises:
        LostObject: If the handle slips out of the hand.
        Blocked: If the door does not follow the hand.
    """
    T_map_door = door.joint.T_map_door(door.angle(context))
    grasped_at = np.linalg.inv(T_map_door) @ context.control.T_map_grasp()[:, 3]

    def slip() -> float:
        at = door.joint.T_map_door(door.angle(context)) @ grasped_at
        return float(np.linalg.norm(at[:3] - context.control.T_map_grasp()[:3, 3]))

    def stop(expected: float) -> bool:
        return abs(expected - door.angle(context)) > door.limits.max_lag or slip() > CONFIG.max_slip

    finished = yield from move_door(context, door, angle, "pulling the door", stop)
    if not finished:
        slipped = bar_between_fingers(context, door.spec.handle_geoms) is None
        deactivate_weld(context, context.names.handle_connect)
        yield from open_hand(context, "letting go")
        yield from retract_hand(context, DOOR_BASE_POSE.pregrasp_distance)
        opening = door.describe_angle(context)
        if slipped:
            raise LostObject(f"the handle slipped out of the hand with the door open {opening}")
        raise Blocked(f"the door is stuck at {opening}")


def close_door(context: SkillContext, request: DoorRequest) -> Running:
    """Close a container's door."""
    require_empty(context)
    door = articulated_door(context, request)
    if door.angle(context) <= door.limits.closed_tolerance:
        return _close_result(context, door, request, "is already closed")
    result = partial(_close_result, context, door, request, "is closed")
    if door.is_pushed_closed:
        yield from push_shut(context, door, request.container_id)
        context.achieved = result
        yield from retract_hand(context, DOOR_BASE_POSE.pregrasp_distance)
    else:
        yield from move_by_handle(context, door, request.container_id, (0.0,), result)
    return result()


def push_shut(context: SkillContext, door: ArticulatedDoor, name: str) -> Move[None]:
    """Lay the closed hand on the front and push until the door is closed.

    Raises:
        NotReachable: If no base pose allows that.
    """
    hold, at_door = yield from move_to_push(context, door, name)
    yield from aim(context, hold.point_at(door.angle(context)), "looking")
    context.control.grip(0.0)
    yield from reach_to(context, at_door.work_pose.before, "reaching")
    goal = at_door.work_pose.option.T_map_goal
    yield from reach_along(
        context, goal, "approaching", CONFIG.approach_speed, stop=lambda: contact_detected(context)
    )
    yield from move_door(
        context, door, -door.limits.overtravel, "pushing the door", lambda _angle: _is_pushed(context, door)
    )


def move_to_push(
    context: SkillContext, door: ArticulatedDoor, name: str
) -> Move[tuple[HandleGrasp, DoorWorkPose]]:
    """Drive to where the hand can push the door closed, at the first feasible point of its front.

    Raises:
        NotReachable: If no point can be pushed from anywhere.
    """
    for fraction in CONFIG.push_fractions:
        hold = HandleGrasp(
            door,
            f"door of '{name}'",
            partial(door.point, x=door.front + CONFIG.fist_length, fraction=fraction),
            lambda angle: -door.joint.normal(angle),
        )
        try:
            return hold, (yield from move_to_door(context, hold, (0.0,), "docking"))
        except NotReachable as error:
            refused = error
    raise refused


def _is_pushed(context: SkillContext, door: ArticulatedDoor) -> bool:
    is_closed = door.angle(context) < door.limits.closed_tolerance / 3
    return is_closed or push_on_hand(context) > CONFIG.max_push_force


def _close_result(
    context: SkillContext, door: ArticulatedDoor, request: DoorRequest, state: str
) -> SkillResult:
    """Report the closed door.

    Raises:
        Blocked: If it is not closed.
    """
    if door.angle(context) > door.limits.closed_tolerance:
        raise Blocked(f"the door is still open {door.describe_angle(context)} and cannot be pushed further")
    return SkillResult(
        SkillStatus.SUCCEEDED, f"'{request.container_id}' {state}", _evidence(context, door, request)
    )
