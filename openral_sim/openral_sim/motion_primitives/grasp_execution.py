"""Grasp execution: scan the object with the wrist camera, choose a grasp, close, lift and retreat."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from openral_core.arrays import Joints, Transform
from openral_core.grasping.approach import ApproachDirection, HandOrientation, pregrasp_pose, wrist_rotations
from openral_core.grasping.grasp_planner import Grasp, grasp_strategies, sample_grasps
from openral_core.grasping.segmentation import NoObjectFound, ObjectSegment, segment_object
from openral_core.skill_errors import LostObject, NothingThere, NotInGripperRange, NotReachable
from openral_core.skill_requests import GraspRequest
from openral_core.skills import Feedback
from openral_sim.motion_primitives.arm_motion import reach_along, reach_to
from openral_sim.motion_primitives.context import CONTROL_PERIOD, HeldObject, Move, SkillContext
from openral_sim.motion_primitives.door import drawer_front_height
from openral_sim.motion_primitives.gripper import (
    between_fingers,
    close_hand,
    contact_detected,
    deactivate_weld,
    hold,
    open_hand,
)
from openral_sim.motion_primitives.retract import back_away, room_behind, stow_arm
from openral_sim.planning.arm_planner import NoArmPath
from openral_sim.planning.inverse_kinematics import IkFailed
from openral_sim.planning.range_sensor import cast_rays, window_around

_ASPECT = 4 / 3
"""Width of the wrist camera's image over its height [1]."""


@dataclass(frozen=True)
class ScanConfig:
    """Parameters of scanning an object; lengths in [m]."""

    rays_across: int = 84  # Number of rays across the scan.
    min_spacing: float = 0.003  # Least spacing of the rays at the object; finer than the pads.
    margin: float = 0.07  # Room around the object that is scanned, for the fingers.
    min_half_width: float = 0.13  # Least half width of the scan.
    max_half_width: float = 0.26  # Largest half width of the scan.
    # Points farther from the object than the half width and this are dropped.
    background_margin: float = 0.10


SCAN = ScanConfig()


@dataclass(frozen=True)
class GraspExecutionConfig:
    """Parameters of choosing and executing a grasp; tuned in simulation."""

    pregrasp_distance: float = 0.10  # Distance of the hand from the grasp before it goes in in [m].
    max_grasps: int = 24  # Number of grasps checked for reachability.
    batch: int = 4  # Number of grasps checked per control period.
    motion_cost: float = 0.01  # Cost of arm motion and wrist roll against a grasp's score in [m/rad].
    contact_margin: float = 0.03  # Radius beyond the object within which contact is intended in [m].
    min_contact_radius: float = 0.06  # Least radius of intended contact in [m]; the hand.
    # Largest motion of a joint between pregrasp and grasp in [rad]; more means that the straight line leaves
    # the solution branch.
    max_joint_motion: float = 1.2
    max_paths: int = 6  # Number of grasps that a path is searched for.
    approach_speed: float = 0.20  # Speed of the hand towards the object in [m/s].
    arrival_error: float = 0.002  # Distance from a grasp within which the fingers close in [m].
    arrival_time: float = 0.8  # Longest wait for that in [s].
    retreat_speed: float = 0.25  # Speed of the hand away from the support or the object in [m/s].
    retreat_distance: float = 0.12  # Distance to draw back after a missed grasp in [m].
    lift_height: float = 0.10  # Height to lift an object grasped from above in [m].
    # Height to lift an object grasped from the side in [m]; the arm has less room above.
    level_lift_height: float = 0.04
    min_lift: float = 0.02  # Least height that a grasped object must come along in [m].
    rim_clearance: float = 0.03  # Clearance of the object over a drawer's front in [m].


CONFIG = GraspExecutionConfig()


@dataclass(frozen=True)
class GraspCandidate:
    """A reachable grasp."""

    grasp: Grasp
    before: Joints  # Posture of its pregrasp pose, shape (N,).
    support: float  # Height of the surface that the object stands on in [m].


def scan_object(context: SkillContext, request: GraspRequest) -> ObjectSegment:
    """Scan around an object's expected position and segment it.

    Raises:
        NothingThere: If the scan shows no object there.
    """
    T_map_camera = context.control.T_map_body(context.names.wrist_optical_frame)
    half = min(SCAN.max_half_width, max(SCAN.min_half_width, request.reach + SCAN.margin))
    window = window_around(
        T_map_camera, request.position, half, max(SCAN.min_spacing, 2 * half / SCAN.rays_across)
    )
    tangent = np.tan(np.radians(context.robot.description.cameras.wrist.fovy / 2))
    window = window[(np.abs(window) < (tangent * _ASPECT, tangent)).all(axis=1)]
    points = cast_rays(context.model, context.data, T_map_camera, window, context.control.bodies)
    near = np.linalg.norm(points[:, :2] - request.position[:2], axis=1) < half + SCAN.background_margin
    try:
        bottom = request.position[2] - request.height / 2
        return segment_object(points[near], request.position, bottom, request.outline)
    except NoObjectFound as error:
        raise NothingThere(f"no {request.label} found: {error}") from error


def grasp_candidates(
    context: SkillContext, segment: ObjectSegment, label: str, approach: ApproachDirection
) -> Move[list[GraspCandidate]]:
    """List the grasps with collision-free postures, the best first; paths to them are not planned yet.

    Raises:
        NotInGripperRange: If the fingers fit nowhere around the object.
        NotReachable: If they fit, but the arm cannot reach any grasp.
    """
    grasps = yield from _sample(context, segment, approach)
    if not grasps:
        own = segment.own_points
        extent = np.round(own.max(axis=0) - own.min(axis=0), 2)
        raise NotInGripperRange(
            f"the gripper does not fit around the {label}, which measures about {extent[0]} x {extent[1]} m"
        )
    context.sync_collision_scene()
    candidates = yield from reachable_grasps(context, grasps, segment)
    if not candidates:
        raise NotReachable(f"the gripper would fit around the {label}, but the arm cannot reach a grasp")
    here = context.control.reach_target
    candidates.sort(key=lambda candidate: _cost(candidate.grasp, candidate.before - here))
    return candidates


def _sample(context: SkillContext, segment: ObjectSegment, approach: ApproachDirection) -> Move[list[Grasp]]:
    """Sample grasps with the first strategy that yields any, one strategy per control period."""
    for strategy in grasp_strategies(approach, context.robot.gripper):
        grasps = sample_grasps(segment, approach, strategy)
        yield Feedback("choosing a grasp", 0.5)
        if grasps:
            return grasps[: CONFIG.max_grasps]
    return []


def _cost(grasp: Grasp, move: Joints) -> float:
    """Weigh a grasp's score against the arm's motion to it and the roll of the hand."""
    orientation = HandOrientation.of(grasp.T_map_grasp[:3, :3])
    roll = 0.0 if orientation.is_downward else abs(orientation.roll)
    return -grasp.score + CONFIG.motion_cost * (float(np.abs(move).max()) + roll)


def reachable_grasps(
    context: SkillContext, grasps: Sequence[Grasp], segment: ObjectSegment
) -> Move[list[GraspCandidate]]:
    """List the grasps that the arm can reach, both ways round, a few per control period."""
    candidates: list[GraspCandidate] = []
    for count, grasp in enumerate(grasps, 1):
        for T in wrist_rotations(grasp.T_map_grasp):
            before = pregrasp_posture(context, replace(grasp, T_map_grasp=T), segment)
            if before is not None:
                candidates.append(GraspCandidate(replace(grasp, T_map_grasp=T), before, segment.support))
        if count % CONFIG.batch == 0:
            yield Feedback("choosing a grasp", 0.5)
    return candidates


def pregrasp_posture(context: SkillContext, grasp: Grasp, segment: ObjectSegment) -> Joints | None:
    """Solve for the posture before a grasp; None unless it and the grasp are reachable and free."""
    base, here, T = context.control.base_pose, context.control.reach_target, grasp.T_map_grasp
    radius = float(np.linalg.norm(segment.own_points - T[:3, 3], axis=1).max()) + CONFIG.contact_margin
    try:
        before = nearby_posture(
            context, context.to_base_frame(pregrasp_pose(T, CONFIG.pregrasp_distance), base), here
        )
        inside = context.solver.solve(context.to_base_frame(T, base), before, tries=1)
    except IkFailed:
        return None
    if float(np.abs(inside - before).max()) > CONFIG.max_joint_motion:
        return None
    context.set_checked_opening(grasp.opening)
    free = context.checker.is_free(before)
    context.checker.allow_contact_near(T[:3, 3], max(radius, CONFIG.min_contact_radius))
    free = free and context.checker.is_free(inside)
    context.sync_collision_scene()
    return before if free else None


def nearby_posture(context: SkillContext, T_base_grasp: Transform, here: Joints) -> Joints:
    """Solve for a posture near the present one, else near a comfortable one.

    Raises:
        IkFailed: If there is none.
    """
    try:
        return context.solver.solve(T_base_grasp, here, tries=2)
    except IkFailed:
        return context.solver.solve(T_base_grasp, context.robot.comfortable, tries=4)


def move_to_pregrasp(context: SkillContext, candidates: Sequence[GraspCandidate]) -> Move[GraspCandidate]:
    """Move the hand to the pregrasp pose of the first candidate that has a collision-free path.

    Raises:
        NoArmPath: If none of a bounded number of them has one.
    """
    for candidate in candidates[: CONFIG.max_paths]:
        yield from open_hand(context, "opening", candidate.grasp.opening)
        try:
            yield from reach_to(context, candidate.before, "aligning")
        except NoArmPath as error:
            refused = error
        else:
            return candidate
    raise refused


def close_on_object(context: SkillContext, candidate: GraspCandidate, label: str) -> Move[bool]:
    """Approach from the pregrasp pose and close; False if the fingers missed.

    The weld that stands for the grip is activated only while both fingers touch the same movable body.
    """
    goal, opening = candidate.grasp.T_map_grasp, candidate.grasp.opening
    yield from open_hand(context, "opening", opening)
    inside = yield from reach_along(
        context, goal, "approaching", CONFIG.approach_speed, stop=lambda: contact_detected(context)
    )
    if inside:
        yield from _arrive(context, goal)
    body = (yield from close_hand(context, "closing")) if inside else None
    if body is None:
        yield from open_hand(context, "opening", opening)
        yield from reach_along(
            context, pregrasp_pose(goal, CONFIG.retreat_distance), "drawing back", CONFIG.retreat_speed
        )
        return False
    height = float(context.control.T_map_grasp()[2, 3] - candidate.support)
    hold(context, body, label, height, HandOrientation.of(goal[:3, :3]))
    return True


def _arrive(context: SkillContext, goal: Transform) -> Move[None]:
    """Wait, up to a limit, for the hand to be where it is to close; fingers above a flat object slide off."""
    for _ in range(int(CONFIG.arrival_time / CONTROL_PERIOD)):
        if float(np.linalg.norm(context.control.T_map_grasp()[:3, 3] - goal[:3, 3])) < CONFIG.arrival_error:
            return
        yield Feedback("approaching", 1.0)


def lift(context: SkillContext, held: HeldObject) -> Move[None]:
    """Lift the grasped object, over the front of a drawer if it lies in one.

    Raises:
        LostObject: If it does not come along.
    """
    raised = context.control.T_map_grasp()
    before = float(context.data.xpos[held.body, 2])
    bottom = float(raised[2, 3]) - held.above_support
    over_rim = drawer_front_height(context, held.body) + CONFIG.rim_clearance - bottom
    raised[2, 3] += max(CONFIG.lift_height if held.is_downward else CONFIG.level_lift_height, over_rim)
    yield from reach_along(context, raised, "lifting", CONFIG.retreat_speed)
    if (
        between_fingers(context) != held.body
        or float(context.data.xpos[held.body, 2]) < before + CONFIG.min_lift
    ):
        deactivate_weld(context, context.names.grasp_weld)
        context.held = None
        raise LostObject(f"the {held.label} slipped out of the hand during the lift")


def retreat_with_object(context: SkillContext) -> Move[None]:
    """Back away as far as the floor allows, then bring the hand to the side."""
    yield from back_away(context, room_behind(context))
    yield from stow_arm(context, "carrying")
