"""Occupancy of the floor in square cells, each free, occupied or unknown."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from openral_core.arrays import Array, Indices, Mask, Points, Transform
from openral_core.errors import OpenRALError
from openral_core.geometry import planar_part, points_in_polygon, transform_planar_points
from openral_core.home_map import Pose2
from openral_core.lazy_modules import lazy_module

scipy = lazy_module("scipy")
UNKNOWN, FREE, OCCUPIED = -1, 0, 100
"""Values of a cell, as in nav_msgs/OccupancyGrid [%]."""
MAX_CELLS = 64_000_000
"""Largest map [cells]: 400 m x 400 m at 5 cm; bounds memory against a wrong pose or file."""

SMALLEST_RESOLUTION, LARGEST_RESOLUTION = 1e-3, 100.0
"""Sides of a cell between which a map can be one of a building [m]."""
FREE_BELOW, OCCUPIED_FROM = 25, 65
"""Probabilities that decide on a cell [%]; thresholds of Nav2's map_server."""


class MapTooLarge(OpenRALError):
    """A map that would need more cells than any building."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(
            f"a map of {width}x{height} cells is too large: at most {MAX_CELLS} cells are accepted; "
            "check the pose, the resolution or the image"
        )


ORIGIN = Pose2(x=0.0, y=0.0)


def check_size(width: int, height: int) -> None:
    """Check the number of cells of a map.

    Raises:
        MapTooLarge: If it has more than `MAX_CELLS`.
    """
    if width * height > MAX_CELLS:
        raise MapTooLarge(width, height)


def cells_from_percent(values: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the cells of probabilities of an obstacle [%]; negative and middle ones are unknown."""
    cells = np.full(values.shape, UNKNOWN, np.int8)
    cells[(values >= 0) & (values < FREE_BELOW)] = FREE
    cells[values >= OCCUPIED_FROM] = OCCUPIED
    return cells


@dataclass(frozen=True)
class FloorMap:
    """Occupancy of the floor.

    Args:
        cells: `FREE`, `OCCUPIED` or `UNKNOWN`, int8, shape (H, W); the row runs along y, the column along x.
        resolution: Side of a cell [m].
        origin: Outer corner of cell (0, 0), and direction of its row, in ``frame``.
        frame: Frame of the origin.
    """

    cells: NDArray[np.int8]
    resolution: float
    origin: Pose2 = ORIGIN
    frame: str = "map"

    @property
    def free(self) -> Mask:
        """Free cells, shape (H, W)."""
        return np.asarray(self.cells == FREE)

    @property
    def occupied(self) -> Mask:
        """Occupied cells, shape (H, W)."""
        return np.asarray(self.cells == OCCUPIED)

    def to_frame(self, corners: NDArray[np.floating]) -> Array:
        """Transform (column, row) in cells, (..., 2), to points in the frame [m]; (0, 0) is the origin."""
        local = np.asarray(corners, np.float64) * self.resolution
        return local @ self._rotation.T + (self.origin.x, self.origin.y)

    def centres(self, rows: NDArray[np.integer], columns: NDArray[np.integer]) -> Points:
        """Return the centres of cells in the frame [m], shape (N, 2)."""
        return self.to_frame(np.stack((columns, rows), axis=-1) + 0.5)

    def cell(self, points: NDArray[np.floating]) -> Indices:
        """Return (row, column) of the cells that contain points (..., 2) [m]; they may be outside."""
        local = (np.asarray(points, np.float64) - (self.origin.x, self.origin.y)) @ self._rotation
        return np.floor(local[..., ::-1] / self.resolution).astype(np.intp)

    def inside(self, outline: Sequence[tuple[float, float]]) -> Mask:
        """Return the cells whose centre lies within a polygon in the frame [m], shape (H, W)."""
        rows, columns = np.meshgrid(*map(np.arange, self.cells.shape), indexing="ij")
        return points_in_polygon(np.array(outline), self.centres(rows, columns))

    def value_at(self, x: float, y: float) -> int:
        """Return the value of the cell that contains a point [m]; `UNKNOWN` outside."""
        row, column = self.cell(np.array([x, y])).tolist()
        height, width = self.cells.shape
        return int(self.cells[row, column]) if 0 <= row < height and 0 <= column < width else UNKNOWN

    def clearance(self, unknown_margin: float) -> Array:
        """Distance of each cell to what a robot must not drive on [m], shape (H, W).

        Args:
            unknown_margin: Distance by which unknown cells and the end of the map may be closer [m].
        """
        padded = np.pad(self.cells, 1, constant_values=UNKNOWN)
        nearest = free_distance(padded == OCCUPIED, padded == UNKNOWN, self.resolution, unknown_margin)
        return nearest[1:-1, 1:-1]

    def moved(self, T: Transform) -> Self:
        """Return the same cells with their origin moved by a planar pose, shape (4, 4)."""
        x, y = transform_planar_points(T, (self.origin.x, self.origin.y)).tolist()
        return replace(self, origin=Pose2(x=x, y=y, yaw=self.origin.yaw + planar_part(T)[2]))

    @property
    def _rotation(self) -> Array:
        c, s = np.cos(self.origin.yaw), np.sin(self.origin.yaw)
        return np.array([[c, -s], [s, c]])


def free_distance(occupied: Mask, unknown: Mask, cell: float, unknown_margin: float) -> Array:
    """Distance of each cell to the nearest occupied one or, plus a margin, unknown one [m].

    Args:
        occupied: Cells with an obstacle.
        unknown: Cells that were not seen; at least one cell is.
        cell: Side of a cell [m].
        unknown_margin: Distance by which unknown cells may be closer [m].
    """
    nearest = scipy.ndimage.distance_transform_edt(~unknown) * cell + unknown_margin
    if occupied.any():
        nearest = np.minimum(nearest, scipy.ndimage.distance_transform_edt(~occupied) * cell)
    return np.asarray(nearest)


def small_gaps(cells: NDArray[np.int8], largest: int) -> Mask:
    """Return the unknown cells of parts of at most ``largest`` cells with only free cells around, (H, W)."""
    around = np.ones((3, 3), bool)
    parts, count = scipy.ndimage.label(cells == UNKNOWN, around)
    is_gap = np.bincount(parts.ravel(), minlength=count + 1) <= largest
    is_gap[0] = False
    beside = scipy.ndimage.binary_dilation(cells == OCCUPIED, around)
    is_gap[np.unique(parts[beside])] = False
    edge = np.concatenate([parts[0], parts[-1], parts[:, 0], parts[:, -1]]) if parts.size else parts.ravel()
    is_gap[edge] = False
    return np.asarray(is_gap[parts])
