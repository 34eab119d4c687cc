"""Floor that was perceived: the latest occupancy map as the base planner's grid, and what it lacks."""

from collections.abc import Sequence

import numpy as np

from openral_core.arrays import Mask, Points, Vector2
from openral_core.floor_map import OCCUPIED, UNKNOWN, FloorMap, free_distance
from openral_core.geometry import points_in_polygon
from openral_core.home_map import NoGoZone
from openral_core.skill_errors import NotReachable, SkillFailed
from openral_core.skills import SkillStatus
from openral_sim.planning.base_planner import CostToGo
from openral_sim.planning.occupancy_grid import RESOLUTION, SimOccupancyGrid, fill_hull

UNKNOWN_MARGIN = 0.18
"""Distance by which the base's middle may be closer to unknown cells than to obstacles [m]."""


class NoFloorMap(SkillFailed):
    """The robot plans on the perceived floor, and no map has come."""

    status = SkillStatus.INACTIVE

    def __init__(self) -> None:
        super().__init__(
            "no map of the floor has come on the topic 'map', so the base cannot plan a way:"
            " start the mapper or SLAM, or set the parameter 'floor' to 'model'"
        )
        self.evidence = {"floor": "no_map"}


class UnknownFloor(NotReachable):
    """The goal lies where nothing is known of the floor."""

    def __init__(self, goal: Vector2, nearest: Vector2) -> None:
        super().__init__(
            f"({goal[0]:.2f}, {goal[1]:.2f}) lies in unknown space; known floor leads up to"
            f" ({nearest[0]:.2f}, {nearest[1]:.2f}), {np.linalg.norm(nearest - goal):.2f} m away:"
            " look around there first"
        )
        self.evidence = {"floor": "unknown", "x": float(nearest[0]), "y": float(nearest[1])}


class NoKnownWay(NotReachable):
    """The goal is known and free, and no way over known floor leads there."""

    def __init__(self, goal: Vector2, nearest: Vector2, clearance: float) -> None:
        super().__init__(
            f"no way over known floor with {clearance:.2f} m of clearance leads to"
            f" ({goal[0]:.2f}, {goal[1]:.2f}); known floor leads up to"
            f" ({nearest[0]:.2f}, {nearest[1]:.2f}), {np.linalg.norm(nearest - goal):.2f} m away"
        )
        self.evidence = {"floor": "no_way", "x": float(nearest[0]), "y": float(nearest[1])}


class PerceivedFloor:
    """Holder of the latest map; one thread may write while another reads.

    Attributes:
        latest: The newest map, None until one has come.
    """

    def __init__(self, latest: FloorMap | None = None) -> None:
        self.latest = latest

    def map(self) -> FloorMap:
        """Return the newest map.

        Raises:
            NoFloorMap: If none has come.
        """
        if self.latest is None:
            raise NoFloorMap
        return self.latest


def perceived_grid(
    floor: FloorMap,
    no_go_zones: Sequence[NoGoZone] = (),
    ignored: Sequence[Points] = (),
    added: Sequence[Points] = (),
) -> SimOccupancyGrid:
    """Distance of every cell to obstacles and, less `UNKNOWN_MARGIN`, to unknown space.

    Args:
        floor: The map; its cells may have another size or direction.
        no_go_zones: Zones that are obstacles.
        ignored: Outlines (N, 2) in map [m] of what is not to be an obstacle, such as a door that will move.
        added: Outlines of obstacles besides, such as people.
    """
    low, occupied, unknown = aligned(floor)
    for outline in ignored:
        moving = np.zeros(occupied.shape, bool)
        fill_hull(moving, low, outline)
        occupied &= ~moving
        unknown &= ~moving
    for outline in added:
        fill_hull(occupied, low, outline)
    cells = np.stack(np.meshgrid(*map(np.arange, occupied.shape), indexing="ij"), axis=-1)
    for zone in no_go_zones:
        occupied |= points_in_polygon(np.array(zone.polygon), low + RESOLUTION * cells)
    return SimOccupancyGrid(low, free_distance(occupied, unknown, RESOLUTION, UNKNOWN_MARGIN))


def aligned(floor: FloorMap) -> tuple[Vector2, Mask, Mask]:
    """Return a map on the planner's cells: centre of cell (0, 0) [m], occupied and unknown cells (X, Y).

    Each cell is that of the map at its centre; obstacles between the centres are added, so that none is lost,
    and so is a border of one unknown cell.
    """
    height, width = floor.cells.shape
    corners = floor.to_frame(np.array([(0, 0), (width, 0), (0, height), (width, height)]))
    low = np.floor(corners.min(axis=0) / RESOLUTION) * RESOLUTION - RESOLUTION / 2
    shape = np.ceil((corners.max(axis=0) - low) / RESOLUTION).astype(int) + 2
    cells = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1)
    rows, columns = np.moveaxis(floor.cell(low + RESOLUTION * cells), -1, 0)
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    values = np.where(inside, floor.cells[rows.clip(0, height - 1), columns.clip(0, width - 1)], UNKNOWN)
    occupied, unknown = values == OCCUPIED, values == UNKNOWN
    missed = floor.occupied
    missed[rows[inside], columns[inside]] = False
    x, y = np.rint((floor.centres(*np.nonzero(missed)) - low) / RESOLUTION).astype(int).T
    occupied[x, y] = True
    return low, occupied, unknown


def unreachable(floor: FloorMap, field: CostToGo, goal: Vector2) -> NotReachable:
    """Return the reason why a goal has no reachable floor near it."""
    nearest = field.nearest_reachable(goal, np.inf)
    value = floor.value_at(float(goal[0]), float(goal[1]))
    if value == UNKNOWN:
        return UnknownFloor(goal, nearest)
    return NoKnownWay(goal, nearest, field.clearance)
