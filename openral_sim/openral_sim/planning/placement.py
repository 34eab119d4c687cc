"""Free placements of an object near a point, on the surface there or on top of the furniture there."""

from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.ndimage import distance_transform_edt

from openral_core.arrays import Array, Points, Vector2, Vector3
from openral_sim.planning.surface_rays import NO_SURFACE, RAYS, height_under


@dataclass(frozen=True)
class PlacementConfig:
    """Parameters of finding placements near a point; lengths in [m]."""

    search_radius: float = 0.50  # Half the side of the square searched around the requested point.
    top_ray_height: float = 1.0  # Start of the rays above the middle of a piece of furniture; above its top.
    surface_tolerance: float = 0.06  # Largest height of the requested point above a surface that it lies on.
    spacing: float = 0.08  # Least distance between two placements.
    max_placements: int = 10  # Number of placements returned.
    # Weight of the distance from a furniture's middle against the effort to reach a point.
    distance_weight: float = 0.3
    # Start of the ray that finds the surface below the requested point, above that point.
    start_offset: float = 0.02


PLACEMENT = PlacementConfig()


def find_placements(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    requested: Vector3,
    radius: float,
    effort: Callable[[Vector2], float],
) -> list[Vector3]:
    """Find points of the surface at or below a requested point with a free disc around them.

    The nearest come first; if the middle of a piece of furniture is requested, the easiest to reach.

    Args:
        requested: A point on a surface or the middle of furniture with a flat top, in map, shape (3,).
        radius: Radius of the disc that must be level and free in [m].
        effort: Cost to reach a point, in [m].

    Returns:
        At most ``max_placements`` points in map, each shape (3,); empty if nothing is level and free.
    """
    offsets = np.arange(-PLACEMENT.search_radius, PLACEMENT.search_radius + RAYS.cell / 2, RAYS.cell)
    grid = np.stack(np.meshgrid(offsets, offsets, indexing="ij"), axis=-1) + requested[:2]
    level = height_under(model, data, requested + np.array([0.0, 0.0, PLACEMENT.start_offset]))
    on_surface = requested[2] - level < PLACEMENT.surface_tolerance
    start = requested[2] + (RAYS.start_height if on_surface else PLACEMENT.top_ray_height)
    heights = np.array([[height_under(model, data, np.append(xy, start)) for xy in row] for row in grid])
    if not on_surface:
        level = most_frequent_height(heights[heights > requested[2]])
    if level < requested[2] - PLACEMENT.surface_tolerance:
        return []
    room = distance_transform_edt(np.abs(heights - level) < RAYS.flatness) * RAYS.cell
    free = grid[room >= radius + RAYS.cell / 2]
    distance = np.linalg.norm(free - requested[:2], axis=1)
    rank = (
        distance
        if on_surface
        else PLACEMENT.distance_weight * distance + np.array([effort(xy) for xy in free])
    )
    return spread_points(free[np.argsort(rank, kind="stable")], level)


def most_frequent_height(heights: Array) -> float:
    """Most frequent height of a patch, rounded to the flatness."""
    if heights.size == 0:
        return NO_SURFACE
    levels, counts = np.unique(np.round(heights / RAYS.flatness), return_counts=True)
    return float(levels[counts.argmax()] * RAYS.flatness)


def spread_points(points: Points, level: float, most: int = PLACEMENT.max_placements) -> list[Vector3]:
    """Return the first points that are far enough apart, at one height."""
    spread: list[Vector3] = []
    for xy in points:
        if all(float(np.linalg.norm(xy - other[:2])) > PLACEMENT.spacing for other in spread):
            spread.append(np.append(xy, level))
        if len(spread) == most:
            break
    return spread
