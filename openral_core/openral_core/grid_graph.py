"""Graph of the free cells of a grid, for least-cost paths over a floor (see `scipy.sparse.csgraph`)."""

import numpy as np
import scipy

from openral_core.arrays import Array, Mask

_NEIGHBOURS = ((1, 0), (0, 1), (1, 1), (1, -1))  # half of the 8-neighbourhood; edges go both ways


def grid_graph(free: Mask, cell: float, price: Array | None = None) -> "scipy.sparse.coo_matrix":
    """Join each free cell to its free neighbours, straight and diagonal.

    Args:
        free: Cells that may be passed, shape (X, Y).
        cell: Side of a cell [m].
        price: Cost of each cell per length of path [1], shape (X, Y); 1 everywhere if None.

    Returns:
        Costs of the edges [m] by flat index, in compressed rows, shape (X * Y, X * Y); symmetric.
    """
    index, price = np.arange(free.size).reshape(free.shape), np.ones(free.shape) if price is None else price
    ends, weights = [], []
    for dx, dy in _NEIGHBOURS:
        here = slice(0, -dx or None), slice(max(0, -dy), -dy if dy > 0 else None)
        there = slice(dx, None), slice(max(0, dy), dy if dy < 0 else None)
        both = free[here] & free[there]
        ends.append((index[here][both], index[there][both]))
        weights.append((price[here] + price[there])[both] / 2 * cell * np.hypot(dx, dy))
    rows, columns = (np.concatenate(part) for part in zip(*ends, strict=True))
    weight = np.concatenate(weights)
    both_ways = (np.r_[weight, weight], (np.r_[rows, columns], np.r_[columns, rows]))
    return scipy.sparse.coo_matrix(both_ways, shape=(free.size, free.size)).tocsr()
