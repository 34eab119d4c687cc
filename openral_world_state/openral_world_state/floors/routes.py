"""Ways between the places of a home."""

import math
from dataclasses import dataclass
from itertools import combinations

import networkx as nx

from openral_core.geometry import Pose
from openral_world_state.floors.floor import Floor, Point

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

    def __init__(self, floor: Floor, stands: dict[str, Pose]) -> None:
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
