"""Bringing what is held, the way up it was taken, over a point."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from openral_sim.motions.approaches import from_above, hand_axes
from openral_sim.skills.context import Held
from openral_sim.skills.moves.docking import Option

Vector = NDArray[np.float64]
_TURNS, _ASIDE = 8, (0.0, 0.4, -0.4, 0.75, -0.75)
_TIPPED = 0.8


def presentations(held: Held, point: Vector, gap: float, drop: float, base: Vector) -> Iterator[Option]:
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
        yield Option(tag, before, T, (point, 0.06))


def _orientations(held: Held, heading: float) -> Iterator[tuple[str, Vector]]:
    """What each way is called, and how the hand then points; the way the base faces before others."""
    if not held.downward:
        for aside in _ASIDE:
            name = "from aside" if aside else "from the front"
            yield name, _righted(held, held.pointing.axes(heading + aside))
        return
    for turn in sorted(np.arange(_TURNS) * 2 * np.pi / _TURNS, key=lambda turn: abs(turn - np.pi)):
        yield "from above", hand_axes(from_above(heading + float(turn)))


def _righted(held: Held, R_map_hand: Vector) -> Vector:
    """The hand turned a little so that what tipped between the fingers stands upright."""
    up = R_map_hand @ held.T_grasp_body[:3, 2]
    axis, height = np.cross(up, (0.0, 0.0, 1.0)), float(up[2])
    sine = float(np.linalg.norm(axis))
    if height < _TIPPED or sine < 1e-6:
        return R_map_hand
    turn: Vector = Rotation.from_rotvec(axis / sine * np.arctan2(sine, height)).as_matrix() @ R_map_hand
    return turn
