"""Ways between the places of a home."""
# MERGED Where to stand to look at a thing, or to reach it.

import math
from dataclasses import dataclass
from itertools import combinations

import networkx as nx
import numpy as np

from openral_core.geometry import Pose
from openral_world_state.home.model import SiteFixture
from openral_world_state.navigation.grid import FloorGrid, Point

_DIRECT = 1.1


@dataclass(frozen=True, slots=True)
class Route:
    """Ids of the places passed, start to goal, and the driving distance [m]."""

    places: tuple[str, ...]
    length: float


class Routes:
    """Places joined where one can drive from one to the other without passing a third.

    Args:
        floor: Where the robot fits.
        stands: Standing pose of each place.
    """

    def __init__(self, floor: FloorGrid, stands: dict[str, Pose]) -> None:
        self._floor = floor
        self._points: dict[str, Point] = {n: (p.position[0], p.position[1]) for n, p in stands.items()}
        self._graph = nx.Graph()
        self._graph.add_nodes_from(self._points)
        complete = nx.Graph()
        complete.add_nodes_from(self._points)
        for first, second, length in self._lengths():
            complete.add_edge(first, second, weight=length)
            if length <= _DIRECT * math.dist(self._points[first], self._points[second]) + 0.05:
                self._graph.add_edge(first, second, weight=length)
        self._graph.add_edges_from(nx.minimum_spanning_edges(complete, data=True))
        self._drop_detours()

    @property
    def names(self) -> frozenset[str]:
        """Every place."""
        return frozenset(self._points)

    def nearest(self, point: Point) -> str:
        """The place whose standing pose is nearest; "" when there is none."""
        return min(self._points, key=lambda name: math.dist(point, self._points[name]), default="")

    @property
    def edges(self) -> list[tuple[str, str, float]]:
        """Joined places and the distance between them [m]."""
        return sorted((min(a, b), max(a, b), float(w)) for a, b, w in self._graph.edges(data="weight"))

    def route(self, start: Point, goal: str) -> Route | None:
        """From a point to a place; None when there is no way."""
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
        """An edge that costs no less than the way over a third place says nothing."""
        for first, second, weight in list(self._graph.edges(data="weight")):
            self._graph.remove_edge(first, second)
            around = nx.single_source_dijkstra_path_length(self._graph, first, weight="weight").get(second)
            if around is None or around > weight * 1.02:
                self._graph.add_edge(first, second, weight=weight)


_ANGLES = np.linspace(0.0, 2.0 * np.pi, 36, endpoint=False)
_SCALES = np.array([1.0, 1.15, 0.85, 1.35, 1.6])
_TURN = 0.3
"""Distance [m] that one radian away from the liked side is worth."""


def pose_facing(stand: Point, target: Point) -> Pose:
    """A standing pose that looks at a point of the floor plan."""
    return Pose.planar(stand[0], stand[1], math.atan2(target[1] - stand[1], target[0] - stand[0]))


def choose_viewpoint(
    floor: FloorGrid, target: Point, standoff: float, site: SiteFixture | None, seen_from: Point | None
) -> Pose | None:
    """A reachable standing pose about ``standoff`` [m] from the target, facing it.

    It stands before the site's front when there is one, else on the side the thing was seen from.

    Args:
        floor: Where the robot fits.
        target: On the floor plan, in map [m].
        standoff: Wished distance [m].
        site: What the thing is on or in.
        seen_from: Where a camera saw it from.
    """
    front = site.standing if site else None
    liked = (front.position[0], front.position[1]) if front else seen_from
    radii, angles = (each.ravel() for each in np.meshgrid(standoff * _SCALES, _ANGLES, indexing="ij"))
    stands = np.column_stack((target[0] + radii * np.cos(angles), target[1] + radii * np.sin(angles)))
    usable = floor.reachable(stands, liked)
    if not usable.any():
        return pose_facing((front.position[0], front.position[1]), target) if front else None
    price = np.abs(radii - standoff)
    if liked is not None:
        wished = math.atan2(liked[1] - target[1], liked[0] - target[0])
        price += _TURN * np.abs((angles - wished + np.pi) % (2.0 * np.pi) - np.pi)
    x, y = stands[int(np.argmin(np.where(usable, price, np.inf)))].tolist()
    return pose_facing((x, y), target)
