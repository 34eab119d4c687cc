"""Looking closely with the wrist's range camera, and choosing a grasp the arm can do."""
# MERGED Closing the hand on a thing, lifting it and carrying it off.

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from openral_sim.motion_primitives.arm_motion import reach_along, reach_to
from openral_sim.motion_primitives.door import drawer_front_height
from openral_sim.motion_primitives.gripper import (
    T_grasp_body,
    activate_weld,
    between_fingers,
    close_hand,
    contact_detected,
    deactivate_weld,
    open_hand,
)
from openral_sim.motion_primitives.retract import back_away, room_behind, stow_arm
from openral_sim.planning.approach import ApproachDirection, HandOrientation, pregrasp_pose, wrist_rotations
from openral_sim.planning.arm_planner import NoArmPath
from openral_sim.planning.grasp_planner import Grasp, grasp_strategies, sample_grasps
from openral_sim.planning.inverse_kinematics import COMFORTABLE, IkFailed
from openral_sim.planning.range_sensor import (
    NoObjectFound,
    ObjectSegment,
    cast_rays,
    segment_object,
    window_around,
)
from openral_sim.skills.context import Feedback, Held, Move, SkillContext
from openral_sim.skills.errors import LostObject, NothingThere, NotInGripperRange, NotReachable
from openral_sim.skills.requests import GraspRequest

Vector = NDArray[np.float64]
_RAYS_ACROSS = 84
_FINEST = 0.003
_FIELD_OF_VIEW = np.array([np.tan(np.radians(30.0)) * 4 / 3, np.tan(np.radians(30.0))])
_STAND_OFF = 0.10
_PROPOSED, _AT_ONCE = 24, 4
_PER_RADIAN = 0.01


@dataclass(frozen=True)
class GraspCandidate:
    """A grasp, the posture to come to it from, and the height of what the thing stands on in [m]."""

    grasp: Grasp
    before: Vector
    support: float


def scan_object(context: SkillContext, request: GraspRequest) -> ObjectSegment:
    """Scan around where the thing should be and cut it out.

    Raises:
        NothingThere: If the scan shows nothing there.
    """
    T_map_camera = context.control.T_map_body(context.names.wrist_optical_frame)
    half = min(0.26, max(0.13, request.reach + 0.07))
    window = window_around(T_map_camera, request.position, half, max(_FINEST, 2 * half / _RAYS_ACROSS))
    window = window[(np.abs(window) < _FIELD_OF_VIEW).all(axis=1)]
    points = cast_rays(context.model, context.data, T_map_camera, window, context.control.bodies)
    near = np.linalg.norm(points[:, :2] - request.position[:2], axis=1) < half + 0.10
    try:
        return segment_object(points[near], request.position, request.position[2] - request.height / 2)
    except NoObjectFound as error:
        raise NothingThere(f"no {request.label} there: {error}") from error


def grasp_candidates(
    context: SkillContext, segment: ObjectSegment, label: str, approach: ApproachDirection
) -> Move[list[GraspCandidate]]:
    """The grasps whose postures touch nothing else, the best first; a way to them is still to be found.

    Raises:
        NotInGripperRange: If the fingers fit nowhere around the thing.
        NotReachable: If they fit, but the arm does not get there.
    """
    grasps = yield from _proposed(segment, approach)
    if not grasps:
        own = segment.own_points
        extent = np.round(own.max(axis=0) - own.min(axis=0), 2)
        raise NotInGripperRange(
            f"the fingers do not get around the {label}: it measures about {extent[0]} x {extent[1]} m"
        )
    context.look_around()
    ways = yield from _ways_in(context, grasps, segment)
    if not ways:
        raise NotReachable(f"the fingers would fit around the {label}, but the arm does not get there")
    here = context.control.reach_target
    ways.sort(key=lambda way: _cost(way.grasp, way.before - here))
    return ways


def _proposed(segment: ObjectSegment, approach: ApproachDirection) -> Move[list[Grasp]]:
    """Places for the fingers in the first manner that offers any, one manner in a control period."""
    for manner in grasp_strategies(approach):
        found = sample_grasps(segment, approach, manner)
        yield Feedback("choosing a grasp", 0.5)
        if found:
            return found[:_PROPOSED]
    return []


def _cost(grasp: Grasp, move: Vector) -> float:
    """A worse grasp against a longer way of the arm to it and a hand that is turned about where it points."""
    pointing = HandOrientation.of(grasp.T_map_grasp[:3, :3])
    turned = 0.0 if pointing.is_downward else abs(pointing.roll)
    return -grasp.score + _PER_RADIAN * (float(np.abs(move).max()) + turned)


def _ways_in(
    context: SkillContext, grasps: Sequence[Grasp], segment: ObjectSegment
) -> Move[list[GraspCandidate]]:
    """Each grasp the arm can do, every way round, a few in a control period."""
    found: list[GraspCandidate] = []
    for count, grasp in enumerate(grasps, 1):
        for T in wrist_rotations(grasp.T_map_grasp):
            before = _way_in(context, replace(grasp, T_map_grasp=T), segment)
            if before is not None:
                found.append(GraspCandidate(replace(grasp, T_map_grasp=T), before, segment.support))
        if count % _AT_ONCE == 0:
            yield Feedback("choosing a grasp", 0.5)
    return found


def _way_in(context: SkillContext, grasp: Grasp, segment: ObjectSegment) -> Vector | None:
    """The posture to come from, if both it and the grasp are reachable and free."""
    base, here, T = context.control.base_pose, context.control.reach_target, grasp.T_map_grasp
    radius = float(np.linalg.norm(segment.own_points - T[:3, 3], axis=1).max()) + 0.03
    try:
        before = _posture(context, context.in_base(pregrasp_pose(T, _STAND_OFF), base), here)
        inside = context.solver.solve(context.in_base(T, base), before, tries=1)
    except IkFailed:
        return None
    if float(np.abs(inside - before).max()) > 1.2:
        return None
    context.suppose_opening(grasp.opening)
    free = context.checker.free(before)
    context.checker.spare(T[:3, 3], max(radius, 0.06))
    free = free and context.checker.free(inside)
    context.look_around()
    return before if free else None


def _posture(context: SkillContext, T_base_grasp: Vector, here: Vector) -> Vector:
    """A posture near the present one if there is one, else any comfortable one.

    Raises:
        Unreachable: If there is none.
    """
    try:
        return context.solver.solve(T_base_grasp, here, tries=2)
    except IkFailed:
        return context.solver.solve(T_base_grasp, COMFORTABLE, tries=4)


_LIFT, _LIFT_LEVEL = 0.10, 0.04
_RAISED = 0.02
_OVER_RIM = 0.03
_TRIED = 6


def move_to_pregrasp(
    context: SkillContext, grasp_candidates: Sequence[GraspCandidate]
) -> Move[GraspCandidate]:
    """Bring the hand before the best of some grasps to which the arm finds a way.

    Raises:
        NoArmPath: If it finds none to a bounded number of them.
    """
    for choice in grasp_candidates[:_TRIED]:
        yield from open_hand(context, "opening", choice.grasp.opening)
        try:
            yield from reach_to(context, choice.before, "aligning")
        except NoArmPath as error:
            refused = error
        else:
            return choice
    raise refused


def close_on_object(context: SkillContext, choice: GraspCandidate, label: str) -> Move[bool]:
    """Go in from where the hand is aligned, and close; False if the fingers missed.

    The weld that stands for the grip is made only while both fingers touch the same movable body.
    """
    goal, opening = choice.grasp.T_map_grasp, choice.grasp.opening
    yield from open_hand(context, "opening", opening)
    inside = yield from reach_along(
        context, goal, "approaching", 0.20, stop=lambda: contact_detected(context)
    )
    body = (yield from close_hand(context, "closing")) if inside else None
    if body is None:
        yield from open_hand(context, "opening", opening)
        yield from reach_along(context, pregrasp_pose(goal, 0.12), "drawing back", 0.25)
        return False
    activate_weld(context, context.names.grasp_weld, context.model.body(context.names.hand).id, body)
    height = float(context.control.T_map_grasp()[2, 3] - choice.support)
    context.held = Held(body, T_grasp_body(context, body), label, height, HandOrientation.of(goal[:3, :3]))
    return True


def lift(context: SkillContext, held: Held) -> Move[None]:
    """Raise what the hand has closed on, out of a drawer over its front.

    Raises:
        LostObject: If it does not come along.
    """
    raised = context.control.T_map_grasp()
    before = float(context.data.xpos[held.body, 2])
    bottom = float(raised[2, 3]) - held.above_support
    over_rim = drawer_front_height(context, held.body) + _OVER_RIM - bottom
    raised[2, 3] += max(_LIFT if held.downward else _LIFT_LEVEL, over_rim)
    yield from reach_along(context, raised, "lifting", 0.25)
    if between_fingers(context) != held.body or float(context.data.xpos[held.body, 2]) < before + _RAISED:
        deactivate_weld(context, context.names.grasp_weld)
        context.held = None
        raise LostObject(f"the {held.label} slipped out of the hand while it was lifted")


def retreat_with_object(context: SkillContext) -> Move[None]:
    """Back off as far as the floor allows, then bring the hand to the side."""
    yield from back_away(context, room_behind(context))
    yield from stow_arm(context, "carrying")
