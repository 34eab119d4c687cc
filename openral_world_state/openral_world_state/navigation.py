"""Navigation on the floor plan: where the robot fits, routes between places, viewpoints of objects."""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import scipy
from numpy.typing import NDArray

from openral_core.arrays import Mask, Points
from openral_core.geometry import Pose, points_in_polygon
from openral_core.grid_graph import grid_graph
from openral_core.lazy_modules import lazy_module
from openral_world_state.static_map import SiteFixture, StaticMap

nx = lazy_module("networkx")

Point = tuple[float, float]


class FloorGrid:
    """Floor plan in square cells, free where a round robot fits.

    Args:
        home: Rooms are floor, furniture and no-go zones are obstacles.
        robot_radius: Radius of the robot's base [m].
        cell: Side of a cell [m].
    """

    def __init__(self, home: StaticMap, robot_radius: float = 0.33, cell: float = 0.05) -> None:
        self._cell = cell
        outlines = [np.array(area.outline.polygon) for area in home.areas]
        corners = np.concatenate(outlines) if outlines else np.zeros((1, 2))
        self._origin = corners.min(axis=0) - cell
        shape = np.ceil((corners.max(axis=0) + cell - self._origin) / cell).astype(int)
        index = np.stack(np.meshgrid(np.arange(shape[0]), np.arange(shape[1]), indexing="ij"), axis=-1)
        centers = self._origin + (index + 0.5) * cell
        open_floor = np.zeros(shape, dtype=bool)
        for outline in outlines:
            part = self._around(outline)
            open_floor[part] |= points_in_polygon(outline, centers[part])
        for site in home.sites:
            part = self._around(corners_of(site))
            open_floor[part] &= ~points_covered(site, centers[part])
        for zone in home.no_go_zones:
            part = self._around(np.array(zone.polygon))
            open_floor[part] &= ~points_in_polygon(np.array(zone.polygon), centers[part])
        if home.doorways:
            in_doorway = np.zeros(shape, dtype=bool)
            for doorway in home.doorways:
                at, half = np.array(doorway.at), doorway.width / 2.0
                part = self._around(np.array([at - half, at + half]))
                in_doorway[part] |= np.linalg.norm(centers[part] - at, axis=-1) <= half
            for outline in outlines:
                part = self._around(outline)
                open_floor[part] &= ~(points_near_border(outline, centers[part], cell) & ~in_doorway[part])
        self._clearance = scipy.ndimage.distance_transform_edt(open_floor) * cell
        self._free = self._clearance >= robot_radius

    def _around(self, points: Points) -> tuple[slice, slice]:
        """Return the window of the cells around points (N, 2) in map [m], two cells wider on each side."""
        low = np.floor((points.min(axis=0, initial=np.inf) - self._origin) / self._cell) - 2.0
        high = np.ceil((points.max(axis=0, initial=-np.inf) - self._origin) / self._cell) + 2.0
        (x0, y0), (x1, y1) = (np.clip(end, 0.0, 1e6).astype(int).tolist() for end in (low, high))
        return slice(x0, x1), slice(y0, y1)

    def is_free(self, point: Point) -> bool:
        """Tell if the robot fits at a point."""
        index = self._index(point)
        return index is not None and bool(self._free[index])

    def clearance(self, point: Point) -> float:
        """Distance to the nearest obstacle [m]; 0 outside."""
        index = self._index(point)
        return float(self._clearance[index]) if index is not None else 0.0

    def reachable(self, points: Points, start: Point | None) -> Mask:
        """Mask of points (N, 2) where the robot fits and, given ``start``, to which it can drive."""
        cells = np.floor((points - self._origin) / self._cell).astype(int)
        within = ((cells >= 0) & (cells < self._free.shape)).all(axis=1)
        x, y = np.where(within[:, None], cells, 0).T
        result = within & self._free[x, y]
        origin = self.nearest_free(start) if start is not None else None
        return np.asarray(result & (self._components[x, y] == self._components[origin])) if origin else result

    def connected(self, first: Point, second: Point) -> bool:
        """Tell if the robot can drive from one point to the other."""
        a, b = self.nearest_free(first), self.nearest_free(second)
        return a is not None and b is not None and bool(self._components[a] == self._components[b])

    def distances(self, start: Point, points: list[Point]) -> list[float]:
        """Driving distances from ``start`` to each point [m]; infinite where there is no path."""
        origin = self.nearest_free(start)
        if origin is None:
            return [math.inf] * len(points)
        field = scipy.sparse.csgraph.dijkstra(
            self._adjacency, directed=False, indices=int(np.ravel_multi_index(origin, self._free.shape))
        )
        ends = (self.nearest_free(point) for point in points)
        flat = (int(np.ravel_multi_index(e, self._free.shape)) if e else None for e in ends)
        return [float(field[i]) if i is not None else math.inf for i in flat]

    @cached_property
    def _adjacency(self) -> "scipy.sparse.coo_matrix":
        return grid_graph(self._free, self._cell)

    @cached_property
    def _components(self) -> NDArray[np.int32]:
        return np.asarray(
            scipy.sparse.csgraph.connected_components(self._adjacency, directed=False)[1]
        ).reshape(self._free.shape)

    def nearest_free(self, point: Point, within: float = 1.0) -> tuple[int, int] | None:
        """Free cell nearest to a point; None if there is none ``within`` [m]."""
        middle = np.floor((np.array(point) - self._origin) / self._cell).astype(int)
        reach = int(within / self._cell)
        low = np.maximum(middle - reach, 0)
        window = self._free[low[0] : max(middle[0] + reach + 1, 0), low[1] : max(middle[1] + reach + 1, 0)]
        cells = np.argwhere(window) + low
        if not len(cells):
            return None
        x, y = cells[int(np.argmin(((cells - middle) ** 2).sum(axis=1)))].tolist()
        return x, y

    def _index(self, point: Point) -> tuple[int, int] | None:
        i = math.floor((point[0] - self._origin[0]) / self._cell)
        j = math.floor((point[1] - self._origin[1]) / self._cell)
        return (i, j) if 0 <= i < self._free.shape[0] and 0 <= j < self._free.shape[1] else None


def points_near_border(outline: Points, points: Points, thickness: float) -> Mask:
    """Tell which points (..., 2) are within ``thickness`` [m] of a polygon's border."""
    result = np.zeros(points.shape[:-1], dtype=bool)
    for start, end in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        along = end - start
        fraction = np.clip((points - start) @ along / max(float(along @ along), 1e-12), 0.0, 1.0)
        result |= np.linalg.norm(points - start - fraction[..., None] * along, axis=-1) <= thickness
    return result


def points_covered(site: SiteFixture, points: Points) -> Mask:
    """Tell which points (..., 2) in map a site's footprint covers."""
    if site.footprint is None:
        return np.zeros(points.shape[:-1], dtype=bool)
    c, s = math.cos(site.frame.yaw), math.sin(site.frame.yaw)
    delta = points - np.array([site.frame.x, site.frame.y])
    local = np.stack((c * delta[..., 0] + s * delta[..., 1], -s * delta[..., 0] + c * delta[..., 1]), axis=-1)
    low, high = np.array(site.footprint.min), np.array(site.footprint.max)
    return np.asarray(((local >= low) & (local <= high)).all(axis=-1))


def corners_of(site: SiteFixture) -> Points:
    """Return the corners of a site's footprint in map [m], shape (4, 2); none without one, shape (0, 2)."""
    if site.footprint is None:
        return np.zeros((0, 2))
    (x0, y0), (x1, y1) = site.footprint.min, site.footprint.max
    return np.array([site.frame.to_parent(x, y) for x in (x0, x1) for y in (y0, y1)])


_DIRECT = 1.1
"""Ratio of driving to straight-line distance up to which two places are joined [1]: no wall between them."""
_DIRECT_MARGIN = 0.05
"""Distance added to that [m]; a cell of the grid."""
_DETOUR = 1.02
"""Ratio of lengths up to which a route over a third place replaces a direct edge [1]; the grid's rounding."""
_TURN_COST = 0.3
"""Distance that one radian away from the preferred side is worth [m]."""
_ANGLES = np.linspace(0.0, 2.0 * np.pi, 36, endpoint=False)  # candidate directions [rad], every 10 degrees
_SCALES = np.array([1.0, 1.15, 0.85, 1.35, 1.6])  # candidate distances, as fractions of the standoff


@dataclass(frozen=True, slots=True)
class Route:
    """Ids of the places passed, start to goal, and the driving distance [m]."""

    places: tuple[str, ...]
    length: float


class Routes:
    """Graph of places, joined if the robot can drive from one to the other without passing a third.

    Args:
        base_poses: Pose of the robot's base at each place.
    """

    def __init__(self, floor: FloorGrid, base_poses: dict[str, Pose]) -> None:
        self._floor = floor
        self._points: dict[str, Point] = {n: (p.position[0], p.position[1]) for n, p in base_poses.items()}
        self._graph = nx.Graph()
        self._graph.add_nodes_from(self._points)
        complete = nx.Graph()
        complete.add_nodes_from(self._points)
        names = sorted(self._points)
        rows = {n: floor.distances(self._points[n], [self._points[m] for m in names]) for n in names}
        for first, second in combinations(names, 2):
            length = rows[first][names.index(second)]
            if math.isinf(length):
                continue
            complete.add_edge(first, second, weight=length)
            if length <= _DIRECT * math.dist(self._points[first], self._points[second]) + _DIRECT_MARGIN:
                self._graph.add_edge(first, second, weight=length)
        self._graph.add_edges_from(nx.minimum_spanning_edges(complete, data=True))
        self._drop_detours()

    @property
    def names(self) -> frozenset[str]:
        """Ids of all places."""
        return frozenset(self._points)

    def nearest(self, point: Point) -> str:
        """Place with the nearest base pose; "" if there is none."""
        return min(self._points, key=lambda name: math.dist(point, self._points[name]), default="")

    @property
    def edges(self) -> list[tuple[str, str, float]]:
        """Joined places and the distance between them [m]."""
        return sorted((min(a, b), max(a, b), float(w)) for a, b, w in self._graph.edges(data="weight"))

    def route(self, start: Point, goal: str) -> Route | None:
        """Route from a point to a place; None if there is no path."""
        names = list(self._points)
        away = dict(zip(names, self._floor.distances(start, [self._points[n] for n in names]), strict=True))
        if goal not in away or math.isinf(away[goal]):
            return None
        first = min(away, key=lambda name: (away[name], name))
        if not nx.has_path(self._graph, first, goal):
            return Route((goal,), away[goal])
        return Route(tuple(nx.shortest_path(self._graph, first, goal, weight="weight")), away[goal])

    def _drop_detours(self) -> None:
        """Remove each edge that is no shorter than the route over a third place."""
        for first, second, weight in list(self._graph.edges(data="weight")):
            self._graph.remove_edge(first, second)
            around = nx.single_source_dijkstra_path_length(self._graph, first, weight="weight").get(second)
            if around is None or around > weight * _DETOUR:
                self._graph.add_edge(first, second, weight=weight)


def pose_facing(position: Point, target: Point) -> Pose:
    """Return a base pose at ``position`` that faces ``target``, both on the floor plan."""
    yaw = math.atan2(target[1] - position[1], target[0] - position[0])
    return Pose.planar(position[0], position[1], yaw)


def choose_viewpoint(
    floor: FloorGrid, target: Point, standoff: float, site: SiteFixture | None, seen_from: Point | None
) -> Pose | None:
    """Choose a reachable base pose about ``standoff`` [m] from the target, facing it; None if there is none.

    The site's own base pose decides the preferred side, else the side the object was seen from.

    Args:
        target: On the floor plan, in map [m].
        standoff: Preferred distance [m].
        site: Furniture that the object is on or in.
        seen_from: Position of the camera that saw it, on the floor plan [m].
    """
    front = site.base_pose if site else None
    preferred = (front.position[0], front.position[1]) if front else seen_from
    radii, angles = (axis.ravel() for axis in np.meshgrid(standoff * _SCALES, _ANGLES, indexing="ij"))
    points = np.column_stack((target[0] + radii * np.cos(angles), target[1] + radii * np.sin(angles)))
    usable = floor.reachable(points, preferred)
    if not usable.any():
        return pose_facing((front.position[0], front.position[1]), target) if front else None
    cost = np.abs(radii - standoff)
    if preferred is not None:
        side = math.atan2(preferred[1] - target[1], preferred[0] - target[0])
        cost += _TURN_COST * np.abs((angles - side + np.pi) % (2.0 * np.pi) - np.pi)
    x, y = points[int(np.argmin(np.where(usable, cost, np.inf)))].tolist()
    return pose_facing((x, y), target)
