"""Order of a search that minimises the expected time to find the object, and route lengths."""

import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import dist

from openral_core.spatial_memory import Relation, SceneGraph

LOOKAHEAD = 8
"""Number of next stops whose order is optimised jointly; the rest follow the ratio rule alone."""


@dataclass(frozen=True, slots=True)
class SearchStop:
    """Place to search: ``chance`` that the object is there, ``effort`` of searching it [m of driving]."""

    chance: float
    effort: float


def order_by_expected_time(
    stops: Sequence[SearchStop], first: Sequence[float], between: Sequence[Sequence[float]]
) -> list[int]:
    """Return the indices of the stops in search order.

    The next stop is the one with the best chance per cost; then the first few are exchanged as long as that
    lowers the expected cost until the object is found.

    Source: the ratio rule of discrete search (Stone, Theory of Optimal Search, 1975, ch. 4), improved by
    exchanges as for the minimum latency problem (Blum et al., 1994).

    Args:
        stops: Places to search, N of them.
        first: Distances from the robot [m], length N.
        between: Distances between the stops [m], shape (N, N).
    """
    order = _by_ratio(stops, first, between)
    head, rest = order[:LOOKAHEAD], order[LOOKAHEAD:]
    best, improved = _expected(head, stops, first, between), True
    while improved:
        improved = False
        for other in _exchanges(head):
            cost = _expected(other, stops, first, between)
            if cost < best - 1e-9:
                head, best, improved = other, cost, True
                break
    return head + rest


def _by_ratio(
    stops: Sequence[SearchStop], first: Sequence[float], between: Sequence[Sequence[float]]
) -> list[int]:
    left, order, ways = list(range(len(stops))), list[int](), first
    while left:
        best = min(left, key=lambda i: (-stops[i].chance / (ways[i] + stops[i].effort), i))
        left.remove(best)
        order.append(best)
        ways = between[best]
    return order


def _exchanges(order: list[int]) -> Iterator[list[int]]:
    """Yield every order with one segment reversed or one stop moved."""
    for i in range(len(order)):
        for j in range(i + 2, len(order) + 1):
            yield order[:i] + order[i:j][::-1] + order[j:]
        rest = order[:i] + order[i + 1 :]
        for j in range(len(order)):
            if j not in (i, i - 1):
                yield [*rest[:j], order[i], *rest[j:]]


def _expected(
    order: Sequence[int],
    stops: Sequence[SearchStop],
    first: Sequence[float],
    between: Sequence[Sequence[float]],
) -> float:
    """Return the expected cost until the object is found [m]."""
    total = reached = 0.0
    ways = first
    for index in order:
        reached += ways[index] + stops[index].effort
        total += stops[index].chance * reached
        ways = between[index]
    return total


Point = tuple[float, float, float]


class RouteLengths:
    """Route lengths along the edges of a scene graph; straight-line distances where it has none."""

    def __init__(self, graph: SceneGraph) -> None:
        self._graph = graph
        self._routes: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for edge in graph.edges:
            if edge.relation is Relation.TRAVERSABLE_TO:
                self._routes[edge.source].append((edge.target, edge.weight))
                self._routes[edge.target].append((edge.source, edge.weight))
        self._known: dict[str, Mapping[str, float]] = {}

    def between(self, start: Point, goal: Point) -> float:
        """Return the route length between two points [m], via the route nodes nearest to them."""
        first, last = self._nearest(start), self._nearest(goal)
        straight = dist(start[:2], goal[:2])
        if first == last:
            return straight
        route = self._from(first).get(last)
        if route is None:
            return straight
        return max(straight, self._offset(start, first) + route + self._offset(goal, last))

    def _nearest(self, point: Point) -> str:
        """Return the route node nearest to a point; "" if there are none."""
        return min(self._routes, key=lambda node: (self._offset(point, node), node), default="")

    def _offset(self, point: Point, node: str) -> float:
        return dist(point[:2], self._graph.by_id[node].pose.position[:2])

    def _from(self, node: str) -> Mapping[str, float]:
        """Return the lengths of the shortest routes from a node [m] (Dijkstra, 1959)."""
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
