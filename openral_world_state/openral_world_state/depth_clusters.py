"""Depth clusters in a detection's box: the nearest one that reaches across the box is the object's."""

from dataclasses import dataclass

import numpy as np

from openral_core.arrays import Array, Indices, Mask
from openral_core.lazy_modules import lazy_module

cv2 = lazy_module("cv2")


@dataclass(frozen=True, slots=True)
class DepthClusterConfig:
    """Thresholds of the search for the object's depths in a box.

    A detector's box is tight, so the object spans it; the benchmark `memory_lift` shows the effect of each.

    Args:
        min_fraction: Fraction of the known pixels from which a cluster is significant [1].
        min_points: Pixels from which a cluster is significant.
        span: Fraction of the box's sides that the object reaches across [1].
        corner: Fraction of a cluster beyond a diagonal of the box from which it only cuts a corner [1].
        gap: Gap in depth that parts two clusters [m].
        relative_gap: The same per depth [1]; depth noise grows with distance.
        jump: Difference of neighbouring pixels that is an edge [m].
        relative_jump: The same per width of a pixel at that depth [1]; a slope of about 70 degrees.
    """

    min_fraction: float = 0.05
    min_points: int = 6
    span: float = 0.6
    corner: float = 0.85
    gap: float = 0.04
    relative_gap: float = 0.03
    jump: float = 0.025
    relative_jump: float = 3.0


_CLUSTERS = DepthClusterConfig()


def quantile(values: Array, fraction: float) -> float:
    """Value below which ``fraction`` of ``values`` (N,) lies; faster than numpy's on small arrays."""
    index = round(fraction * (len(values) - 1))
    return float(np.partition(values, index)[index])


def depth_gap(depth: float) -> float:
    """Gap between neighbouring depths at a depth that parts two objects [m]."""
    return max(_CLUSTERS.gap, _CLUSTERS.relative_gap * depth)


def nearest_depth_cluster(depth: Array, step: float) -> Mask:
    """Mask of the nearest significant cluster of depths that reaches across a box.

    Pixels of another object that only cuts a corner of the box do not reach across it, such as a drawer's
    front before its contents.

    Args:
        depth: Depths in the box [m], NaN where unknown, shape (H, W), some known.
        step: Width of one pixel at depth 1 [m].
    """
    cluster = nearest_cluster(depth)
    median = quantile(depth[cluster], 0.5)
    jump = max(_CLUSTERS.jump, _CLUSTERS.relative_jump * step * median)
    return nearest_patch(np.where(cluster, depth, np.nan), jump)


def nearest_cluster(depth: Array) -> Mask:
    """Nearest cluster, parted from others by a gap in depth, that is significant and spans the box."""
    cells = np.flatnonzero(~np.isnan(depth))
    depths = depth.ravel()[cells]
    order = np.argsort(depths)
    gap = depth_gap(depths[order[len(order) // 2]])
    clusters = np.split(cells[order], np.flatnonzero(np.diff(depths[order]) > gap) + 1)
    min_size = max(_CLUSTERS.min_points, _CLUSTERS.min_fraction * len(cells))
    significant = [cluster for cluster in clusters if len(cluster) >= min_size]
    spanning = (c for c in significant if _spans(np.unravel_index(c, depth.shape), depth.shape))
    chosen = next(spanning, None)
    mask = np.zeros(depth.size, dtype=bool)
    mask[max(significant or clusters, key=len) if chosen is None else chosen] = True
    return mask.reshape(depth.shape)


def nearest_patch(depth: Array, jump: float) -> Mask:
    """Nearest patch without a ``jump`` in depth [m] that spans the box; the whole cluster if none does."""
    has_depth = ~np.isnan(depth)
    smooth = (has_depth & ~pixels_behind_edges(depth, jump)).view(np.uint8)
    count, patches, boxes, _ = cv2.connectedComponentsWithStats(smooth, connectivity=4)
    height, width = boxes[:, cv2.CC_STAT_HEIGHT] - 1, boxes[:, cv2.CC_STAT_WIDTH] - 1
    spans = (height >= _CLUSTERS.span * (depth.shape[0] - 1)) & (
        width >= _CLUSTERS.span * (depth.shape[1] - 1)
    )
    masks = [patches == number for number in range(1, count) if spans[number]]
    if len(masks) < 2:
        return masks[0] if masks else has_depth
    return min(masks, key=lambda mask: quantile(depth[mask], 0.5))


def pixels_behind_edges(depth: Array, jump: float | Array) -> Mask:
    """Mask of the pixels farther than a neighbour by more than their ``jump`` [m], shape (H, W)."""
    jumps = np.broadcast_to(jump, depth.shape)
    result = np.zeros(depth.shape, dtype=bool)
    right, down = np.diff(depth, axis=1), np.diff(depth, axis=0)
    result[:, 1:] |= right > jumps[:, 1:]
    result[:, :-1] |= -right > jumps[:, :-1]
    result[1:] |= down > jumps[1:]
    result[:-1] |= -down > jumps[:-1]
    return result


def _spans(cells: tuple[Indices, ...], shape: tuple[int, ...]) -> bool:
    rows, columns = cells
    is_high = rows.max() - rows.min() >= _CLUSTERS.span * (shape[0] - 1)
    is_wide = columns.max() - columns.min() >= _CLUSTERS.span * (shape[1] - 1)
    # Cells of which nearly all lie beyond one of the box's diagonals only cut its corner.
    u, v = rows / max(shape[0] - 1, 1), columns / max(shape[1] - 1, 1)
    sides = (u + v < 1.0, u + v > 1.0, u < v, u > v)
    cuts_corner = any(float(side.mean()) >= _CLUSTERS.corner for side in sides)
    return bool(is_high and is_wide and not cuts_corner)


def reaches_across(has_depth: Mask) -> bool:
    """Tell if the pixels of known depth reach across the box, as any object in it does."""
    for axis, size in enumerate(reversed(has_depth.shape)):
        cells = np.flatnonzero(has_depth.any(axis=axis))
        if not len(cells) or cells[-1] - cells[0] < _CLUSTERS.span * (size - 1):
            return False
    return True
