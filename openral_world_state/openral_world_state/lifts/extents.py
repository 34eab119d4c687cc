"""Centre and size of a thing whose front alone was seen."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_HALF = (0.25, 0.75)
_LONG, _STRAIGHT, _ASLANT = 0.3, 0.8, 0.5


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

    Seen level, only the near half of a round thing shows: when its footprint is about half as deep as
    it is wide (upright), or as it is high (lying), the other half is added. A flat front stays flat,
    with its depth unknown.

    Args:
        points: Of its surface, in map [m], shape (N, 3).
        eye: Where it was seen from, shape (3,).
        floor: Height of what it stands on, or of its lowest point [m].
    """
    height = max(float(np.percentile(points[:, 2], 99.0)) - floor, 0.0)
    center, yaw, (length, depth) = _footprint(_trimmed(points[:, :2]))
    away = np.array([-np.sin(yaw), np.cos(yaw)])
    forward = center - eye[:2]
    away = away if away @ forward >= 0.0 else -away
    facing = float(away @ forward) / max(float(np.linalg.norm(forward)), 1e-9)
    whole = _whole_depth(length, depth, height, facing)
    center = center + away * (whole - depth) / 2.0
    thin = min(length, height)
    unseen = thin / 2.0 if whole < _HALF[0] * thin else 0.0
    return Extent(np.array([*center, floor + height / 2.0]), yaw, (length, whole, height), unseen)


def _whole_depth(length: float, depth: float, height: float, facing: float) -> float:
    """Depth of the whole thing from what shows of it [m]."""
    if facing > _STRAIGHT and _HALF[0] < depth / max(length, 1e-6) < _HALF[1]:
        return length
    lying = depth < _LONG * length and _HALF[0] < depth / max(height, 1e-6) < _HALF[1]
    return height if lying and facing > _ASLANT else depth


def _trimmed(points: Array) -> Array:
    """Points (N, 2) without the outermost of each direction, which are often of something else."""
    low, high = np.percentile(points, (0.5, 99.5), axis=0)
    kept = points[((points >= low) & (points <= high)).all(axis=1)]
    return kept if len(kept) >= 3 else points


def _footprint(points: Array) -> tuple[Array, float, tuple[float, float]]:
    """Smallest rectangle around floor points (N, 2): centre, yaw of its long side, (long, short)."""
    offset = points.mean(axis=0)
    (x, y), (a, b), degrees = cv2.minAreaRect((points - offset).astype(np.float32))
    yaw = np.deg2rad(degrees if a >= b else degrees + 90.0)
    return offset + np.array([x, y]), float((yaw + np.pi / 2) % np.pi - np.pi / 2), (max(a, b), min(a, b))
