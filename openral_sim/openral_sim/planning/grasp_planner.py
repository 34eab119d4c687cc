"""Where two parallel fingers can close on a thing that a scan shows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_sim.planning.approach import ApproachDirection
from openral_sim.planning.range_sensor import ObjectSegment

Vector = NDArray[np.float64]

OPENING = 0.080
"""Greatest distance between the pads in [m]."""
_PAD_DEPTH = 0.014
_PAD_HALF_WIDTH = 0.012
_TIP = 0.020
_DEEP, _FINGERTIPS = 0.045, 0.012
_OPENINGS = (0.055, 0.035)
_FLOOR_GAP = 0.006
_CLEARANCE = 0.003
_SAMPLES = 70
_MAX_SLANT = 0.014
_LEAST_GRIP, _BEYOND = 0.004, 0.08
_FINGER_HALF_WIDTH, _MAX_FLARE = 0.018, 0.006
_CENTRINGS, _CENTRED = 4, 0.001
_LEVEL = 0.15


@dataclass(frozen=True)
class Grasp:
    """A pose of the grasp site in map (z approach, y finger travel), and how wide the thing is there.

    Attributes:
        T_map_grasp: The pose, shape (4, 4).
        width: Of the thing between the pads in [m].
        score: The more the better.
        opening: How far apart the pads come in [m].
    """

    T_map_grasp: Vector
    width: float
    score: float
    opening: float = OPENING


@dataclass(frozen=True)
class GraspStrategy:
    """How the pads go about it.

    Attributes:
        deepest: How far beyond the thing's nearest point they may go in [m].
        opening: How far apart they come in [m].
        beyond: How far below a pad the thing must have ended in [m]; a face that goes on there is a wedge's.
    """

    deepest: float
    opening: float
    beyond: float = 0.0


@dataclass(frozen=True)
class _View:
    """A scan along an approach, turned so that the fingers travel along its first axis.

    Attributes:
        R: Its axes in map, shape (3, 3).
        scan: All that is seen in [m], shape (N, 3).
        own: What is seen of the thing in [m], shape (M, 3).
        centre: Middle of the thing in [m], shape (3,).
        support: Height in map of what it stands on in [m].
        manner: How the pads go about it.
    """

    R: Vector
    scan: Vector
    own: Vector
    centre: Vector
    support: float
    manner: GraspStrategy

    def lowest(self, u: float, v: float) -> float:
        """How deep the pads can go at one place before one comes down on the support."""
        along_u, along_v, along_w = self.R[2]
        if along_w < _LEVEL:
            return -np.inf
        spread = (self.manner.opening / 2 + _PAD_DEPTH) * abs(along_u) + _PAD_HALF_WIDTH * abs(along_v)
        return float(_TIP + (self.support + _FLOOR_GAP + spread - u * along_u - v * along_v) / along_w)


def grasp_strategies(approach: ApproachDirection) -> Iterator[GraspStrategy]:
    """How the pads may go about it, the preferred first.

    Fingertips alone where the whole pads find no room, as in a shallow bowl; but aslant they would slip off
    the edges they pinch. Less open among neighbours.
    """
    beyond = _BEYOND if approach.is_aslant else 0.0
    yield GraspStrategy(_DEEP, OPENING, beyond)
    if not approach.is_aslant:
        yield GraspStrategy(_FINGERTIPS, OPENING)
    yield from (GraspStrategy(_DEEP, opening, beyond) for opening in _OPENINGS)


def sample_grasps(segment: ObjectSegment, approach: ApproachDirection, manner: GraspStrategy) -> list[Grasp]:
    """All places for the fingers in one manner, best first.

    The pads must find room beside the thing, something between them, and not dig into the support.
    """
    own = segment.own_points @ approach.R_map_approach
    centre = (own.min(axis=0) + own.max(axis=0)) / 2
    samples = own[np.linspace(0, len(own) - 1, _SAMPLES).astype(int)]
    samples = np.vstack([centre[None], samples])
    found: list[Grasp] = []
    for spin in map(_spin, (*approach.yaws, *_own_axes(own, approach))):
        R = approach.R_map_approach @ spin
        view = _View(R, segment.points @ R, own @ spin, centre @ spin, segment.support, manner)
        found += [fit for sample in samples @ spin if (fit := _fit(sample, view)) is not None]
    return sorted(found, key=lambda grasp: -grasp.score)


def _own_axes(own: Vector, approach: ApproachDirection) -> tuple[float, ...]:
    """Turns that align the fingers with the thing's own length and width."""
    if len(approach.yaws) == 1:
        return ()
    _, axes = np.linalg.eigh(np.cov(own[:, :2].T))
    length = float(np.arctan2(axes[1, 1], axes[0, 1]))
    return length, length + np.pi / 2


def _spin(yaw: float) -> Vector:
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _fit(at: Vector, view: _View) -> Grasp | None:
    """Centre the fingers on what lies between them at one place, or None if they do not fit."""
    u, v = _centred(view, float(at[0]), float(at[1])), float(at[1])
    gripped = _gripped(view, u, v)
    if gripped is None:
        return None
    depth, grip = gripped
    width, slant = float(np.ptp(grip[:, 0])), _slant(grip, v)
    if width > view.manner.opening - 2 * _CLEARANCE or slant > _MAX_SLANT or not _has_room(view, u, v, depth):
        return None
    if _flare(view, u, v, depth) > width + _MAX_FLARE:
        return None
    R, T = view.R, np.eye(4)
    T[:3, :3] = np.column_stack([R[:, 1], R[:, 0], -R[:, 2]])
    T[:3, 3] = R @ np.array([u, v, depth])
    off_centre = float(np.hypot(u - view.centre[0], v - view.centre[1]))
    score = -off_centre - 2.0 * slant - 0.3 * max(0.0, width - 0.06)
    return Grasp(T, width, score, view.manner.opening)


def _centred(view: _View, u: float, v: float) -> float:
    """Where the pads stand as far from what is between them on either side.

    Moved over, they may have more of the thing between them than before: then they are moved again.
    """
    for _ in range(_CENTRINGS):
        gripped = _gripped(view, u, v)
        if gripped is None:
            break
        low, high = float(gripped[1][:, 0].min()), float(gripped[1][:, 0].max())
        moved, u = abs((low + high) / 2 - u), (low + high) / 2
        if moved < _CENTRED:
            break
    return u


def _gripped(view: _View, u: float, v: float) -> tuple[float, Vector] | None:
    """How deep the opened pads go at one place, and the points they then have between them."""
    own = view.own
    between = (np.abs(own[:, 0] - u) < view.manner.opening / 2) & (np.abs(own[:, 1] - v) < _PAD_HALF_WIDTH)
    if not between.any():
        return None
    nearest = float(own[between, 2].max())
    depth = max(nearest - view.manner.deepest, view.lowest(u, v))
    if nearest < depth - _TIP + _LEAST_GRIP:
        return None
    return depth, own[between & (own[:, 2] > depth - _TIP)]


def _flare(view: _View, u: float, v: float, depth: float) -> float:
    """How wide a thing is over the whole breadth of the fingers, which is more than their pads', in [m]."""
    own = view.own
    beside = (np.abs(own[:, 0] - u) < view.manner.opening / 2) & (np.abs(own[:, 1] - v) < _FINGER_HALF_WIDTH)
    return float(np.ptp(own[beside & (own[:, 2] > depth - _TIP), 0]))


def _slant(grip: Vector, v: float) -> float:
    """How much both faces shift across the pads' width in [m]; a corner shifts more than a flat or a rim."""
    sides = [grip[grip[:, 1] < v, 0], grip[grip[:, 1] >= v, 0]]
    if min(map(len, sides)) == 0:
        return np.inf
    lows, highs = ([float(edge(side)) for side in sides] for edge in (np.min, np.max))
    return abs(lows[0] - lows[1]) + abs(highs[0] - highs[1])


def _has_room(view: _View, u: float, v: float, depth: float) -> bool:
    """Whether nothing seen stands where the opened pads go down, and the thing ends between them."""
    tips = depth - _TIP - 0.002
    goes_on = _under_pads(view, view.own, u, v) > tips - view.manner.beyond
    return not bool((_under_pads(view, view.scan, u, v) > tips).any() or goes_on.any())


def _under_pads(view: _View, points: Vector, u: float, v: float) -> Vector:
    """How far towards the hand points lie that are in line with the opened pads in [m], shape (N,)."""
    beside, half = np.abs(points[:, 0] - u), view.manner.opening / 2
    in_line = (beside > half - 0.001) & (beside < half + _PAD_DEPTH)
    in_line &= np.abs(points[:, 1] - v) < _PAD_HALF_WIDTH
    towards: Vector = points[in_line, 2]
    return towards
