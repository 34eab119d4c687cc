"""Free placements on all surfaces of a piece of furniture: its top, its boards and its open drawer."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.ndimage import distance_transform_edt

from openral_core.arrays import PlanarPose, Points, Vector2, Vector3
from openral_sim.planning.placement import PLACEMENT, spread_points
from openral_sim.planning.surface_rays import RAYS, SurfaceLayers, surface_layers


@dataclass(frozen=True)
class FurnitureSurfaceConfig:
    """Parameters of a furniture's surfaces, and of their choice; lengths in [m]."""

    # Distance before a piece of furniture in which its open drawer is looked for.
    drawer_travel: float = 0.45
    # Fraction of a piece that lies under another surface if it is a drawer of it.
    covered_fraction: float = 0.9
    lowest: float = 0.15  # Height up to which a surface is the floor or a plinth.
    max_steps: int = 24  # Number of heights that are considered, those of the largest area.
    least_area: float = 0.01  # Least area of a surface in [m^2].
    level_spacing: float = 0.03  # Least distance between two surfaces above each other.
    max_per_level: int = 3  # Number of placements returned at each height.
    easy_height: float = 0.85  # Height at which the arm works without stooping or stretching.
    height_weight: float = 0.3  # Weight of the distance from that height against the effort to reach a point.
    easy_range: float = 0.45  # Distance from that height beyond which it weighs ``stretch_weight`` more.
    stretch_weight: float = 1.0  # That weight.
    area_cost: float = 0.5  # Cost of a small surface, such as an armrest, beside a large one.
    narrow_cost: float = 0.05  # Cost of each step to a smaller disc.


CONFIG = FurnitureSurfaceConfig()


@dataclass(frozen=True)
class FurnitureBounds:
    """Footprint and height of a piece of furniture."""

    pose: PlanarPose  # Middle (x, y) and yaw in map, its front along x, shape (3,).
    size: Vector2  # Extents along its axes in [m], shape (2,).
    top: float  # Height of its top in [m].

    def grid(self, cell: float, ahead: float = 0.0) -> Points:
        """Points in map ``cell`` [m] apart, shape (N, M, 2): over it, or ``ahead`` [m] before it."""
        depth, width = self.size / 2
        x = np.arange(depth, depth + ahead, cell) if ahead else np.arange(-depth, depth + cell / 2, cell)
        local = np.stack(np.meshgrid(x, np.arange(-width, width + cell / 2, cell), indexing="ij"), axis=-1)
        c, s = np.cos(self.pose[2]), np.sin(self.pose[2])
        points: Points = local @ np.array([[c, s], [-s, c]]) + self.pose[:2]
        return points


@dataclass(frozen=True)
class FurnitureSurfaces:
    """Top, boards and open drawer of a piece of furniture."""

    furniture: FurnitureBounds  # The piece.
    parts: tuple[SurfaceLayers, ...]  # Surfaces in front of it, if it is a drawer, and over its footprint.

    @classmethod
    def of(
        cls,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        furniture: FurnitureBounds,
        own_bodies: AbstractSet[int] = frozenset(),
    ) -> "FurnitureSurfaces":
        """Cast rays down over a piece, past ``own_bodies`` such as the robot's.

        A piece that lies wholly under another surface is a drawer of it, which is open if it stands out.
        """
        start = furniture.top + RAYS.start_height
        inside = surface_layers(model, data, furniture.grid(RAYS.cell), start, own_bodies)
        if not is_covered(inside, furniture):
            return cls(furniture, (inside,))
        ahead = furniture.grid(RAYS.cell, CONFIG.drawer_travel)
        return cls(furniture, (surface_layers(model, data, ahead, start, own_bodies), inside))

    def placements(
        self, discs: Sequence[float], headroom: float, effort: Callable[[Vector2], float]
    ) -> list[Vector3]:
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
            spots = list[tuple[float, Vector3]]()
            areas = areas_of(layers, self.furniture)
            for level, area in areas.items():
                extra = level_cost(level, area / max(areas.values()))
                for rank, radius in enumerate(discs):
                    free = free_points(layers, level, radius, headroom)
                    distance = np.linalg.norm(free - self.furniture.pose[:2], axis=1)
                    cost = PLACEMENT.distance_weight * distance + np.array([effort(xy) for xy in free])
                    order = np.argsort(cost, kind="stable")
                    nearest = spread_points(free[order], level, CONFIG.max_per_level)
                    extra += CONFIG.narrow_cost * min(rank, 1)
                    spots += [(extra + float(cost[order[0]]), spot) for spot in nearest]
            if spots:
                return [spot for _, spot in sorted(spots, key=lambda each: each[0])]
        return []


def level_cost(level: float, share: float) -> float:
    """Cost of a surface at a height [m] that has a share of the largest one's area, as an effort in [m]."""
    rise = abs(level - CONFIG.easy_height)
    stretch = max(0.0, rise - CONFIG.easy_range)
    return CONFIG.height_weight * rise + CONFIG.stretch_weight * stretch + CONFIG.area_cost * (1 - share)


def is_covered(layers: SurfaceLayers, furniture: FurnitureBounds) -> bool:
    """Return True if another surface lies over all of a piece."""
    first = layers.heights[:, :, 0]
    above = first > furniture.top + RAYS.flatness
    return bool(np.nanmean(above) > CONFIG.covered_fraction)


def areas_of(layers: SurfaceLayers, furniture: FurnitureBounds) -> dict[float, float]:
    """Area in [m^2] of each level surface of a piece by its height in [m]; small ones are left out."""
    heights = layers.heights[np.isfinite(layers.heights)]
    within = heights[(heights > CONFIG.lowest) & (heights < furniture.top + RAYS.flatness)]
    steps, counts = np.unique(np.round(within / RAYS.flatness), return_counts=True)
    areas: dict[float, float] = {}
    for step in steps[np.argsort(-counts, kind="stable")][: CONFIG.max_steps]:
        level = float(np.median(within[np.abs(within - step * RAYS.flatness) < RAYS.flatness]))
        area = np.count_nonzero(np.abs(within - level) < RAYS.flatness) * RAYS.cell**2
        apart = all(abs(level - other) > CONFIG.level_spacing for other in areas)
        if area > CONFIG.least_area and apart:
            areas[level] = area
    return areas


def free_points(layers: SurfaceLayers, level: float, radius: float, headroom: float) -> Points:
    """Points of a grid with a level, free disc at a height and enough room above, shape (K, 2)."""
    here = np.abs(layers.heights - level) < RAYS.flatness
    usable = (here & (layers.headrooms >= headroom)).any(axis=2)
    # Outside of the grid is not free: the disc must not stand over an edge.
    room = distance_transform_edt(np.pad(usable, 1))[1:-1, 1:-1] * RAYS.cell
    points: Points = layers.grid[room >= radius + RAYS.cell / 2]
    return points
