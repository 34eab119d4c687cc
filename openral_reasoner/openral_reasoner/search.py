"""Active search: progress of an episode, candidate places and their order by expected time."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from math import dist

from pydantic import BaseModel, ConfigDict, Field

from openral_core.detectors import LocateStatus
from openral_core.spatial_memory import NodeKind, Opening, Relation, SceneGraph, SceneNode
from openral_reasoner.likely_places.belief import DEFAULT_WEIGHTS, BeliefWeights, placement_chances, rank_of
from openral_reasoner.likely_places.prior import Site

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
    order = order_by_ratio(stops, first, between)
    head, rest = order[:LOOKAHEAD], order[LOOKAHEAD:]
    best, improved = expected_cost(head, stops, first, between), True
    while improved:
        improved = False
        for other in exchanges(head):
            cost = expected_cost(other, stops, first, between)
            if cost < best - 1e-9:
                head, best, improved = other, cost, True
                break
    return head + rest


def order_by_ratio(
    stops: Sequence[SearchStop], first: Sequence[float], between: Sequence[Sequence[float]]
) -> list[int]:
    """Return the indices of the stops, the best chance per cost next each time."""
    remaining, order, ways = list(range(len(stops))), list[int](), first
    while remaining:
        best = min(remaining, key=lambda i: (-stops[i].chance / (ways[i] + stops[i].effort), i))
        remaining.remove(best)
        order.append(best)
        ways = between[best]
    return order


def exchanges(order: list[int]) -> Iterator[list[int]]:
    """Yield every order with one segment reversed or one stop moved."""
    for i in range(len(order)):
        for j in range(i + 2, len(order) + 1):
            yield order[:i] + order[i:j][::-1] + order[j:]
        rest = order[:i] + order[i + 1 :]
        for j in range(len(order)):
            if j not in (i, i - 1):
                yield [*rest[:j], order[i], *rest[j:]]


def expected_cost(
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
        self._lengths: dict[str, Mapping[str, float]] = {}

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
        """Return the lengths of the shortest routes from a node [m].

        Source: Dijkstra, 1959; some dozen routes of a home are not worth loading a library of graphs.
        """
        if node not in self._lengths:
            self._lengths[node] = self._shortest(node)
        return self._lengths[node]

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


BLIND = frozenset(
    {
        "NO_DETECTOR",
        LocateStatus.NO_FRAME.name,
        LocateStatus.STALE_FRAME.name,
        LocateStatus.INACTIVE.name,
        LocateStatus.LOADING.name,
        LocateStatus.BUSY.name,
        LocateStatus.TIMEOUT.name,
        LocateStatus.OUT_OF_MEMORY.name,
        LocateStatus.DETECTOR_ERROR.name,
    }
)
"""Outcomes without an evaluated image: they say nothing about presence or absence."""
SEEN_NOT_PLACED = "SEEN_NOT_PLACED"
"""Outcome of a detection that memory could not place, for example for lack of depth."""
COVERED = "COVERED"
"""Outcome of a place that was in a view in which a locator did not find the object: evidence of absence."""
NOBODY_CAN_LOOK = "NOBODY_CAN_LOOK"
"""Outcome of a place that was not visited because no locator can look for the object."""
MAX_VISITS = 2
"""Maximum visits to a place where no image could be evaluated."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Visit to one place with its outcome; only NOT_IN_VIEW and COVERED are evidence of absence."""

    node_id: str
    outcome: str


@dataclass(frozen=True, slots=True)
class SearchEpisode:
    """Search episode for one term; bounded, because no candidate is searched twice."""

    term: str
    escalated: bool = False
    visits: tuple[Visit, ...] = ()
    near_misses: tuple[str, ...] = ()
    priors: tuple[str, ...] = ()
    found_id: str = ""

    @property
    def sighted(self) -> str:
        """Id of the place where the object was seen but could not be placed; "" if none."""
        return next((v.node_id for v in self.visits if v.outcome == SEEN_NOT_PLACED), "")

    @property
    def visited(self) -> frozenset[str]:
        """Ids of places that were searched, or visited often enough without an evaluated image."""
        times = Counter(visit.node_id for visit in self.visits)
        looked = {visit.node_id for visit in self.visits if visit.outcome not in BLIND}
        return frozenset(looked | {each for each, count in times.items() if count >= MAX_VISITS})

    def after_escalation(self) -> "SearchEpisode":
        """Return the episode after the default locator was asked, which happens once."""
        return replace(self, escalated=True)

    def after_visit(self, node_id: str, outcome: str) -> "SearchEpisode":
        """Return the episode with one more visit."""
        return replace(self, visits=(*self.visits, Visit(node_id, outcome)))

    def after_view(self, covered: frozenset[str]) -> "SearchEpisode":
        """Return the episode after a camera covered these places without finding the object there."""
        new = tuple(Visit(each, COVERED) for each in sorted(covered - self.visited))
        return replace(self, visits=(*self.visits, *new))

    def after_finding(self, node_id: str) -> "SearchEpisode":
        """Return the episode as ended by finding a node."""
        return replace(self, found_id=node_id)

    def reopened(self) -> "SearchEpisode":
        """Return the episode reopened, because the object is not where it was found."""
        return replace(self, found_id="", escalated=True)

    def hinted(self, near_misses: tuple[str, ...], priors: tuple[str, ...]) -> "SearchEpisode":
        """Return the episode with further hints of memory and the model, earlier hints first."""
        return replace(
            self,
            near_misses=tuple(dict.fromkeys((*self.near_misses, *near_misses))),
            priors=tuple(dict.fromkeys((*self.priors, *priors))),
        )


class CandidateKind(IntEnum):
    """Origin of a candidate, in the order of searching if nothing else is known."""

    NEAR_MISS = 0
    CONTAINER = 1
    PLACE = 2
    ROOM = 3
    UNEXPLORED = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """Node to search; ``must_open`` if closed, ``chance`` that the object is there."""

    node_id: str
    label: str
    kind: CandidateKind
    why: str
    must_open: bool = False
    chance: float = 0.0

    def words(self) -> str:
        """Return one line of the frontier as text."""
        closed = ", closed: will be opened" if self.must_open else ""
        return f"{self.node_id} ({self.label}): {self.why}{closed}"


class SearchCosts(BaseModel):
    """Costs of a visit besides driving, as equivalent driving distances [m]."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    looking: float = Field(
        default=2.0,
        gt=0.0,
        le=100.0,
        description="search cost of one detection, as an equivalent driving distance [m]",
    )
    opening: float = Field(
        default=10.0,
        ge=0.0,
        le=1000.0,
        description="search cost of opening and closing, as an equivalent driving distance [m]",
    )


_USUAL = SearchCosts()
OFTEN = 1.5
"""Probability from which a place is called a usual one, relative to the mean of all places [1]."""
_GROUPS: tuple[tuple[CandidateKind, ...], ...] = (
    (CandidateKind.CONTAINER, CandidateKind.PLACE),
    (CandidateKind.ROOM,),
    (CandidateKind.NEAR_MISS,),
)
"""Kinds of candidates among which one belief is divided."""
_REASONS = {CandidateKind.CONTAINER: "contents hidden", CandidateKind.PLACE: "not searched"}


def plan_active_search(
    graph: SceneGraph,
    episode: SearchEpisode,
    limit: int,
    start: Point | None = None,
    costs: SearchCosts = _USUAL,
    weights: BeliefWeights = DEFAULT_WEIGHTS,
    in_sight: frozenset[str] = frozenset(),
) -> tuple[Candidate, ...]:
    """Return the places to search next, best first.

    Near misses of memory come first, a look around in rooms comes last. Containers and places come in the
    order that minimises the expected time: by probability, driving distance and whether they must be opened.
    Nothing visited in this episode is repeated.

    Args:
        graph: Known part of the home.
        episode: The episode so far, with its hints.
        limit: Maximum number of candidates.
        start: Position of the robot in map [m], if known.
        costs: Costs of looking and opening.
        weights: Worth of each source of knowledge about the object's place.
        in_sight: Ids of places that can be searched from where the robot stands.
    """
    candidates = list_candidates(graph, episode, weights)
    near = [c for node in episode.near_misses for c in candidates if c.node_id == node]
    places = [c for c in candidates if c.kind in (CandidateKind.CONTAINER, CandidateKind.PLACE)]
    rooms = [c for c in candidates if c.kind is CandidateKind.ROOM]
    order = near
    for group in (places, rooms):
        start = graph.by_id[order[-1].node_id].pose.position if order else start
        order = order + order_candidates(graph, group, start, costs, in_sight if not order else frozenset())
    return tuple(order[:limit])


def list_candidates(
    graph: SceneGraph, episode: SearchEpisode, weights: BeliefWeights = DEFAULT_WEIGHTS
) -> list[Candidate]:
    """Return the nodes that may be searched and were not visited in this episode."""
    belongs = (Relation.IN_ROOM, Relation.PART_OF)
    rooms = {e.source: graph.by_id[e.target].label for e in graph.edges if e.relation in belongs}
    kinds = {node.id: kind for node in graph.nodes if (kind := kind_of(node, episode)) is not None}
    made = list[Candidate]()
    for group in _GROUPS:
        sites = {each: site_of(graph.by_id[each], rooms) for each, kind in kinds.items() if kind in group}
        chances = placement_chances(graph, sites, episode.term, episode.priors, weights)
        made += [
            candidate_at(graph.by_id[each], kinds[each], sites[each], chances, episode) for each in sites
        ]
    unvisited = (each for each in made if each.node_id not in episode.visited)
    return sorted(unvisited, key=lambda each: (each.kind, each.node_id))


def site_of(node: SceneNode, rooms: Mapping[str, str]) -> Site:
    """Return the names of a node and the label of its room."""
    room = node.label if node.kind is NodeKind.ROOM else rooms.get(node.id, "")
    return Site((node.label, *node.aliases), room)


def order_candidates(
    graph: SceneGraph,
    candidates: list[Candidate],
    start: Point | None,
    costs: SearchCosts,
    in_sight: frozenset[str] = frozenset(),
) -> list[Candidate]:
    """Order candidates by the expected time until the object is found."""
    ways, points = RouteLengths(graph), [graph.by_id[c.node_id].pose.position for c in candidates]
    stops = [SearchStop(c.chance, costs.looking + costs.opening * c.must_open) for c in candidates]
    driven = [start if start and c.node_id not in in_sight else None for c in candidates]
    first = [ways.between(way, point) if way else 0.0 for way, point in zip(driven, points, strict=True)]
    between = [[ways.between(point, other) for other in points] for point in points]
    return [candidates[index] for index in order_by_expected_time(stops, first, between)]


def candidate_at(
    node: SceneNode,
    kind: CandidateKind,
    site: Site,
    chances: Mapping[str, float],
    episode: SearchEpisode,
) -> Candidate:
    """Return the candidate that a node is."""
    closed = node.is_container and node.occludes_contents and node.opening is not Opening.OPEN
    named = rank_of((node.id, *site.names), site.room, episode.priors)
    if kind is CandidateKind.NEAR_MISS:
        why = "memory has a similar object there"
    elif named < len(episode.priors):
        why = f"{episode.priors[named]!r} is a likely place"
    elif chances[node.id] * len(chances) > OFTEN:
        why = "often kept here"
    else:
        why = _REASONS.get(kind, "look around")
    return Candidate(node.id, node.label, kind, why, closed, chances[node.id])


def kind_of(node: SceneNode, episode: SearchEpisode) -> CandidateKind | None:
    """Return the kind of candidate that a node is; None if there is nothing to search."""
    if node.id in episode.near_misses:
        return CandidateKind.NEAR_MISS
    if node.kind is not NodeKind.AGENT and node.is_container and node.occludes_contents:
        return CandidateKind.CONTAINER
    return {NodeKind.PLACE: CandidateKind.PLACE, NodeKind.ROOM: CandidateKind.ROOM}.get(node.kind)
