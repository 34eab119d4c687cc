"""Least-cost paths of the base over the floor, from one start to every cell."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

from openral_core.arrays import Array, Mask, PlanarPose, Points, Vector2, Vector3
from openral_core.errors import OpenRALError
from openral_core.grid_graph import grid_graph
from openral_sim.planning.occupancy_grid import RESOLUTION, SimOccupancyGrid


@dataclass(frozen=True)
class BasePlannerConfig:
    """Parameters of the base planner."""

    # Clearance below which a path costs more in [m]; base and a hand's width.
    comfort_clearance: float = 0.45
    # Extra cost per metre of a path that touches obstacles, relative to free floor.
    clearance_penalty: float = 4.0
    # Largest distance from a start in collision to the nearest free cell in [m]; a docked base is closer to
    # furniture than a driving one may be.
    max_snap: float = 0.50
    # Additional clearance of shortcuts over the planned path's in [m]; one cell.
    shortcut_margin: float = 0.05
    # Number of directions around a target from which it is approached, one every 10 degrees.
    bearings: int = 36
    # Cost of each step down in the list of distances to a target, as a path in [m].
    pose_rank_cost: float = 0.2


CONFIG = BasePlannerConfig()


class NoBasePath(OpenRALError):
    """No collision-free path joins two places on the floor."""

    def __init__(self, start: Vector2, goal: Vector2, clearance: float) -> None:
        points = [f"({xy[0]:.2f}, {xy[1]:.2f})" for xy in (start, goal)]
        super().__init__(f"no base path from {points[0]} to {points[1]} with {clearance:.2f} m of clearance")


@dataclass(frozen=True)
class CostToGo:
    """Least cost from one start to every cell, and the paths there."""

    grid: SimOccupancyGrid  # The occupancy grid of the floor.
    start: Vector2  # Start position in map in [m], shape (2,).
    clearance: float  # Least distance of every path from obstacles in [m].
    cost: Array  # Cost in [m], weighted by clearance; inf where unreachable; shape (X, Y).
    previous: NDArray[np.int32]  # Flat index of the predecessor, negative where none; shape (X * Y,).

    def cost_at(self, xy: Vector2) -> float:
        """Cost to reach a point in [m]; inf if unreachable."""
        return float(self.cost[self.grid.cell(xy)])

    @property
    def area(self) -> float:
        """Floor that can be reached [m^2]."""
        return float(np.isfinite(self.cost).sum()) * RESOLUTION**2

    def nearest_reachable(self, xy: Vector2, within: float) -> Vector2:
        """Return the point itself if reachable, else the nearest reachable cell within [m], else NaN."""
        if np.isfinite(self.cost_at(xy)):
            return np.asarray(xy, dtype=float)
        cells = np.argwhere(np.isfinite(self.cost))
        points = self.grid.point(cells)
        distance = np.linalg.norm(points - xy, axis=1)
        best = int(distance.argmin())
        return points[best] if distance[best] <= within else np.full(2, np.nan)

    def path_to(self, goal: Vector2) -> Points:
        """Waypoints from the start to a goal in map in [m], shape (N, 2).

        Raises:
            NoBasePath: If the goal cannot be reached.
        """
        goal = np.asarray(goal, dtype=float)[:2]
        if not np.isfinite(self.cost_at(goal)):
            raise NoBasePath(self.start, goal, self.clearance)
        flat = int(np.ravel_multi_index(self.grid.cell(goal), self.cost.shape))
        cells = [flat]
        while self.previous[cells[-1]] >= 0:
            cells.append(int(self.previous[cells[-1]]))
        index = np.stack(np.unravel_index(cells[::-1], self.cost.shape), axis=-1)
        points = np.vstack([self.start, self.grid.point(index)[1:-1], goal])
        clearance = min(self.clearance + CONFIG.shortcut_margin, CONFIG.comfort_clearance)
        return shortcut(points, lambda a, b: is_line_free(self.grid, a, b, clearance))


def plan_from(grid: SimOccupancyGrid, start: Vector2, clearance: float) -> CostToGo:
    """Plan least-cost paths from ``start`` that keep ``clearance`` [m] from every obstacle.

    A start inside that clearance (the robot is docked) leaves by the nearest free cell.

    Raises:
        NoBasePath: If no free cell is near the start.
    """
    free = grid.clearance >= clearance
    start = np.asarray(start, dtype=float)[:2]
    source = _nearest_free(grid, free, start, clearance)
    comfort = CONFIG.comfort_clearance
    price = 1.0 + CONFIG.clearance_penalty * np.clip(comfort - grid.clearance, 0.0, None) / comfort
    graph = grid_graph(free, RESOLUTION, price)
    cost, previous = dijkstra(graph, indices=source, return_predecessors=True)
    return CostToGo(grid, start, clearance, cost.reshape(free.shape), previous)


def _nearest_free(grid: SimOccupancyGrid, free: Mask, start: Vector2, clearance: float) -> int:
    cells = np.argwhere(free)
    if len(cells) == 0:
        raise NoBasePath(start, start, clearance)
    distance = np.linalg.norm(grid.point(cells) - start, axis=1)
    best = int(distance.argmin())
    if distance[best] > CONFIG.max_snap:
        raise NoBasePath(start, grid.point(cells[best]), clearance)
    return int(np.ravel_multi_index(tuple(cells[best]), free.shape))


def shortcut(points: Points, is_free: Callable[[Vector2, Vector2], bool]) -> Points:
    """Drop the points between any two that a free straight line joins."""
    indices = [0]
    while indices[-1] < len(points) - 1:
        here = indices[-1]
        joined = (j for j in range(len(points) - 1, here + 1, -1) if is_free(points[here], points[j]))
        indices.append(next(joined, here + 1))
    return points[indices]


def is_line_free(grid: SimOccupancyGrid, a: Vector2, b: Vector2, clearance: float) -> bool:
    """Return True if a straight line keeps a clearance [m] from every obstacle."""
    count = int(np.linalg.norm(b - a) / (RESOLUTION / 2)) + 2
    line = a + np.linspace(0.0, 1.0, count)[:, None] * (b - a)
    return bool((grid.clearance_along(line) >= clearance).all())


def candidate_base_poses(
    field: CostToGo,
    target: Vector3,
    reaches: Sequence[float],
    bearings: int = CONFIG.bearings,
) -> list[PlanarPose]:
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
        (field.cost_at(pose[:2]) + CONFIG.pose_rank_cost * rank, i, tuple(pose))
        for i, (rank, pose) in enumerate(ring)
    )
    return [np.array(pose) for cost, _, pose in ranked if np.isfinite(cost)]
