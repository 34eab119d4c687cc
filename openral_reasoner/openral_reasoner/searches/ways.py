"""How far it is to drive."""

import heapq
from collections import defaultdict
from collections.abc import Mapping
from math import dist

from openral_core.scene_graph import Relation, SceneGraph

Point = tuple[float, float, float]


class Ways:
    """Lengths of ways between nodes: by the routes of a scene graph, and straight where it has none."""

    def __init__(self, graph: SceneGraph) -> None:
        self._graph = graph
        self._routes: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for edge in graph.edges:
            if edge.relation is Relation.TRAVERSABLE_TO:
                self._routes[edge.source].append((edge.target, edge.weight))
                self._routes[edge.target].append((edge.source, edge.weight))
        self._known: dict[str, Mapping[str, float]] = {}

    def between(self, start: Point, goal: Point) -> float:
        """From one point to another [m], over the nodes of the routes that are nearest to them."""
        first, last = self._nearest(start), self._nearest(goal)
        straight = dist(start[:2], goal[:2])
        if first == last:
            return straight
        route = self._from(first).get(last)
        if route is None:
            return straight
        return max(straight, self._aside(start, first) + route + self._aside(goal, last))

    def _nearest(self, point: Point) -> str:
        """Of the nodes that routes lead to; "" when there are none."""
        return min(self._routes, key=lambda node: (self._aside(point, node), node), default="")

    def _aside(self, point: Point, node: str) -> float:
        return dist(point[:2], self._graph.by_id[node].pose.position[:2])

    def _from(self, node: str) -> Mapping[str, float]:
        """Lengths of the shortest routes (Dijkstra, 1959)."""
        if node not in self._known:
            self._known[node] = self._shortest(node)
        return self._known[node]

    def _shortest(self, start: str) -> Mapping[str, float]:
        reached: dict[str, float] = {}
        queue = [(0.0, start)]
        while queue:
            length, node = heapq.heappop(queue)
            if node in reached:
                continue
            reached[node] = length
            for target, weight in self._routes.get(node, ()):
                heapq.heappush(queue, (length + weight, target))
        return reached
