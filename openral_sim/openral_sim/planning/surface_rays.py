"""Surfaces under a point or a grid of points, found by rays cast down."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice

import mujoco
import numpy as np

from openral_core.arrays import Array, Points, Vector3

_DOWN = np.array([0.0, 0.0, -1.0])  # Direction of the rays.
_PAST = 1e-5  # Distance past a face from which a ray goes on [m].
NO_SURFACE = -100.0
"""Height reported where a ray hits nothing [m]; below any floor."""


@dataclass(frozen=True)
class SurfaceRayConfig:
    """Parameters of the rays; lengths in [m]."""

    cell: float = 0.02  # Spacing of the rays; half of a small object's width.
    start_height: float = 0.25  # Start of the rays above a point on a surface; below the next shelf.
    flatness: float = 0.006  # Largest deviation in height that counts as level; rejects rims and handles.
    max_layers: int = 6  # Number of surfaces above each other that are found.
    max_crossings: int = 40  # Number of faces that a ray passes.


RAYS = SurfaceRayConfig()


def height_under(model: mujoco.MjModel, data: mujoco.MjData, eye: Vector3) -> float:
    """Height of the first surface below a point [m]; far below any floor if there is none."""
    geom = np.full(1, -1, dtype=np.int32)
    distance = mujoco.mj_ray(model, data, eye, _DOWN, None, 1, -1, geom)
    return float(eye[2] - distance) if geom[0] >= 0 else NO_SURFACE


@dataclass(frozen=True)
class SurfaceLayers:
    """Upward surfaces in the columns of a grid, one above the other."""

    grid: Points  # Points in map, shape (N, M, 2).
    # Height of each surface in [m], the uppermost first, shape (N, M, L); NaN where there is none.
    heights: Array
    headrooms: Array  # Free height above each in [m], of the same shape.


def surface_layers(
    model: mujoco.MjModel, data: mujoco.MjData, grid: Points, start: float, own_bodies: AbstractSet[int]
) -> SurfaceLayers:
    """Find every upward surface below a height [m] in the columns over a grid of points, shape (N, M, 2)."""
    shape = (*grid.shape[:2], RAYS.max_layers)
    heights, headrooms = np.full(shape, np.nan), np.full(shape, np.nan)
    for row, column in np.ndindex(*grid.shape[:2]):
        eye = np.append(grid[row, column], start)
        surfaces = islice(surfaces_under(model, data, eye, own_bodies), RAYS.max_layers)
        for layer, (height, room) in enumerate(surfaces):
            heights[row, column, layer], headrooms[row, column, layer] = height, room
    return SurfaceLayers(grid, heights, headrooms)


def surfaces_under(
    model: mujoco.MjModel, data: mujoco.MjData, eye: Vector3, own_bodies: AbstractSet[int]
) -> Iterator[tuple[float, float]]:
    """Yield height and headroom of the upward surfaces below a point, the uppermost first, both in [m].

    A ray that has entered a geom leaves it at its underside: only what is entered from free air is a surface.
    """
    geom, entered = np.full(1, -1, dtype=np.int32), set[int]()
    at, ceiling = eye.copy(), np.inf
    for _ in range(RAYS.max_crossings):
        distance = mujoco.mj_ray(model, data, at, _DOWN, None, 1, -1, geom)
        if geom[0] < 0:
            return
        at = at + (distance + _PAST) * _DOWN
        if int(model.geom_bodyid[geom[0]]) in own_bodies:
            continue
        height = float(at[2]) + _PAST
        if int(geom[0]) in entered:
            entered.remove(int(geom[0]))
            ceiling = height
        else:
            if not entered:
                yield height, ceiling - height
            entered.add(int(geom[0]))
