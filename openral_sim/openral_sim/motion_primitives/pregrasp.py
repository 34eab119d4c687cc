"""The ways a hand can come to a thing before it has looked closely."""
# MERGED Bringing what is held, the way up it was taken, over a point.

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from openral_sim.motion_primitives.base_pose_selection import ReachOption, WorkPose
from openral_sim.planning.approach import (
    ApproachDirection,
    HandOrientation,
    frontal,
    hand_axes,
    oblique,
    pregrasp_pose,
    top_down,
    wrist_rotations,
)
from openral_sim.skills.context import Held
from openral_sim.skills.requests import GraspRequest

Vector = NDArray[np.float64]
_HOVER = 0.21
_SPARE = 0.06
_INSIDE = 0.04
_TALL, _HIGH = 0.08, 0.28
_PITCHES = (0.5, 0.8)
_ASIDE = (0.4, -0.4, 0.75, -0.75)
_OVER_SUPPORT = 0.030
_SEEN_WELL = 0.9


def grasp_options(request: GraspRequest, base: Vector) -> list[ReachOption]:
    """Hover and expected grasp from a base pose: from above before from the front, every way round.

    What stands tall and slender is taken from the side first: so it can be poured from and stood up again.
    Where neither finds room, the hand comes from aside, aslant, or both.
    """
    heading = float(np.arctan2(*(request.position[:2] - base[:2])[::-1]))
    tall, wide = request.height / 2, request.reach
    above = [(top_down(heading + turn), 0.0, tall, max(_SPARE, tall)) for turn in (np.pi / 2, 0.0)]
    level = [(frontal(heading), height, wide, _SPARE) for height in _heights(request)]
    usual = (*level, *above) if request.is_slender else (*above, *level)
    rest = [(approach, _raised(request, approach), wide, _SPARE) for approach in _unusual(heading)]
    options = []
    for number, (approach, height, extent, spare) in enumerate((*usual, *rest)):
        T = expected_grasp(approach, np.add(request.position, (0.0, 0.0, height)), extent)
        spared = (request.position, request.reach + spare)
        options += [
            ReachOption(approach.name, pregrasp_pose(turned, _HOVER), turned, spared, number >= len(usual))
            for turned in wrist_rotations(T)
        ]
    return options


def _unusual(heading: float) -> Iterator[ApproachDirection]:
    yield from (replace(frontal(heading + aside), name="from aside") for aside in _ASIDE)
    yield from (oblique(heading, pitch) for pitch in _PITCHES)
    for pitch in _PITCHES:
        for aside in _ASIDE:
            yield replace(oblique(heading + aside, pitch), name="from aslant and aside")


def _heights(request: GraspRequest) -> tuple[float, ...]:
    """Where a level hand may close, over the thing's middle in [m]: high on what is tall, too."""
    return (0.0, _HIGH * request.height) if request.height > _TALL else (0.0,)


def _raised(request: GraspRequest, approach: ApproachDirection) -> float:
    """How far over a flat thing's middle a hand that comes down aslant closes, off the support, in [m]."""
    return 0.0 if approach.is_level else max(0.0, _OVER_SUPPORT - request.height / 2)


def expected_grasp(approach: ApproachDirection, position: Vector, extent: float) -> Vector:
    """Where the hand would close on a thing that reaches ``extent`` [m] towards it, shape (4, 4)."""
    T = np.eye(4)
    T[:3, :3] = hand_axes(approach)
    T[:3, 3] = position - max(0.0, extent - _INSIDE) * T[:3, 2]
    return T


def approaches_from(stance: WorkPose) -> list[ApproachDirection]:
    """The direction a stance's hand comes from, then others from which it sees enough of the thing."""
    R, turn = stance.option.T_map_goal[:3, :3], float(stance.base[2]) + np.pi / 2
    pitch, along = HandOrientation.of(R).pitch, float(np.arctan2(R[1, 2], R[0, 2]))
    if HandOrientation.of(R).is_downward:
        own, along = top_down(turn), float(stance.base[2])
    else:
        own = oblique(along, pitch) if pitch > _PITCHES[0] / 2 else frontal(along)
    others = (top_down(turn), frontal(along), *_unusual(along))
    return [own, *(other for other in others if 0.01 < _between(own, other) < _SEEN_WELL)]


def _between(one: ApproachDirection, other: ApproachDirection) -> float:
    """Angle between where two hands point in [rad]."""
    along = one.R_map_approach[:, 2] @ other.R_map_approach[:, 2]
    return float(np.arccos(np.clip(along, -1.0, 1.0)))


_TURNS, _PRESENTING_ASIDE = 8, (0.0, 0.4, -0.4, 0.75, -0.75)
_TIPPED = 0.8


def hold_poses_over(
    held: Held, point: Vector, gap: float, drop: float, base: Vector
) -> Iterator[ReachOption]:
    """Ways to bring what is held over a point, as upright as when it was taken.

    Args:
        held: What the hand holds.
        point: Where its middle shall come to be, its underside ``gap`` [m] above; in map, shape (3,).
        gap: Height left under it in [m].
        drop: How far the hand comes down to there in [m].
        base: Pose of the base, shape (3,).
    """
    heading = float(np.arctan2(point[1] - base[1], point[0] - base[0]))
    for tag, R in _orientations(held, heading):
        T = np.eye(4)
        T[:3, :3] = R
        T[:3, 3] = point + np.array([0.0, 0.0, held.above_support + gap])
        T[:2, 3] -= (R @ held.T_grasp_body[:3, 3])[:2]
        before = T.copy()
        before[2, 3] += drop
        yield ReachOption(tag, before, T, (point, 0.06))


def _orientations(held: Held, heading: float) -> Iterator[tuple[str, Vector]]:
    """What each way is called, and how the hand then points; the way the base faces before others."""
    if not held.downward:
        for aside in _PRESENTING_ASIDE:
            name = "from aside" if aside else "from the front"
            yield name, _righted(held, held.pointing.axes(heading + aside))
        return
    for turn in sorted(np.arange(_TURNS) * 2 * np.pi / _TURNS, key=lambda turn: abs(turn - np.pi)):
        yield "from above", hand_axes(top_down(heading + float(turn)))


def _righted(held: Held, R_map_hand: Vector) -> Vector:
    """The hand turned a little so that what tipped between the fingers stands upright."""
    up = R_map_hand @ held.T_grasp_body[:3, 2]
    axis, height = np.cross(up, (0.0, 0.0, 1.0)), float(up[2])
    sine = float(np.linalg.norm(axis))
    if height < _TIPPED or sine < 1e-6:
        return R_map_hand
    turn: Vector = Rotation.from_rotvec(axis / sine * np.arctan2(sine, height)).as_matrix() @ R_map_hand
    return turn
