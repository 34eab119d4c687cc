"""Which of the depths in a box are the object's."""

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_world_state.lifts.quantiles import quantile

_LEAST_SHARE = 0.05
_LEAST_POINTS = 6
_SPANS = 0.6
_CUTS = 0.85
"""Share of a patch on one side of a diagonal of the box with which it only cuts a corner."""


def front_mode(depth: NDArray[np.float64], step: float) -> NDArray[np.bool_]:
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
