"""The thing on a support that a scan shows nearest to where it was expected."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

from openral_core.errors import OpenRALError

Vector = NDArray[np.float64]
_CELL = 0.008
_LEVEL_STEP = 0.004
_ABOVE_SUPPORT = 0.010
SEARCH_RADIUS = 0.05
"""How far from the expected centre a thing's nearest side may be in [m]."""


class NothingSeen(OpenRALError):
    """A scan shows nothing standing where something was expected."""

    def __init__(self, point: Vector, points: int) -> None:
        where = ", ".join(f"{value:.2f}" for value in point)
        super().__init__(
            f"nothing stands within {SEARCH_RADIUS * 100:.0f} cm of ({where}); the scan had {points} points"
        )


@dataclass(frozen=True)
class Segment:
    """One thing cut out of a scan.

    Attributes:
        points: Everything seen, in map in [m], shape (N, 3).
        chosen: Which of them are the thing, bool, shape (N,).
        support: Height of what it stands on in [m].
    """

    points: Vector
    chosen: NDArray[np.bool_]
    support: float

    @property
    def own_points(self) -> Vector:
        """The thing's points, shape (M, 3)."""
        return self.points[self.chosen]


def segment_near(points: Vector, expected: Vector, bottom: float) -> Segment:
    """Cut out the thing nearest to where it is expected.

    Args:
        points: A scan in map in [m], shape (N, 3).
        expected: Where the thing's centre should be, shape (3,).
        bottom: Height of the support as far as known; the scan's own level surface near it wins.

    Raises:
        NothingSeen: If nothing rises from the support near there.
    """
    support = _support_level(points, bottom)
    raised = points[:, 2] > support + _ABOVE_SUPPORT
    if not raised.any():
        raise NothingSeen(expected, len(points))
    cells = np.floor((points[:, :2] - points[:, :2].min(axis=0)) / _CELL).astype(int)
    filled = np.zeros(cells.max(axis=0) + 1, dtype=bool)
    filled[tuple(cells[raised].T)] = True
    parts, _ = label(filled, structure=np.ones((3, 3)))
    part = np.where(raised, parts[tuple(cells.T)], 0)
    distance = np.where(raised, np.linalg.norm(points[:, :2] - expected[:2], axis=1), np.inf)
    nearest = int(distance.argmin())
    if distance[nearest] > SEARCH_RADIUS:
        raise NothingSeen(expected, len(points))
    return Segment(points, part == part[nearest], support)


def _support_level(points: Vector, bottom: float) -> float:
    """Height of the most populated level within 6 cm of where the support should be."""
    near = points[np.abs(points[:, 2] - bottom) < 0.06, 2]
    if len(near) < 20:
        return bottom
    levels = np.round(near / _LEVEL_STEP).astype(int)
    values, counts = np.unique(levels, return_counts=True)
    return float(np.median(near[levels == values[counts.argmax()]]))
