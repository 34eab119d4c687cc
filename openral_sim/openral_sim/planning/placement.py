"""Free placements on surfaces, found by rays cast down, and candidate base poses around a target."""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from openral_sim.planning.base_planner import CostToGo

Vector = NDArray[np.float64]
_DOWN = np.array([0.0, 0.0, -1.0])  # Direction of the rays.
_PAST = 1e-5  # Distance past a face from which a ray goes on [m].
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
        max_per_level: Number of placements returned at each height of a piece of furniture.
        max_layers: Number of surfaces above each other that are found.
        max_crossings: Number of faces that a ray passes.
        drawer_travel: Distance before a piece of furniture in which its open drawer is looked for.
        covered_fraction: Fraction of a piece that lies under another surface if it is a drawer of it.
        lowest: Height up to which a surface is the floor or a plinth.
        max_steps: Number of heights that are considered, those of the largest area.
        least_area: Least area of a surface in [m^2].
        level_spacing: Least distance between two surfaces above each other.
        easy_height: Height at which the arm works without stooping or stretching.
        height_weight: Weight of the distance from that height against the effort to reach a point.
        easy_range: Distance from that height beyond which it weighs ``stretch_weight`` more.
        stretch_weight: That weight.
        area_cost: Cost of a small surface, such as an armrest, beside a large one.
        narrow_cost: Cost of each step to a smaller disc.
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
    max_per_level: int = 3
    max_layers: int = 6
    max_crossings: int = 40
    drawer_travel: float = 0.45
    covered_fraction: float = 0.9
    lowest: float = 0.15
    max_steps: int = 24
    least_area: float = 0.01
    level_spacing: float = 0.03
    easy_height: float = 0.85
    height_weight: float = 0.3
    easy_range: float = 0.45
    stretch_weight: float = 1.0
    area_cost: float = 0.5
    narrow_cost: float = 0.05


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


def spread_points(points: Vector, level: float, most: int = PLACEMENT.max_placements) -> list[Vector]:
    """Keep the first points that are far enough apart, at one height."""
    kept: list[Vector] = []
    for xy in points:
        if all(float(np.linalg.norm(xy - other[:2])) > PLACEMENT.spacing for other in kept):
            kept.append(np.append(xy, level))
        if len(kept) == most:
            break
    return kept


@dataclass(frozen=True)
class FurnitureBounds:
    """Footprint and height of a piece of furniture.

    Attributes:
        pose: Middle (x, y) and yaw in map, its front along x, shape (3,).
        size: Extents along its axes in [m], shape (2,).
        top: Height of its top in [m].
    """

    pose: Vector
    size: Vector
    top: float

    def grid(self, cell: float, ahead: float = 0.0) -> Vector:
        """Points in map ``cell`` [m] apart, shape (N, M, 2): over it, or ``ahead`` [m] before it."""
        depth, width = self.size / 2
        x = np.arange(depth, depth + ahead, cell) if ahead else np.arange(-depth, depth + cell / 2, cell)
        local = np.stack(np.meshgrid(x, np.arange(-width, width + cell / 2, cell), indexing="ij"), axis=-1)
        c, s = np.cos(self.pose[2]), np.sin(self.pose[2])
        points: Vector = local @ np.array([[c, s], [-s, c]]) + self.pose[:2]
        return points


@dataclass(frozen=True)
class Layers:
    """Upward surfaces in the columns of a grid, one above the other.

    Attributes:
        grid: Points in map, shape (N, M, 2).
        heights: Height of each surface in [m], the uppermost first, shape (N, M, L); NaN where there is none.
        headrooms: Free height above each in [m], of the same shape.
    """

    grid: Vector
    heights: Vector
    headrooms: Vector


@dataclass(frozen=True)
class Surfaces:
    """Top, boards and open drawer of a piece of furniture.

    Attributes:
        furniture: The piece.
        parts: Surfaces in front of it, if it is a drawer, and over its footprint.
    """

    furniture: FurnitureBounds
    parts: tuple[Layers, ...]

    @classmethod
    def of(
        cls,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        furniture: FurnitureBounds,
        own_bodies: AbstractSet[int] = frozenset(),
    ) -> "Surfaces":
        """Cast rays down over a piece, past ``own_bodies`` such as the robot's.

        A piece that lies wholly under another surface is a drawer of it, which is open if it stands out.
        """
        start = furniture.top + PLACEMENT.ray_height
        inside = surface_layers(model, data, furniture.grid(PLACEMENT.cell), start, own_bodies)
        if not is_covered(inside, furniture):
            return cls(furniture, (inside,))
        ahead = furniture.grid(PLACEMENT.cell, PLACEMENT.drawer_travel)
        return cls(furniture, (surface_layers(model, data, ahead, start, own_bodies), inside))

    def placements(
        self, discs: Sequence[float], headroom: float, effort: Callable[[Vector], float]
    ) -> list[Vector]:
        """Find free points, the easiest to reach first; large surfaces and wide discs are preferred.

        Args:
            discs: Radii of a disc that must be level and free in [m], the preferred first.
            headroom: Free height that is needed above a point in [m].
            effort: Cost to reach a point, in [m].

        Returns:
            Points in map, each shape (3,), at most ``max_per_level`` at one height for each disc; empty if
            none is free.
        """
        for layers in self.parts:
            spots = list[tuple[float, Vector]]()
            areas = areas_of(layers, self.furniture)
            for level, area in areas.items():
                rise = abs(level - PLACEMENT.easy_height)
                extra = PLACEMENT.height_weight * rise
                extra += PLACEMENT.stretch_weight * max(0.0, rise - PLACEMENT.easy_range)
                extra += PLACEMENT.area_cost * (1 - area / max(areas.values()))
                for rank, radius in enumerate(discs):
                    free = free_points(layers, level, radius, headroom)
                    distance = np.linalg.norm(free - self.furniture.pose[:2], axis=1)
                    cost = PLACEMENT.distance_weight * distance + np.array([effort(xy) for xy in free])
                    order = np.argsort(cost, kind="stable")
                    kept = spread_points(free[order], level, PLACEMENT.max_per_level)
                    extra += PLACEMENT.narrow_cost * min(rank, 1)
                    spots += [(extra + float(cost[order[0]]), spot) for spot in kept]
            if spots:
                return [spot for _, spot in sorted(spots, key=lambda each: each[0])]
        return []


def surface_layers(
    model: mujoco.MjModel, data: mujoco.MjData, grid: Vector, start: float, own_bodies: AbstractSet[int]
) -> Layers:
    """Find every upward surface below a height [m] in the columns over a grid of points, shape (N, M, 2)."""
    shape = (*grid.shape[:2], PLACEMENT.max_layers)
    heights, headrooms = np.full(shape, np.nan), np.full(shape, np.nan)
    for row, column in np.ndindex(*grid.shape[:2]):
        eye = np.append(grid[row, column], start)
        found = islice(surfaces_under(model, data, eye, own_bodies), PLACEMENT.max_layers)
        for layer, (height, room) in enumerate(found):
            heights[row, column, layer], headrooms[row, column, layer] = height, room
    return Layers(grid, heights, headrooms)


def surfaces_under(
    model: mujoco.MjModel, data: mujoco.MjData, eye: Vector, own_bodies: AbstractSet[int]
) -> Iterator[tuple[float, float]]:
    """Yield height and headroom of the upward surfaces below a point, the uppermost first, both in [m].

    A ray that has entered a geom leaves it at its underside: only what is entered from free air is a surface.
    """
    geom, entered = np.full(1, -1, dtype=np.int32), set[int]()
    at, ceiling = eye.copy(), np.inf
    for _ in range(PLACEMENT.max_crossings):
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


def is_covered(layers: Layers, furniture: FurnitureBounds) -> bool:
    """Return True if another surface lies over all of a piece."""
    first = layers.heights[:, :, 0]
    above = first > furniture.top + PLACEMENT.flatness
    return bool(np.nanmean(above) > PLACEMENT.covered_fraction)


def areas_of(layers: Layers, furniture: FurnitureBounds) -> dict[float, float]:
    """Area in [m^2] of each level surface of a piece by its height in [m]; small ones are left out."""
    heights = layers.heights[np.isfinite(layers.heights)]
    within = heights[(heights > PLACEMENT.lowest) & (heights < furniture.top + PLACEMENT.flatness)]
    steps, counts = np.unique(np.round(within / PLACEMENT.flatness), return_counts=True)
    areas: dict[float, float] = {}
    for step in steps[np.argsort(-counts, kind="stable")][: PLACEMENT.max_steps]:
        level = float(np.median(within[np.abs(within - step * PLACEMENT.flatness) < PLACEMENT.flatness]))
        area = np.count_nonzero(np.abs(within - level) < PLACEMENT.flatness) * PLACEMENT.cell**2
        apart = all(abs(level - other) > PLACEMENT.level_spacing for other in areas)
        if area > PLACEMENT.least_area and apart:
            areas[level] = area
    return areas


def free_points(layers: Layers, level: float, radius: float, headroom: float) -> Vector:
    """Points of a grid with a level, free disc at a height and enough room above, shape (K, 2)."""
    here = np.abs(layers.heights - level) < PLACEMENT.flatness
    usable = (here & (layers.headrooms >= headroom)).any(axis=2)
    # Outside of the grid is not free: the disc must not stand over an edge.
    room = distance_transform_edt(np.pad(usable, 1))[1:-1, 1:-1] * PLACEMENT.cell
    points: Vector = layers.grid[room >= radius + PLACEMENT.cell / 2]
    return points


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
