"""Centre and size of a thing whose front alone was seen."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_FLAT = 0.25
_SEEN_ALL = 0.75


@dataclass(frozen=True, slots=True)
class Extent:
    """A box standing upright in map.

    ``center`` [m]; ``yaw`` [rad] of its x axis; ``size`` (x, y, z) [m]; ``unseen`` [m]: by how much
    the centre may lie deeper than what was seen tells.
    """

    center: Array
    yaw: float
    size: tuple[float, float, float]
    unseen: float


def without_support(points: Array, layer: float = 0.012) -> tuple[NDArray[np.bool_], float]:
    """Mask of the points (N, 3) above what the thing stands on, all of a flat thing; and that height [m]."""
    floor = float(np.percentile(points[:, 2], 2.0))
    above = points[:, 2] > floor + layer
    return (above if above.mean() > 0.3 else np.ones(len(points), dtype=bool)), floor


def extent_of(points: Array, eye: Array, floor: float) -> Extent:
    """The upright box around a thing.

    Seen level, only the near half of a round thing shows: when the depth seen is about half of what
    the thing measures across, the other half is added. A flat front stays flat, with its depth unknown.

    Args:
        points: Of its surface, in map [m], shape (N, 3).
        eye: Where it was seen from, shape (3,).
        floor: Height of what it stands on, or of its lowest point [m].
    """
    low, high = floor, float(np.percentile(points[:, 2], 99.0))
    forward = _horizontal(points[:, :2].mean(axis=0) - eye[:2])
    along, across = points[:, :2] @ forward, points[:, :2] @ np.array([-forward[1], forward[0]])
    near, far = np.percentile(along, (1.0, 99.0))
    left, right = np.percentile(across, (0.5, 99.5))
    round_size = float(min(right - left, high - low))
    seen = float(far - near) / max(round_size, 1e-6)
    if _FLAT < seen < _SEEN_ALL:
        depth = round_size
        center = forward * (near + depth / 2.0) + np.array([-forward[1], forward[0]]) * (left + right) / 2.0
        yaw, size = float(np.arctan2(forward[1], forward[0])), (depth, float(right - left))
    else:
        center, yaw, size = _footprint(points[:, :2])
    unseen = round_size / 2.0 if seen <= _FLAT else 0.0
    return Extent(np.array([*center, (low + high) / 2.0]), yaw, (*size, high - low), unseen)


def _footprint(points: Array) -> tuple[Array, float, tuple[float, float]]:
    """Smallest rectangle around floor points (N, 2): centre, yaw of its long side, (long, short)."""
    offset = points.mean(axis=0)
    (x, y), (a, b), degrees = cv2.minAreaRect((points - offset).astype(np.float32))
    yaw = np.deg2rad(degrees if a >= b else degrees + 90.0)
    return offset + np.array([x, y]), float((yaw + np.pi / 2) % np.pi - np.pi / 2), (max(a, b), min(a, b))


def _horizontal(direction: Array) -> Array:
    norm = float(np.linalg.norm(direction))
    return direction / norm if norm > 1e-9 else np.array([1.0, 0.0])
