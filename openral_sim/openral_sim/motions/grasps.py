"""Where two parallel fingers can close on a thing that a scan shows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_sim.motions.segments import Segment

Vector = NDArray[np.float64]

OPENING = 0.080
"""Greatest distance between the pads in [m]."""
_PAD_DEPTH = 0.014
_PAD_HALF_WIDTH = 0.012
_TIP = 0.020
_DEPTHS = (0.045, 0.012)
_FLOOR_GAP = 0.006
_CLEARANCE = 0.003
_SAMPLES = 70
_MAX_SLANT = 0.014
_FINGER_HALF_WIDTH, _MAX_FLARE = 0.018, 0.006
_CENTRINGS, _CENTRED = 4, 0.001


@dataclass(frozen=True)
class Approach:
    """A direction to come from.

    Attributes:
        name: What it is called.
        R_map_approach: Columns u (finger travel at yaw 0), v, and w (against the approach), shape (3, 3).
        yaws: Turns of the fingers about w to consider in [rad].
    """

    name: str
    R_map_approach: Vector
    yaws: tuple[float, ...]


@dataclass(frozen=True)
class Grasp:
    """A pose of the grasp site in map (z approach, y finger travel), and how wide the thing is there."""

    T_map_grasp: Vector
    width: float
    score: float


def from_above(turn: float) -> Approach:
    """Straight down; ``turn`` [rad] is the heading of the fingers' travel at yaw 0."""
    c, s = np.cos(turn), np.sin(turn)
    R = np.column_stack([(c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)])
    return Approach("from above", R, tuple(np.arange(12) * np.pi / 12))


def from_front(heading: float) -> Approach:
    """Level, along ``heading`` [rad] in map; the fingers travel sideways."""
    c, s = np.cos(heading), np.sin(heading)
    R = np.column_stack([(s, -c, 0.0), (0.0, 0.0, 1.0), (-c, -s, 0.0)])
    return Approach("from the front", R, (0.0,))


def propose(segment: Segment, approach: Approach, limit: int = 8) -> list[Grasp]:
    """Find places for the fingers, best first.

    The pads must find room beside the thing, something between them, and not dig into the support.
    """
    R = approach.R_map_approach
    scan, own = segment.points @ R, segment.own_points @ R
    centre = (own.min(axis=0) + own.max(axis=0)) / 2
    samples = own[np.linspace(0, len(own) - 1, _SAMPLES).astype(int)]
    samples = np.vstack([centre[None], samples])
    lowest = segment.support + _TIP + _FLOOR_GAP if approach.name == "from above" else -np.inf
    found: list[Grasp] = []
    # Fingertips alone only where the whole pads find no room, as in a shallow bowl.
    for deepest in _DEPTHS:
        for yaw in (*approach.yaws, *_own_axes(own, approach)) if not found else ():
            spin = _spin(yaw)
            turned = (scan @ spin, own @ spin, lowest, deepest)
            fits = (_fit(sample, turned, centre @ spin, R @ spin) for sample in samples @ spin)
            found += [fit for fit in fits if fit is not None]
    return sorted(found, key=lambda grasp: -grasp.score)[:limit]


def _own_axes(own: Vector, approach: Approach) -> tuple[float, ...]:
    """Turns that align the fingers with the thing's own length and width."""
    if len(approach.yaws) == 1:
        return ()
    _, axes = np.linalg.eigh(np.cov(own[:, :2].T))
    length = float(np.arctan2(axes[1, 1], axes[0, 1]))
    return length, length + np.pi / 2


def _spin(yaw: float) -> Vector:
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _fit(at: Vector, turned: tuple[Vector, Vector, float, float], centre: Vector, R: Vector) -> Grasp | None:
    """Centre the fingers on what lies between them at one place, or None if they do not fit."""
    scan, own, lowest, deepest = turned
    u, v = _centred(own, float(at[0]), float(at[1]), lowest, deepest), float(at[1])
    gripped = _gripped(own, u, v, lowest, deepest)
    if gripped is None:
        return None
    depth, grip = gripped
    width, slant = float(np.ptp(grip[:, 0])), _slant(grip, v)
    if width > OPENING - 2 * _CLEARANCE or slant > _MAX_SLANT or not _pads_free(scan, u, v, depth):
        return None
    if _flare(own, u, v, depth) > width + _MAX_FLARE:
        return None
    T = np.eye(4)
    T[:3, :3] = np.column_stack([R[:, 1], R[:, 0], -R[:, 2]])
    T[:3, 3] = R @ np.array([u, v, depth])
    off_centre = float(np.hypot(u - centre[0], v - centre[1]))
    return Grasp(T, width, -off_centre - 2.0 * slant - 0.3 * max(0.0, width - 0.06))


def _centred(own: Vector, u: float, v: float, lowest: float, deepest: float) -> float:
    """Where the pads stand as far from what is between them on either side.

    Moved over, they may have more of the thing between them than before: then they are moved again.
    """
    for _ in range(_CENTRINGS):
        gripped = _gripped(own, u, v, lowest, deepest)
        if gripped is None:
            break
        low, high = float(gripped[1][:, 0].min()), float(gripped[1][:, 0].max())
        moved, u = abs((low + high) / 2 - u), (low + high) / 2
        if moved < _CENTRED:
            break
    return u


def _gripped(own: Vector, u: float, v: float, lowest: float, deepest: float) -> tuple[float, Vector] | None:
    """How deep the opened pads go at one place, and the points they then have between them."""
    between = (np.abs(own[:, 0] - u) < OPENING / 2) & (np.abs(own[:, 1] - v) < _PAD_HALF_WIDTH)
    if not between.any():
        return None
    depth = max(float(own[between, 2].max()) - deepest, lowest)
    return depth, own[between & (own[:, 2] > depth - _TIP)]


def _flare(own: Vector, u: float, v: float, depth: float) -> float:
    """How wide a thing is over the whole breadth of the fingers, which is more than their pads', in [m]."""
    beside = (np.abs(own[:, 0] - u) < OPENING / 2) & (np.abs(own[:, 1] - v) < _FINGER_HALF_WIDTH)
    return float(np.ptp(own[beside & (own[:, 2] > depth - _TIP), 0]))


def _slant(grip: Vector, v: float) -> float:
    """How much both faces shift across the pads' width in [m]; a corner shifts more than a flat or a rim."""
    sides = [grip[grip[:, 1] < v, 0], grip[grip[:, 1] >= v, 0]]
    if min(map(len, sides)) == 0:
        return np.inf
    lows, highs = ([float(edge(side)) for side in sides] for edge in (np.min, np.max))
    return abs(lows[0] - lows[1]) + abs(highs[0] - highs[1])


def _pads_free(scan: Vector, u: float, v: float, depth: float) -> bool:
    """Whether nothing seen stands where the opened pads go down."""
    beside = np.abs(scan[:, 0] - u)
    in_pads = (beside > OPENING / 2 - 0.001) & (beside < OPENING / 2 + _PAD_DEPTH)
    in_pads &= np.abs(scan[:, 1] - v) < _PAD_HALF_WIDTH
    return not bool((scan[in_pads, 2] > depth - _TIP - 0.002).any())


def hand_axes(approach: Approach) -> Vector:
    """Orientation of the grasp site that comes along an approach, shape (3, 3)."""
    u, v, w = approach.R_map_approach.T
    return np.column_stack([v, u, -w])


def mirrored(T_map_grasp: Vector) -> Vector:
    """The same grasp with the hand turned half around its approach."""
    return T_map_grasp @ np.diag([-1.0, -1.0, 1.0, 1.0])


def turns_of(T_map_grasp: Vector) -> tuple[Vector, ...]:
    """How the hand can take one grasp: from above either way round, level only as it can carry it upright."""
    return (T_map_grasp, mirrored(T_map_grasp)) if T_map_grasp[2, 2] < -0.5 else (T_map_grasp,)


def backed_off(T_map_grasp: Vector, distance: float) -> Vector:
    """A pose moved back against its approach by ``distance`` [m]."""
    T = T_map_grasp.copy()
    T[:3, 3] -= distance * T[:3, 2]
    return T
