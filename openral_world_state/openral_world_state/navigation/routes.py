"""Routes between the places of a home, and the choice of a viewpoint for an object."""

import math
from dataclasses import dataclass
from itertools import combinations

import networkx as nx
import numpy as np

from openral_core.geometry import Pose
from openral_world_state.home.model import SiteFixture
from openral_world_state.navigation.grid import FloorGrid, Point

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
        floor: Grid of the floor plan.
        base_poses: Pose of the robot's base at each place.
    """

    def __init__(self, floor: FloorGrid, base_poses: dict[str, Pose]) -> None:
        self._floor = floor
        self._points: dict[str, Point] = {n: (p.position[0], p.position[1]) for n, p in base_poses.items()}
        self._graph = nx.Graph()
        self._graph.add_nodes_from(self._points)
        complete = nx.Graph()
        complete.add_nodes_from(self._points)
        for first, second, length in self._lengths():
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

    def _lengths(self) -> list[tuple[str, str, float]]:
        names = sorted(self._points)
        rows = {n: self._floor.distances(self._points[n], [self._points[m] for m in names]) for n in names}
        pairs = [(a, b, rows[a][names.index(b)]) for a, b in combinations(names, 2)]
        return [pair for pair in pairs if math.isfinite(pair[2])]

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
        floor: Grid of the floor plan.
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
