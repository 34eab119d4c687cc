"""Reach options: pregrasp poses around an object before its scan, and poses of a held object over a point."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import transform

from openral_core.arrays import PlanarPose, Rotation, Transform, Vector3
from openral_core.grasping.approach import (
    ApproachDirection,
    HandOrientation,
    frontal,
    hand_axes,
    oblique,
    orientations_like,
    pregrasp_pose,
    top_down,
    wrist_rotations,
)
from openral_core.skill_requests import GraspRequest
from openral_sim.motion_primitives.base_pose_selection import ReachOption, WorkPose
from openral_sim.motion_primitives.context import HeldObject


@dataclass(frozen=True)
class PregraspConfig:
    """Parameters of expected grasps, from which the wrist camera scans; tuned in simulation."""

    # Distance of the hand from the expected grasp in [m]; the wrist camera sees the object and the room for
    # the fingers beside it.
    hover_distance: float = 0.21
    contact_margin: float = 0.06  # Radius beyond the object's reach within which contact is intended in [m].
    depth: float = 0.04  # Depth of the expected grasp into the object in [m].
    tall: float = 0.08  # Height from which an object is also grasped high up in [m].
    # Height of that grasp above the object's middle, as a fraction of the object's height.
    high_fraction: float = 0.28
    # Angles below level of oblique approaches in [rad], and their names. The flatter is tried from everywhere
    # before the steeper: a flat hand enters a shelf.
    pitches: tuple[tuple[float, str], ...] = ((0.5, "obliquely"), (0.8, "steeply"))
    # Deviations of lateral approaches from the base's heading in [rad].
    headings: tuple[float, ...] = (0.4, -0.4, 0.75, -0.75)
    hand_clearance: float = 0.030  # Height of an obliquely approaching hand above the support in [m].
    # Largest angle to another approach whose side of the object is in the scan in [rad].
    max_view_change: float = 0.9


CONFIG = PregraspConfig()


@dataclass(frozen=True)
class HoldConfig:
    """Parameters of holding an object over a point; tuned in simulation."""

    min_upright: float = 0.8  # Cosine of the largest tilt in the hand that is corrected; 37 degrees.
    contact_radius: float = 0.06  # Radius around the point within which contact is intended in [m].


HOLD = HoldConfig()


def grasp_options(request: GraspRequest, base: PlanarPose) -> list[ReachOption]:
    """List pregrasp and expected grasp poses from a base pose: from above, then from the front, then others.

    A slender object is grasped from the side first, so that it can be poured from and put down upright.
    Lateral and oblique approaches come last, or first if the request is so.
    """
    heading = float(np.arctan2(*(request.position[:2] - base[:2])[::-1]))
    half_height, wide = request.height / 2, request.reach
    above = [
        (top_down(heading + turn), 0.0, half_height, max(CONFIG.contact_margin, half_height))
        for turn in (np.pi / 2, 0.0)
    ]
    level = [(frontal(heading), height, wide, CONFIG.contact_margin) for height in _heights(request)]
    last = above if request.from_side else []
    first = [] if request.from_side else above
    usual = (*level, *first) if request.is_slender else (*first, *level)
    others = [
        (approach, _oblique_height(request, approach), wide, CONFIG.contact_margin)
        for approach in _lateral_and_oblique(heading)
    ]
    options = []
    for number, (approach, height, extent, margin) in enumerate((*usual, *others, *last)):
        T = expected_grasp(approach, np.add(request.position, (0.0, 0.0, height)), extent)
        allowed_contact = (request.position, request.reach + margin)
        options += [
            ReachOption(
                approach.name,
                pregrasp_pose(turned, CONFIG.hover_distance),
                turned,
                allowed_contact,
                len(usual) <= number < len(usual) + len(others),
            )
            for turned in wrist_rotations(T)
        ]
    return options


def _lateral_and_oblique(heading: float) -> Iterator[ApproachDirection]:
    yield from (replace(frontal(heading + turn), name="from the side") for turn in CONFIG.headings)
    for pitch, how in CONFIG.pitches:
        yield replace(oblique(heading, pitch), name=how)
    for pitch, how in CONFIG.pitches:
        for turn in CONFIG.headings:
            yield replace(oblique(heading + turn, pitch), name=f"{how} from the side")


def _heights(request: GraspRequest) -> tuple[float, ...]:
    """Heights above the object's middle at which a level hand may close in [m]."""
    return (0.0, CONFIG.high_fraction * request.height) if request.height > CONFIG.tall else (0.0,)


def _oblique_height(request: GraspRequest, approach: ApproachDirection) -> float:
    """Height above a flat object's middle that keeps an obliquely approaching hand off the support in [m]."""
    return 0.0 if approach.is_level else max(0.0, CONFIG.hand_clearance - request.height / 2)


def expected_grasp(approach: ApproachDirection, position: Vector3, extent: float) -> Transform:
    """Grasp pose on an object that extends ``extent`` [m] towards the hand, shape (4, 4)."""
    T = np.eye(4)
    T[:3, :3] = hand_axes(approach)
    T[:3, 3] = position - max(0.0, extent - CONFIG.depth) * T[:3, 2]
    return T


def approaches_from(work_pose: WorkPose) -> list[ApproachDirection]:
    """List a work pose's own approach, then others whose side of the object its scan shows."""
    R, turn = work_pose.option.T_map_goal[:3, :3], float(work_pose.base[2]) + np.pi / 2
    pitch, along = HandOrientation.of(R).pitch, float(np.arctan2(R[1, 2], R[0, 2]))
    if HandOrientation.of(R).is_downward:
        own, along = top_down(turn), float(work_pose.base[2])
    else:
        own = oblique(along, pitch) if pitch > CONFIG.pitches[0][0] / 2 else frontal(along)
    others = (top_down(turn), frontal(along), *_lateral_and_oblique(along))
    return [own, *(other for other in others if 0.01 < _angle_between(own, other) < CONFIG.max_view_change)]


def _angle_between(one: ApproachDirection, other: ApproachDirection) -> float:
    """Angle between two approaches in [rad]."""
    along = one.R_map_approach[:, 2] @ other.R_map_approach[:, 2]
    return float(np.arccos(np.clip(along, -1.0, 1.0)))


def hold_poses_over(
    held: HeldObject, point: Vector3, gap: float, drop: float, base: PlanarPose
) -> Iterator[ReachOption]:
    """List ways to hold an object over a point, as upright as when it was grasped.

    Args:
        point: Point for its middle, its underside ``gap`` [m] above it; in map, shape (3,).
        gap: Height left under it in [m].
        drop: Height from which the hand comes down in [m].
        base: Pose of the base, shape (3,).
    """
    heading = float(np.arctan2(point[1] - base[1], point[0] - base[0]))
    for tag, R in hold_orientations(held, heading):
        T = np.eye(4)
        T[:3, :3] = R
        T[:3, 3] = point + np.array([0.0, 0.0, held.above_support + gap])
        T[:2, 3] -= (R @ held.T_grasp_body[:3, 3])[:2]
        before = T.copy()
        before[2, 3] += drop
        yield ReachOption(tag, before, T, (point, HOLD.contact_radius))


def hold_orientations(held: HeldObject, heading: float) -> Iterator[tuple[str, Rotation]]:
    """List the name and the orientation of each hand pose, those along the base's heading first."""
    for name, R in orientations_like(held.orientation, heading):
        yield name, R if held.is_downward else upright_orientation(held, R)


def upright_orientation(held: HeldObject, R_map_hand: Rotation) -> Rotation:
    """Rotate the hand so that an object that tipped between the fingers is upright."""
    up = R_map_hand @ held.T_grasp_body[:3, 2]
    axis, height = np.cross(up, (0.0, 0.0, 1.0)), float(up[2])
    sine = float(np.linalg.norm(axis))
    if height < HOLD.min_upright or sine < 1e-6:
        return R_map_hand
    turn = transform.Rotation.from_rotvec(axis / sine * np.arctan2(sine, height))
    return np.asarray(turn.as_matrix() @ R_map_hand)
