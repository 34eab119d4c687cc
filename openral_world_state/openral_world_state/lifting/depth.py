"""Which of the depths in a box are the object's."""
# MERGED Centre and size of a thing whose front alone was seen.
# MERGED Order statistics without numpy's overhead for small arrays.

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray


def quantile(values: NDArray[np.float64], share: float) -> float:
    """The value below which ``share`` in [0, 1] of ``values`` (N,) lies; one of them."""
    index = round(share * (len(values) - 1))
    return float(np.partition(values, index)[index])


_LEAST_SHARE = 0.05
_LEAST_POINTS = 6
_SPANS = 0.6
_CUTS = 0.85
"""Share of a patch on one side of a diagonal of the box with which it only cuts a corner."""


def nearest_depth_cluster(depth: NDArray[np.float64], step: float) -> NDArray[np.bool_]:
    """Mask of the nearest significant mode of a window of depths.

    A detector's box is tight around what it saw, so the object's pixels reach across it: the nearest
    cluster that does is taken. Pixels of something else that only cuts a corner of the box do not, such
    as a drawer's front before what lies close behind it.

    Args:
        depth: Depths in the box [m], NaN where unknown, shape (H, W), some known.
        step: What one pixel covers at depth 1 [m].
    """
    mode = _nearest_cluster(depth)
    middle = quantile(depth[mode], 0.5)
    return _connected(np.where(mode, depth, np.nan), max(0.025, 3.0 * step * middle))


def _nearest_cluster(depth: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Depths parted from others by a gap, the nearest such cluster that is significant and wide."""
    known = np.flatnonzero(~np.isnan(depth))
    values = depth.ravel()[known]
    order = np.argsort(values)
    gap = max(0.04, 0.03 * values[order[len(order) // 2]])
    clusters = np.split(known[order], np.flatnonzero(np.diff(values[order]) > gap) + 1)
    least = max(_LEAST_POINTS, _LEAST_SHARE * len(known))
    significant = [cluster for cluster in clusters if len(cluster) >= least]
    wide = (c for c in significant if _spans(np.unravel_index(c, depth.shape), depth.shape))
    chosen = next(wide, None)
    mask = np.zeros(depth.size, dtype=bool)
    mask[max(significant or clusters, key=len) if chosen is None else chosen] = True
    return mask.reshape(depth.shape)


def _connected(depth: NDArray[np.float64], jump: float) -> NDArray[np.bool_]:
    """The nearest patch without a jump in depth [m] that reaches across the window; all when none does."""
    everything = ~np.isnan(depth)
    smooth = (everything & ~_behind_a_jump(depth, jump)).view(np.uint8)
    count, parts, boxes, _ = cv2.connectedComponentsWithStats(smooth, connectivity=4)
    wide = (boxes[:, cv2.CC_STAT_HEIGHT] - 1 >= _SPANS * (depth.shape[0] - 1)) & (
        boxes[:, cv2.CC_STAT_WIDTH] - 1 >= _SPANS * (depth.shape[1] - 1)
    )
    masks = [parts == number for number in range(1, count) if wide[number]]
    if len(masks) < 2:
        return masks[0] if masks else everything
    return min(masks, key=lambda mask: quantile(depth[mask], 0.5))


def _behind_a_jump(depth: NDArray[np.float64], jump: float) -> NDArray[np.bool_]:
    """Pixels much farther than a neighbour."""
    result = np.zeros(depth.shape, dtype=bool)
    right, down = np.diff(depth, axis=1), np.diff(depth, axis=0)
    result[:, 1:] |= right > jump
    result[:, :-1] |= right < -jump
    result[1:] |= down > jump
    result[:-1] |= down < -jump
    return result


def _spans(cells: tuple[NDArray[np.intp], ...], shape: tuple[int, ...]) -> bool:
    rows, columns = cells
    high = rows.max() - rows.min() >= _SPANS * (shape[0] - 1)
    wide = columns.max() - columns.min() >= _SPANS * (shape[1] - 1)
    return bool(high and wide and not _cuts_a_corner(rows, columns, shape))


def _cuts_a_corner(rows: NDArray[np.intp], columns: NDArray[np.intp], shape: tuple[int, ...]) -> bool:
    """Whether nearly all of some cells lie beyond one of a window's diagonals."""
    u, v = rows / max(shape[0] - 1, 1), columns / max(shape[1] - 1, 1)
    sides = (u + v < 1.0, u + v > 1.0, u < v, u > v)
    return any(float(side.mean()) >= _CUTS for side in sides)


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


def estimate_extent(points: Array, eye: Array, floor: float) -> Extent:
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
