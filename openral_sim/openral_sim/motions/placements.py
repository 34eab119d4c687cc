"""Where the base can stand to reach something."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from openral_sim.motions.paths import TravelField

Vector = NDArray[np.float64]
BEARINGS = 36
REACHES = (0.55, 0.62, 0.70, 0.48, 0.78, 0.84)
"""Distances from the base to what it reaches for in [m], the best first."""
_WORTH = 2.0


def standing_poses(
    field: TravelField, target: Vector, reaches: Sequence[float] = REACHES, bearings: int = BEARINGS
) -> list[Vector]:
    """Poses on reachable floor around a target, facing it, the cheapest first.

    Args:
        field: Ways from where the base stands.
        target: What to reach for, in map in [m], shape (2,) or (3,).
        reaches: Distances to stand at in [m], best first.
        bearings: How many directions to consider.

    Returns:
        Poses (x, y, yaw) in map, each shape (3,).
    """
    ranked = sorted(
        (field.cost_at(pose[:2]) + _WORTH * 0.1 * rank, i, tuple(pose))
        for i, (rank, pose) in enumerate(_ring(target, reaches, bearings))
    )
    return [np.array(pose) for cost, _, pose in ranked if np.isfinite(cost)]


def _ring(target: Vector, reaches: Sequence[float], bearings: int) -> Iterator[tuple[int, Vector]]:
    for rank, reach in enumerate(reaches):
        for bearing in np.arange(bearings) * 2 * np.pi / bearings:
            away = np.array([np.cos(bearing), np.sin(bearing)])
            yaw = bearing + np.pi if bearing < np.pi else bearing - np.pi
            yield rank, np.append(target[:2] + reach * away, yaw)
