"""Geometry of a piece of furniture from its voxels: footprint, height and surfaces that support objects."""

from dataclasses import dataclass

import numpy as np

from openral_core.arrays import Array, Mask, Points, Vector3
from openral_mapping.furniture.kinds import furniture_kinds, is_part
from openral_mapping.furniture.voxels import SIDE, PieceVoxels, columns_of, largest_part

_LEAST = 12
"""Voxels from which a footprint is fitted [1]."""
_OUTLIERS = 0.01
"""Share of the points that may lie beyond each side of a footprint [1]."""
_SIZE_WEIGHT = 0.1
"""Weight of a rectangle's size beside the distance of the points from its sides [1]."""
_UNSEEN = 0.35
"""Share of the usual size below which a side counts as not seen [1]."""
_SURFACE = 0.25
"""Share of the footprint from which a level is a surface [1]."""
_LEAST_SURFACE = 0.04
"""Area from which a level is a surface [m^2]."""
_BIN = 0.02
"""Height of a bin of the search for levels [m]."""


@dataclass(frozen=True)
class FloorRectangle:
    """A rectangle on the floor.

    Args:
        centre: In map [m], shape (2,).
        yaw: Direction of its first side [rad].
        size: Lengths of its sides [m].
        low: Lowest point of the piece [m].
        high: Highest point [m].
    """

    centre: Vector3
    yaw: float
    size: tuple[float, float]
    low: float
    high: float

    @property
    def axes(self) -> Array:
        """Unit vectors along its sides, as rows, shape (2, 2)."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        return np.array([[c, s], [-s, c]])

    def share_of(self, points: Points, margin: float, is_part: bool = False) -> float:
        """Share of points (N, 3) above, below or up to a margin [m] beside it; of a part, at its height."""
        local = np.abs((points[:, :2] - self.centre) @ self.axes.T)
        inside = (local <= np.array(self.size) / 2.0 + margin).all(axis=1)
        if is_part:
            inside &= (points[:, 2] >= self.low) & (points[:, 2] <= self.high)
        return float(inside.mean())

    def stands_beside(self, other: "FloorRectangle") -> bool:
        """Tell if both share a range of heights: a lamp on a table does not."""
        return self._common_height(other) > 0.5 * min(self.high - self.low, other.high - other.low)

    def is_level_with(self, other: "FloorRectangle") -> bool:
        """Tell if both have much the same range of heights: two drawers of one dresser do not."""
        return self._common_height(other) > 0.5 * max(self.high - self.low, other.high - other.low)

    def _common_height(self, other: "FloorRectangle") -> float:
        return min(self.high, other.high) - max(self.low, other.low)


def overlap(a: FloorRectangle, b: FloorRectangle) -> float:
    """Share of the smaller of two footprints that the other covers [1]."""
    small, large = sorted((a, b), key=lambda piece: piece.size[0] * piece.size[1])
    steps = (np.arange(10) + 0.5) / 10.0 - 0.5
    grid = np.stack(np.meshgrid(*(steps * side for side in small.size)), axis=-1).reshape(-1, 2)
    points = grid @ small.axes + small.centre
    return large.share_of(np.column_stack((points, np.zeros(len(points)))), 0.0)


@dataclass(frozen=True)
class HorizontalSurface:
    """A horizontal surface: height [m], and the corners of its rectangle in the footprint's frame [m]."""

    height: float
    low: tuple[float, float]
    high: tuple[float, float]


def footprint_of(voxels: PieceVoxels, towards: Vector3, kind: str) -> FloorRectangle | None:
    """Fit a rectangle around the voxels of a piece; None if there are too few.

    Args:
        voxels: Of the piece.
        towards: Direction on the floor in which the camera mostly was, shape (2,).
        kind: What it is; its usual size stands in for a side that was not seen.
    """
    solid = _largest(voxels, voxels.is_solid)
    if int(solid.sum()) < _LEAST:
        return None
    points = voxels.means[solid]
    yaw = _yaw(points[:, :2])
    c, s = np.cos(yaw), np.sin(yaw)
    local = points[:, :2] @ np.array([[c, -s], [s, c]])
    low, high = (np.quantile(local, share, axis=0) for share in (_OUTLIERS, 1.0 - _OUTLIERS))
    low, high = _with_unseen_side(low, high, np.array([[c, s], [-s, c]]) @ towards, kind)
    centre = np.array([[c, -s], [s, c]]) @ ((low + high) / 2.0)
    size = np.maximum(high - low, SIDE)
    cut = 0.05 if is_part(kind) else _OUTLIERS
    bottom, top = np.quantile(points[:, 2], (cut, 1.0 - cut))
    return FloorRectangle(centre, yaw, (float(size[0]), float(size[1])), float(bottom), float(top))


def _largest(voxels: PieceVoxels, solid: Mask) -> Mask:
    """Keep the largest connected part of the chosen voxels on the floor plan."""
    largest = solid.copy()
    if solid.any():
        columns = columns_of(voxels.totals.keys[solid])
        largest[solid] = largest_part(columns, np.ones(len(columns)))
    return largest


def _yaw(points: Points) -> float:
    """Direction of the sides of the rectangle that fits points (N, 2) best [rad], in [0, pi/2).

    It is small, and the points are near its sides: a piece that shows two faces is not taken for a triangle.
    """
    best = 0.0
    for step, span in ((np.radians(3.0), np.pi / 4.0), (np.radians(0.5), np.radians(3.0))):
        yaws = best + np.arange(-span, span, step)
        best = float(yaws[int(np.argmin([_misfit(points, float(yaw)) for yaw in yaws]))])
    return best % (np.pi / 2.0)


def _misfit(points: Points, yaw: float) -> float:
    """Mean distance of points (N, 2) from the sides of their rectangle, and a share of its size [m]."""
    c, s = np.cos(yaw), np.sin(yaw)
    local = points @ np.array([[c, -s], [s, c]])
    low, high = np.quantile(local, (_OUTLIERS, 1.0 - _OUTLIERS), axis=0)
    from_side = np.minimum(np.abs(local - low), np.abs(local - high)).min(axis=1)
    return float(from_side.mean() + _SIZE_WEIGHT * np.sqrt(np.prod(high - low + SIDE)))


def _with_unseen_side(low: Array, high: Array, towards: Vector3, kind: str) -> tuple[Array, Array]:
    """Extend a rectangle of which one face was seen away from the camera, to the kind's usual depth."""
    usual = furniture_kinds()[kind]
    low, high = low.copy(), high.copy()
    least = min(usual.depth, usual.width)
    for axis in range(2):
        if high[axis] - low[axis] < _UNSEEN * least:
            if towards[axis] > 0.0:
                low[axis] = high[axis] - least
            else:
                high[axis] = low[axis] + least
    return low, high


def levels_of(voxels: PieceVoxels, footprint: FloorRectangle) -> list[HorizontalSurface]:
    """Find the horizontal surfaces of a piece, the lowest first."""
    totals = voxels.totals
    flat = voxels.is_solid & (totals.upward >= 0.4 * totals.pixels) & (totals.upward > 0.0)
    if not flat.any():
        return []
    heights = totals.heights[flat] / totals.upward[flat]
    local = (voxels.means[flat][:, :2] - footprint.centre) @ footprint.axes.T
    half = np.array(footprint.size) / 2.0
    inside = (np.abs(local) <= half + SIDE).all(axis=1)
    heights, local = heights[inside], np.clip(local[inside], -half, half)
    least = max(_SURFACE * footprint.size[0] * footprint.size[1], _LEAST_SURFACE) / SIDE**2
    levels: list[HorizontalSurface] = []
    while len(heights):
        bins = np.floor(heights / _BIN).astype(int)
        counts = np.bincount(bins - bins.min(), minlength=3)
        sums = np.convolve(counts, np.ones(3), "same")
        peak = int(np.argmax(sums)) + int(bins.min())
        at = np.abs(bins - peak) <= 1
        if at.sum() < least:
            break
        low, high = (np.quantile(local[at], share, axis=0) for share in (0.02, 0.98))
        corners = ((float(c[0]), float(c[1])) for c in (low, high))
        levels.append(HorizontalSurface(float(np.median(heights[at])), *corners))
        away = np.abs(bins - peak) > 2
        heights, local = heights[away], local[away]
    return sorted(levels, key=lambda level: level.height)
