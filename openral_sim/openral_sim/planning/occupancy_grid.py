"""Occupancy grid of the floor, rasterised from the model's geometry."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt
from scipy.spatial import ConvexHull

from openral_core.arrays import Array, Mask, Points, Vector2
from openral_core.geometry import points_in_polygon
from openral_core.home_map import NoGoZone

RESOLUTION = 0.05
"""Cell size in [m]: a tenth of the base's diameter."""
MIN_HEIGHT, MAX_HEIGHT = 0.04, 1.50
"""Heights between which geometry obstructs the robot in [m]: above a rug, below the top of the head."""
_PADDING = 1.0
"""Free floor around the outermost obstacle in [m], so that the robot can drive around it."""
_CORNERS = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T


@dataclass(frozen=True)
class SimOccupancyGrid:
    """Distance from every floor cell to the nearest obstacle."""

    origin: Vector2  # Centre of cell (0, 0) in map in [m], shape (2,).
    clearance: Array  # Distance to the nearest occupied cell in [m], shape (X, Y), indexed [ix, iy].

    def cell(self, xy: Vector2) -> tuple[int, int]:
        """Index of the cell that contains a point of map, clipped to the grid."""
        index = np.rint((np.asarray(xy)[:2] - self.origin) / RESOLUTION).astype(int)
        x, y = np.clip(index, 0, np.array(self.clearance.shape) - 1)
        return int(x), int(y)

    def point(self, cells: NDArray[np.int64]) -> Array:
        """Centres of cells in map in [m], shape (..., 2)."""
        return self.origin + RESOLUTION * cells

    def clearance_along(self, points: Points) -> Array:
        """Distances from points of map (N, 2) to the nearest obstacle in [m]."""
        cells = np.rint((points - self.origin) / RESOLUTION).astype(int)
        x, y = np.clip(cells, 0, np.array(self.clearance.shape) - 1).T
        return np.asarray(self.clearance[x, y])

    def clearance_at(self, xy: Vector2) -> float:
        """Distance from a point of map to the nearest obstacle in [m]."""
        return float(self.clearance[self.cell(xy)])


def rasterise(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    ignored: Set[int],
    no_go_zones: Sequence[NoGoZone] = (),
    top: float = MAX_HEIGHT,
) -> SimOccupancyGrid:
    """Rasterise every colliding geom that obstructs the robot, and the zones that it must not enter.

    Args:
        data: State of the scene, with doors and people where they are.
        ignored: Bodies that are not obstacles: the robot's own and the held object.
        top: Height below which geometry obstructs the robot in [m].
    """
    outlines = collision_outlines(model, data, frozenset(range(model.nbody)) - ignored, top)
    if not outlines:
        outlines = [np.array([(-3.0, -3.0), (-3.0, -3.1), (-3.1, -3.0)])]
    low, high = np.vstack(outlines).min(axis=0) - _PADDING, np.vstack(outlines).max(axis=0) + _PADDING
    occupied = np.zeros(np.ceil((high - low) / RESOLUTION).astype(int) + 1, dtype=bool)
    for outline in outlines:
        fill_hull(occupied, low, outline)
    cells = np.stack(np.meshgrid(*map(np.arange, occupied.shape), indexing="ij"), axis=-1)
    for zone in no_go_zones:
        occupied |= points_in_polygon(np.array(zone.polygon), low + RESOLUTION * cells)
    return SimOccupancyGrid(low, distance_transform_edt(~occupied) * RESOLUTION)


def collision_outlines(
    model: mujoco.MjModel, data: mujoco.MjData, bodies: Set[int], top: float = MAX_HEIGHT
) -> list[Points]:
    """Outlines in map [m], each (8, 2), of the colliding geoms of bodies that obstruct the robot."""
    collides = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    is_floor = model.geom_type == int(mujoco.mjtGeom.mjGEOM_PLANE)
    solid = np.flatnonzero(collides & ~is_floor & np.isin(model.geom_bodyid, list(bodies)))
    corners = [bounding_corners(model, data, int(geom)) for geom in solid]
    return [c[:, :2] for c in corners if c[:, 2].min() < top and c[:, 2].max() > MIN_HEIGHT]


def bounding_corners(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> Points:
    """Corners of a geom's bounding box in map, shape (8, 3)."""
    centre, half = model.geom_aabb[geom].reshape(2, 3)
    local = centre + _CORNERS * half
    corners: Points = local @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
    return corners


def fill_hull(occupied: Mask, low: Vector2, outline: Points) -> None:
    """Mark the cells whose centre lies within half a cell of an outline's convex hull, (N, 2) [m]."""
    angles = np.arange(len(outline)) * 2.399963  # tiny fixed offsets keep coincident corners apart
    jitter = np.column_stack([np.cos(angles), np.sin(angles)])
    hull = ConvexHull(outline + 1e-6 * jitter, qhull_options="QJ")
    first = np.floor((outline.min(axis=0) - low) / RESOLUTION).astype(int).clip(0, occupied.shape)
    last = (np.ceil((outline.max(axis=0) - low) / RESOLUTION).astype(int) + 1).clip(first, occupied.shape)
    cells = np.stack(np.meshgrid(*map(np.arange, first, last), indexing="ij"), axis=-1)
    signed = (low + RESOLUTION * cells) @ hull.equations[:, :2].T + hull.equations[:, 2]
    inside = (signed <= RESOLUTION / 2).all(axis=-1)
    occupied[first[0] : last[0], first[1] : last[1]] |= inside
