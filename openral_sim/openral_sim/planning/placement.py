"""Free placements on surfaces, found by rays cast down, and candidate base poses around a target."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from openral_sim.planning.base_planner import CostToGo

Vector = NDArray[np.float64]
_DOWN = np.array([0.0, 0.0, -1.0])  # Direction of the rays.
_NO_SURFACE = -100.0
"""Height reported where a ray hits nothing [m]; below any floor."""


@dataclass(frozen=True)
class PlacementConfig:
    """Parameters of finding placements; lengths in [m].

    Attributes:
        cell: Spacing of the rays; half of a small object's width.
        search_radius: Half the side of the square searched around the requested point.
        ray_height: Start of the rays above a point on a surface; below the next shelf.
        top_ray_height: Start of the rays above the middle of a piece of furniture; above its top.
        surface_tolerance: Largest height of the requested point above a surface that it lies on.
        flatness: Largest deviation in height that counts as level; rejects rims and handles.
        spacing: Least distance between two placements.
        max_placements: Number of placements returned.
        distance_weight: Weight of the distance from a furniture's middle against the effort to reach a point.
        start_offset: Start of the ray that finds the surface below the requested point, above that point.
    """

    cell: float = 0.02
    search_radius: float = 0.50
    ray_height: float = 0.25
    top_ray_height: float = 1.0
    surface_tolerance: float = 0.06
    flatness: float = 0.006
    spacing: float = 0.08
    max_placements: int = 10
    distance_weight: float = 0.3
    start_offset: float = 0.02


PLACEMENT = PlacementConfig()


@dataclass(frozen=True)
class BasePoseConfig:
    """Parameters of candidate base poses.

    Attributes:
        bearings: Number of directions around the target, one every 10 degrees.
        rank_cost: Cost of each step down in the list of distances, as a length of path in [m].
    """

    bearings: int = 36
    rank_cost: float = 0.2


BASE_POSE = BasePoseConfig()


def find_placements(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    requested: Vector,
    radius: float,
    effort: Callable[[Vector], float],
) -> list[Vector]:
    """Find points of the surface at or below a requested point with a free disc around them.

    The nearest come first; if the middle of a piece of furniture is requested, the easiest to reach.

    Args:
        model: The scene.
        data: Its state.
        requested: A point on a surface or the middle of furniture with a flat top, in map, shape (3,).
        radius: Radius of the disc that must be level and free in [m].
        effort: Cost to reach a point, in [m].

    Returns:
        At most ``max_placements`` points in map, each shape (3,); empty if nothing is level and free.
    """
    offsets = np.arange(
        -PLACEMENT.search_radius, PLACEMENT.search_radius + PLACEMENT.cell / 2, PLACEMENT.cell
    )
    grid = np.stack(np.meshgrid(offsets, offsets, indexing="ij"), axis=-1) + requested[:2]
    level = height_under(model, data, requested + np.array([0.0, 0.0, PLACEMENT.start_offset]))
    on_surface = requested[2] - level < PLACEMENT.surface_tolerance
    start = requested[2] + (PLACEMENT.ray_height if on_surface else PLACEMENT.top_ray_height)
    heights = np.array([[height_under(model, data, np.append(xy, start)) for xy in row] for row in grid])
    if not on_surface:
        level = most_frequent_height(heights[heights > requested[2]])
    if level < requested[2] - PLACEMENT.surface_tolerance:
        return []
    room = distance_transform_edt(np.abs(heights - level) < PLACEMENT.flatness) * PLACEMENT.cell
    free = grid[room >= radius + PLACEMENT.cell / 2]
    distance = np.linalg.norm(free - requested[:2], axis=1)
    rank = (
        distance
        if on_surface
        else PLACEMENT.distance_weight * distance + np.array([effort(xy) for xy in free])
    )
    return spread_points(free[np.argsort(rank, kind="stable")], level)


def height_under(model: mujoco.MjModel, data: mujoco.MjData, eye: Vector) -> float:
    """Height of the first surface below a point [m]; far below any floor if there is none."""
    geom = np.full(1, -1, dtype=np.int32)
    distance = mujoco.mj_ray(model, data, eye, _DOWN, None, 1, -1, geom)
    return float(eye[2] - distance) if geom[0] >= 0 else _NO_SURFACE


def most_frequent_height(heights: Vector) -> float:
    """Most frequent height of a patch, rounded to the flatness."""
    if heights.size == 0:
        return _NO_SURFACE
    levels, counts = np.unique(np.round(heights / PLACEMENT.flatness), return_counts=True)
    return float(levels[counts.argmax()] * PLACEMENT.flatness)


def spread_points(points: Vector, level: float) -> list[Vector]:
    """Keep the first points that are far enough apart, at one height."""
    kept: list[Vector] = []
    for xy in points:
        if all(float(np.linalg.norm(xy - other[:2])) > PLACEMENT.spacing for other in kept):
            kept.append(np.append(xy, level))
        if len(kept) == PLACEMENT.max_placements:
            break
    return kept


def candidate_base_poses(
    field: CostToGo,
    target: Vector,
    reaches: Sequence[float],
    bearings: int = BASE_POSE.bearings,
) -> list[Vector]:
    """List base poses on reachable floor around a target, facing it, the cheapest first.

    Args:
        field: Paths from the base's present pose.
        target: Target in map in [m], shape (2,) or (3,).
        reaches: Distances from the target in [m], the best first.
        bearings: Number of directions around the target.

    Returns:
        Poses (x, y, yaw) in map, each shape (3,).
    """
    ring = []
    for rank, reach in enumerate(reaches):
        for bearing in np.arange(bearings) * 2 * np.pi / bearings:
            away = np.array([np.cos(bearing), np.sin(bearing)])
            yaw = bearing + np.pi if bearing < np.pi else bearing - np.pi
            ring.append((rank, np.append(target[:2] + reach * away, yaw)))
    ranked = sorted(
        (field.cost_at(pose[:2]) + BASE_POSE.rank_cost * rank, i, tuple(pose))
        for i, (rank, pose) in enumerate(ring)
    )
    return [np.array(pose) for cost, _, pose in ranked if np.isfinite(cost)]
