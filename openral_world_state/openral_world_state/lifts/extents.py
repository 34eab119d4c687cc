"""Centre and size of a thing whose front alone was seen."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_world_state.lifts.quantiles import quantile

Array = NDArray[np.float64]
_HALF = (0.25, 0.75)
_LONG, _STRAIGHT, _ASLANT, _RECTANGLE = 0.3, 0.8, 0.5, 0.9


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
    floor = quantile(points[:, 2], 0.02)
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
    height = max(quantile(points[:, 2], 0.99) - floor, 0.0)
    outline = np.asarray(cv2.convexHull(points[:, :2].astype(np.float32)))
    center, yaw, (length, depth) = _footprint(outline)
    away = np.array([-np.sin(yaw), np.cos(yaw)])
    forward = center - eye[:2]
    away = away if away @ forward >= 0.0 else -away
    facing = float(away @ forward) / max(float(np.linalg.norm(forward)), 1e-9)
    filled = cv2.contourArea(outline) / max(length * depth, 1e-9)
    whole = _whole_depth(length, depth, height, facing, filled)
    center = center + away * (whole - depth) / 2.0
    thin = min(length, height)
    unseen = thin / 2.0 if whole < _HALF[0] * thin else 0.0
    return Extent(np.array([*center, floor + height / 2.0]), yaw, (length, whole, height), unseen)


def _whole_depth(length: float, depth: float, height: float, facing: float, filled: float) -> float:
    """Depth of the whole thing from what shows of it [m]; a rectangle that is filled shows wholly."""
    if filled < _RECTANGLE and facing > _STRAIGHT and _HALF[0] < depth / max(length, 1e-6) < _HALF[1]:
        return length
    lying = depth < _LONG * length and _HALF[0] < depth / max(height, 1e-6) < _HALF[1]
    return height if lying and facing > _ASLANT else depth


def _footprint(outline: NDArray[np.float32]) -> tuple[Array, float, tuple[float, float]]:
    """Smallest rectangle around an outline: centre, yaw of its long side, (long, short)."""
    offset = outline.reshape(-1, 2).mean(axis=0)
    (x, y), (a, b), degrees = cv2.minAreaRect(outline - offset)
    yaw = np.deg2rad(degrees if a >= b else degrees + 90.0)
    center = offset.astype(np.float64) + np.array([x, y])
    return center, float((yaw + np.pi / 2) % np.pi - np.pi / 2), (max(a, b), min(a, b))
