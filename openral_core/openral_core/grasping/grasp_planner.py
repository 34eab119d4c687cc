"""Grasps of a parallel gripper on a scanned object, sampled and ranked."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from openral_core.arrays import Array, Points, Rotation, Transform, Vector3
from openral_core.grasping.approach import ApproachDirection
from openral_core.grasping.gripper import GripperGeometry
from openral_core.grasping.segmentation import ObjectSegment


@dataclass(frozen=True)
class GraspPlannerConfig:
    """Parameters of sampling grasps; lengths in [m]. Tuned on the simulated household objects."""

    # How far the whole pads go beyond the object's nearest point; about their length.
    max_depth: float = 0.045
    fingertip_depth: float = 0.012  # The same for the fingertips alone.
    # Openings to try where the open fingers do not fit between neighbours.
    narrow_openings: tuple[float, ...] = (0.055, 0.035)
    support_gap: float = 0.006  # Distance of the pads from the support.
    clearance: float = 0.003  # Distance of each pad from the object before the fingers close.
    samples: int = 70  # Number of points of the object that grasps are centred on.
    max_slant: float = 0.014  # Largest shift of the two faces across the pads' breadth; rejects corners.
    min_grip: float = 0.004  # Least overlap of the pads and the object along the approach.
    # Required clearance below the pads in an oblique approach; rejects wedges.
    oblique_clearance: float = 0.08
    # Largest excess of the object's width over the whole fingers; rejects flaring rims.
    max_flare: float = 0.006
    max_centrings: int = 4  # Number of times the fingers are re-centred on what is between them.
    centring_tolerance: float = 0.001  # Shift below which the fingers count as centred.
    # Sine of the approach's elevation below which the support cannot limit the depth.
    level_sine: float = 0.15
    slant_weight: float = 2.0  # Cost of slant, relative to the distance from the object's middle.
    # Cost of width beyond ``easy_width``, relative to the distance from the object's middle.
    width_weight: float = 0.3
    easy_width: float = 0.06  # Width that the fingers grasp without cost.
    # Cost of fingers that close along the line of sight, where one of them goes down behind the object, whose
    # far side was not seen.
    hidden_weight: float = 0.04
    tip_margin: float = 0.002  # Clearance of the tips from points beside the object.
    edge_margin: float = 0.001  # Overlap of the pads' inner faces with what counts as beside them.


CONFIG = GraspPlannerConfig()


@dataclass(frozen=True)
class Grasp:
    """A pose of the grasp site in map (z approach, y finger travel) and the width of the object there."""

    T_map_grasp: Transform  # The pose, shape (4, 4).
    width: float  # Width of the object between the pads in [m].
    score: float  # Rank; higher is better.
    opening: float  # Distance between the pads on the way in in [m].


@dataclass(frozen=True)
class GraspStrategy:
    """Depth and opening of the pads in an approach."""

    gripper: GripperGeometry  # Outline of the gripper.
    max_depth: float  # Largest depth beyond the object's nearest point in [m].
    opening: float  # Distance between the pads on the way in in [m].
    clearance_below: float = 0.0  # Required clearance below the pads in [m]; rejects wedge-shaped faces.


@dataclass(frozen=True)
class _View:
    """A scan in the axes of an approach, the fingers' travel along the first."""

    R: Rotation  # The axes in map, shape (3, 3).
    scan: Points  # All points in [m], shape (N, 3).
    own: Points  # Points of the object in [m], shape (M, 3).
    centre: Vector3  # Middle of the object in [m], shape (3,).
    support: float  # Height in map of the surface it stands on in [m].
    sight: Vector3  # Direction in which the object was seen, of unit length or zero, shape (3,).
    strategy: GraspStrategy  # Gripper, depth and opening of its pads.

    def lowest(self, u: float, v: float) -> float:
        """Depth at one place at which a pad would touch the support."""
        along_u, along_v, along_w = self.R[2]
        if along_w < CONFIG.level_sine:
            return -np.inf
        gripper = self.strategy.gripper
        spread = (self.strategy.opening / 2 + gripper.pad_depth) * abs(
            along_u
        ) + gripper.pad_half_width * abs(along_v)
        return float(
            gripper.tip_length
            + (self.support + CONFIG.support_gap + spread - u * along_u - v * along_v) / along_w
        )


def grasp_strategies(approach: ApproachDirection, gripper: GripperGeometry) -> Iterator[GraspStrategy]:
    """List grasp strategies for an approach, the preferred first.

    Fingertips alone fit where whole pads do not, as in a shallow bowl, but in an oblique approach they would
    slip off the edges. Narrower openings fit between neighbouring objects.
    """
    below = CONFIG.oblique_clearance if approach.is_oblique else 0.0
    yield GraspStrategy(gripper, CONFIG.max_depth, gripper.max_opening, below)
    if not approach.is_oblique:
        yield GraspStrategy(gripper, CONFIG.fingertip_depth, gripper.max_opening)
    for opening in CONFIG.narrow_openings:
        if opening < gripper.max_opening:
            yield GraspStrategy(gripper, CONFIG.max_depth, opening, below)


def sample_grasps(
    segment: ObjectSegment, approach: ApproachDirection, strategy: GraspStrategy
) -> list[Grasp]:
    """Sample the grasps of one strategy, the best first.

    The pads must fit beside the object, have part of it between them, and stay clear of the support.
    """
    own = segment.own_points @ approach.R_map_approach
    centre = (own.min(axis=0) + own.max(axis=0)) / 2
    samples = own[np.linspace(0, len(own) - 1, CONFIG.samples).astype(int)]
    samples = np.vstack([centre[None], samples])
    grasps: list[Grasp] = []
    for spin in map(_spin, (*approach.yaws, *principal_yaws(own, approach))):
        R = approach.R_map_approach @ spin
        view = _View(
            R, segment.points @ R, own @ spin, centre @ spin, segment.support, segment.sight @ R, strategy
        )
        grasps += [fit for sample in samples @ spin if (fit := fit_grasp(sample, view)) is not None]
    return sorted(grasps, key=lambda grasp: -grasp.score)


def principal_yaws(own: Points, approach: ApproachDirection) -> tuple[float, ...]:
    """Rotations that align the fingers with the object's length and width."""
    if len(approach.yaws) == 1:
        return ()
    _, axes = np.linalg.eigh(np.cov(own[:, :2].T))
    length = float(np.arctan2(axes[1, 1], axes[0, 1]))
    return length, length + np.pi / 2


def _spin(yaw: float) -> Rotation:
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def fit_grasp(at: Vector3, view: _View) -> Grasp | None:
    """Centre the fingers on the object at one place; None if they do not fit."""
    u, v = _centred(view, float(at[0]), float(at[1])), float(at[1])
    at_depth = _gripped(view, u, v)
    if at_depth is None:
        return None
    depth, grip = at_depth
    width, slant = float(np.ptp(grip[:, 0])), _slant(grip, v)
    if (
        width > view.strategy.opening - 2 * CONFIG.clearance
        or slant > CONFIG.max_slant
        or not has_room_for_hand(view, u, v, depth)
    ):
        return None
    if _flare(view, u, v, depth) > width + CONFIG.max_flare:
        return None
    R, T = view.R, np.eye(4)
    T[:3, :3] = np.column_stack([R[:, 1], R[:, 0], -R[:, 2]])
    T[:3, 3] = R @ np.array([u, v, depth])
    off_centre = float(np.hypot(u - view.centre[0], v - view.centre[1]))
    score = (
        -off_centre
        - CONFIG.slant_weight * slant
        - CONFIG.width_weight * max(0.0, width - CONFIG.easy_width)
        - CONFIG.hidden_weight * abs(float(view.sight[0]))
    )
    return Grasp(T, width, score, view.strategy.opening)


def _centred(view: _View, u: float, v: float) -> float:
    """Position along the fingers' travel at which both pads are equally far from the object.

    Moving the pads can bring more of the object between them, so this iterates.
    """
    for _ in range(CONFIG.max_centrings):
        gripped = _gripped(view, u, v)
        if gripped is None:
            break
        low, high = float(gripped[1][:, 0].min()), float(gripped[1][:, 0].max())
        moved, u = abs((low + high) / 2 - u), (low + high) / 2
        if moved < CONFIG.centring_tolerance:
            break
    return u


def _gripped(view: _View, u: float, v: float) -> tuple[float, Points] | None:
    """Depth of the opened pads at one place and the points between them; None if there are too few."""
    own = view.own
    between = (np.abs(own[:, 0] - u) < view.strategy.opening / 2) & (
        np.abs(own[:, 1] - v) < view.strategy.gripper.pad_half_width
    )
    if not between.any():
        return None
    nearest = float(own[between, 2].max())
    depth = max(nearest - view.strategy.max_depth, view.lowest(u, v))
    if nearest < depth - view.strategy.gripper.tip_length + CONFIG.min_grip:
        return None
    return depth, own[between & (own[:, 2] > depth - view.strategy.gripper.tip_length)]


def _flare(view: _View, u: float, v: float, depth: float) -> float:
    """Width of the object over the whole breadth of the fingers, wider than their pads, in [m]."""
    own = view.own
    beside = (np.abs(own[:, 0] - u) < view.strategy.opening / 2) & (
        np.abs(own[:, 1] - v) < view.strategy.gripper.finger_half_width
    )
    return float(np.ptp(own[beside & (own[:, 2] > depth - view.strategy.gripper.tip_length), 0]))


def _slant(grip: Points, v: float) -> float:
    """Shift of both faces across the pads' breadth in [m]; a corner shifts more than a flat or a rim."""
    sides = [grip[grip[:, 1] < v, 0], grip[grip[:, 1] >= v, 0]]
    if min(map(len, sides)) == 0:
        return np.inf
    lows, highs = ([float(edge(side)) for side in sides] for edge in (np.min, np.max))
    return abs(lows[0] - lows[1]) + abs(highs[0] - highs[1])


def has_room_for_hand(view: _View, u: float, v: float, depth: float) -> bool:
    """Return True if the opened pads hit nothing on the way in and the object ends between them."""
    tips = depth - view.strategy.gripper.tip_length - CONFIG.tip_margin
    continues = under_pads(view, view.own, u, v) > tips - view.strategy.clearance_below
    return not bool((under_pads(view, view.scan, u, v) > tips).any() or continues.any())


def under_pads(view: _View, points: Points, u: float, v: float) -> Array:
    """Heights towards the hand of the points in line with the opened pads in [m], shape (N,)."""
    beside, half = np.abs(points[:, 0] - u), view.strategy.opening / 2
    in_line = (beside > half - CONFIG.edge_margin) & (beside < half + view.strategy.gripper.pad_depth)
    in_line &= np.abs(points[:, 1] - v) < view.strategy.gripper.pad_half_width
    towards: Array = points[in_line, 2]
    return towards
