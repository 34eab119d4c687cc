"""Which of the depths in a box are the object's."""

import numpy as np
from numpy.typing import NDArray

_LEAST_SHARE = 0.05
_LEAST_POINTS = 6
_SPANS = 0.6


def clusters_of(depths: NDArray[np.float64], gap: float) -> list[NDArray[np.intp]]:
    """Indices of depths that belong together, nearest cluster first; ``gap`` [m] parts two clusters."""
    order = np.argsort(depths)
    edges = np.flatnonzero(np.diff(depths[order]) > gap) + 1
    return np.split(order, edges)


def front_mode(
    depths: NDArray[np.float64], pixels: NDArray[np.float64], box_size: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Indices of the nearest significant mode.

    A detector's box is tight around what it saw, so the object's pixels reach across it: the nearest
    cluster that does is taken. Pixels of something else that only cuts a corner of the box do not.

    Args:
        depths: Of the pixels [m], shape (N,).
        pixels: Where they are, shape (N, 2).
        box_size: Width and height of the box in the same pixels, shape (2,).
    """
    clusters = clusters_of(depths, gap=max(0.04, 0.03 * float(np.median(depths))))
    least = max(_LEAST_POINTS, _LEAST_SHARE * len(depths))
    significant = [cluster for cluster in clusters if len(cluster) >= least]
    for cluster in significant:
        if (np.ptp(pixels[cluster], axis=0) >= _SPANS * (box_size - 1.0)).all():
            return cluster
    return max(significant or clusters, key=len)
