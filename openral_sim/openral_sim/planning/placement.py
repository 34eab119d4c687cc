"""Free places to put something down, from rays cast down on what stands there."""
# MERGED Where the base can stand to reach something.

from collections.abc import Callable, Iterator, Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from openral_sim.planning.base_planner import CostToGo

Vector = NDArray[np.float64]
_CELL = 0.02
_SEARCH = 0.50
_ABOVE = 0.25
_FROM_OVER_ALL = 1.0
_ON_SURFACE = 0.06
_FLAT = 0.006
_APART = 0.08
_COUNT = 10
_TOLD_WEIGHT = 0.3
_DOWN = np.array([0.0, 0.0, -1.0])
_A_LITTLE_UP = np.array([0.0, 0.0, 0.02])
_NOTHING = -100.0


def find_placements(
    model: mujoco.MjModel, data: mujoco.MjData, told: Vector, radius: float, effort: Callable[[Vector], float]
) -> list[Vector]:
    """Points of the surface at or below a told point with a free disc around them.

    The nearest to a told point of a surface come first; on a piece of furniture the easiest to reach.

    Args:
        model: The scene.
        data: Its state.
        told: A point on a surface, or the middle of a piece of furniture with a flat top; in map, shape (3,).
        radius: Of the disc that must be level and free in [m].
        effort: How hard a point is to reach, in [m].

    Returns:
        At most ten points in map, each shape (3,); empty if nothing there is level and free.
    """
    offsets = np.arange(-_SEARCH, _SEARCH + _CELL / 2, _CELL)
    grid = np.stack(np.meshgrid(offsets, offsets, indexing="ij"), axis=-1) + told[:2]
    level = _height_under(model, data, told + _A_LITTLE_UP)
    on_surface = told[2] - level < _ON_SURFACE
    eye = told[2] + (_ABOVE if on_surface else _FROM_OVER_ALL)
    heights = np.array([[_height_under(model, data, np.append(xy, eye)) for xy in row] for row in grid])
    if not on_surface:
        level = _commonest(heights[heights > told[2]])
    if level < told[2] - _ON_SURFACE:
        return []
    room = distance_transform_edt(np.abs(heights - level) < _FLAT) * _CELL
    free = grid[room >= radius + _CELL / 2]
    away = np.linalg.norm(free - told[:2], axis=1)
    rank = away if on_surface else _TOLD_WEIGHT * away + np.array([effort(xy) for xy in free])
    return _spread(free[np.argsort(rank, kind="stable")], level)


def _height_under(model: mujoco.MjModel, data: mujoco.MjData, eye: Vector) -> float:
    geom = np.full(1, -1, dtype=np.int32)
    distance = mujoco.mj_ray(model, data, eye, _DOWN, None, 1, -1, geom)
    return float(eye[2] - distance) if geom[0] >= 0 else _NOTHING


def _commonest(heights: Vector) -> float:
    """The level most of a patch lies at."""
    if heights.size == 0:
        return _NOTHING
    levels, counts = np.unique(np.round(heights / _FLAT), return_counts=True)
    return float(levels[counts.argmax()] * _FLAT)


def _spread(points: Vector, level: float) -> list[Vector]:
    """The first points that are not close to one before."""
    kept: list[Vector] = []
    for xy in points:
        if all(float(np.linalg.norm(xy - other[:2])) > _APART for other in kept):
            kept.append(np.append(xy, level))
        if len(kept) == _COUNT:
            break
    return kept


BEARINGS = 36
REACHES = (0.55, 0.62, 0.70, 0.48, 0.78, 0.84)
"""Distances from the base to what it reaches for in [m], the best first."""
_WORTH = 2.0


def candidate_base_poses(
    field: CostToGo, target: Vector, reaches: Sequence[float] = REACHES, bearings: int = BEARINGS
) -> list[Vector]:
    """Poses on reachable floor around a target, facing it, the cheapest first.

    Args:
        field: Ways from where the base stands.
        target: What to reach for, in map in [m], shape (2,) or (3,).
        reaches: Distances to stand at in [m], best first.
        bearings: How many directions to consider.

    Returns:
        Poses (x, y, yaw) in map, each shape (3,).
    """
    ranked = sorted(
        (field.cost_at(pose[:2]) + _WORTH * 0.1 * rank, i, tuple(pose))
        for i, (rank, pose) in enumerate(_ring(target, reaches, bearings))
    )
    return [np.array(pose) for cost, _, pose in ranked if np.isfinite(cost)]


def _ring(target: Vector, reaches: Sequence[float], bearings: int) -> Iterator[tuple[int, Vector]]:
    for rank, reach in enumerate(reaches):
        for bearing in np.arange(bearings) * 2 * np.pi / bearings:
            away = np.array([np.cos(bearing), np.sin(bearing)])
            yaw = bearing + np.pi if bearing < np.pi else bearing - np.pi
            yield rank, np.append(target[:2] + reach * away, yaw)
