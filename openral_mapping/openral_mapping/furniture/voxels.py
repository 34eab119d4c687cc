"""Points of one piece of furniture, gathered over many views in voxels."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from openral_core.arrays import Array, Indices, Mask, Points

SIDE = 0.04
"""Side of a voxel [m]."""
_BITS, _OFFSET = 21, 1 << 20
"""Bits of a coordinate in a voxel's key; coordinates are up to 40 km from the origin."""
_LOWER = (1 << _BITS) - 1


def keys_of(points: Points) -> NDArray[np.int64]:
    """NDArray[np.int64] of the voxels of points in map (N, 3) [m], shape (N,)."""
    x, y, z = (np.floor(points / SIDE).astype(np.int64) + _OFFSET).T
    return np.asarray((x << 2 * _BITS) | (y << _BITS) | z)


def columns_of(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Whole coordinates (x, y) of the columns of voxels, shape (N, 2)."""
    return np.stack([keys >> 2 * _BITS, (keys >> _BITS) & _LOWER], axis=1) - _OFFSET


def largest_part(columns: NDArray[np.int64], weights: Array) -> Mask:
    """Tell which columns (N, 2) belong to the connected part with the largest sum of weights (N,)."""
    low = columns.min(axis=0) - 1
    row, column = (columns - low).T
    weight = np.zeros((int(row.max()) + 2, int(column.max()) + 2))
    np.add.at(weight, (row, column), weights)
    parts, count = ndimage.label(weight > 0.0, np.ones((3, 3)))
    sums = ndimage.sum_labels(weight, parts, np.arange(1, count + 1))
    return np.asarray(parts[row, column] == 1 + int(np.argmax(sums)))


@dataclass(frozen=True)
class SeenVoxels:
    """Voxels of one image: keys, pixels, sums of their points, and of those that face upwards.

    Args:
        keys: Of the voxels, ascending, shape (N,).
        pixels: Number of pixels of each, shape (N,).
        sums: Of the pixels' points in map [m], shape (N, 3).
        upward: Number of pixels whose surface faces upwards, shape (N,).
        heights: Sum of these pixels' heights [m], shape (N,).
    """

    keys: NDArray[np.int64]
    pixels: Array
    sums: Array
    upward: Array
    heights: Array

    @classmethod
    def gather(cls, points: Points, is_upward: Mask) -> tuple["SeenVoxels", Indices]:
        """Gather points in map (N, 3); also returns the index of each point's voxel, shape (N,)."""
        keys, voxel = np.unique(keys_of(points), return_inverse=True)
        count = len(keys)
        sums: Array = np.stack([np.bincount(voxel, points[:, axis], count) for axis in range(3)], axis=1)
        upward = np.bincount(voxel[is_upward], minlength=count).astype(np.float64)
        heights = np.bincount(voxel[is_upward], points[is_upward, 2], count).astype(np.float64)
        pixels = np.bincount(voxel, minlength=count).astype(np.float64)
        return cls(keys, pixels, sums, upward, heights), voxel

    def select(self, chosen: Mask) -> "SeenVoxels":
        """Return some of the voxels."""
        return SeenVoxels(
            self.keys[chosen],
            self.pixels[chosen],
            self.sums[chosen],
            self.upward[chosen],
            self.heights[chosen],
        )


@dataclass
class PieceVoxels:
    """Voxels of a piece: how many images saw each within the piece's box, and how many beside it or empty."""

    totals: SeenVoxels = field(
        default_factory=lambda: SeenVoxels(
            np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 3)), np.zeros(0), np.zeros(0)
        )
    )
    within: Array = field(default_factory=lambda: np.zeros(0))
    beside: Array = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.totals.keys)

    @property
    def is_solid(self) -> Mask:
        """Voxels that more images saw within the box than not; once three images saw any, two must have."""
        least = 2.0 if len(self.within) and self.within.max() >= 3.0 else 1.0
        return (self.within > self.beside) & (self.within >= least)

    @property
    def means(self) -> Array:
        """Mean point of each voxel in map [m], shape (N, 3)."""
        return self.totals.sums / self.totals.pixels[:, None]

    def add(self, other: "SeenVoxels | PieceVoxels") -> None:
        """Add what another image, or another piece, shows."""
        if isinstance(other, SeenVoxels):
            other = PieceVoxels(other, np.ones(len(other.keys)), np.zeros(len(other.keys)))
        keys = np.union1d(self.totals.keys, other.totals.keys)
        mine, theirs = np.searchsorted(keys, self.totals.keys), np.searchsorted(keys, other.totals.keys)

        def total(a: Array, b: Array) -> Array:
            values = np.zeros((len(keys), *a.shape[1:]))
            values[mine] += a
            values[theirs] += b
            return values

        a, b = self.totals, other.totals
        self.within, self.beside = total(self.within, other.within), total(self.beside, other.beside)
        self.totals = SeenVoxels(
            keys,
            total(a.pixels, b.pixels),
            total(a.sums, b.sums),
            total(a.upward, b.upward),
            total(a.heights, b.heights),
        )

    def contradict(self, wrong: Mask) -> None:
        """Count an image that saw voxels outside the box, or saw through them."""
        self.beside[wrong] += 1.0

    def indices(self, keys: NDArray[np.int64]) -> Indices:
        """Return the indices of those of some keys that are voxels of the piece."""
        place = np.searchsorted(self.totals.keys, keys)
        place = np.minimum(place, max(len(self) - 1, 0))
        return np.asarray(place[self.totals.keys[place] == keys] if len(self) else place[:0])
