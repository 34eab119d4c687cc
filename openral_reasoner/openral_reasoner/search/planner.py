"""Rank the candidates of an active search."""

from collections import Counter
from dataclasses import dataclass
from enum import IntEnum

from pydantic import BaseModel, ConfigDict, Field

from openral_core.spatial_memory import NodeKind, Opening, Relation, SceneGraph, SceneNode
from openral_reasoner.search.ordering import Point, RouteLengths, SearchStop, order_by_expected_time
from openral_reasoner.search.progress import SearchProgress, normalize_term


class CandidateKind(IntEnum):
    """Origin of a candidate, in the order of searching if nothing else is known."""

    NEAR_MISS = 0
    CONTAINER = 1
    PLACE = 2
    ROOM = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """Node to search; ``must_open`` if a closed door hides its contents."""

    node_id: str
    label: str
    kind: CandidateKind
    why: str
    room: str = ""
    must_open: bool = False

    def words(self) -> str:
        """Return one line of the frontier as text."""
        closed = ", closed: will be opened" if self.must_open else ""
        return f"{self.node_id} ({self.label}): {self.why}{closed}"


class SearchCosts(BaseModel):
    """Costs of a visit besides driving, as equivalent driving distances [m]."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    looking: float = Field(default=2.0, gt=0.0, description="turning to a place and looking [m]")
    opening: float = Field(default=10.0, ge=0.0, description="opening and closing a door beside it [m]")


LIKELY = 0.6
"""Probability of each further prior, relative to the one before it [1]."""
ODD = 0.2
"""Probability that the object is at none of the places that priors name [1]."""
COMMON = {CandidateKind.CONTAINER: 1.5, CandidateKind.PLACE: 1.0, CandidateKind.ROOM: 1.0}
"""Relative probability of places that no prior names, by kind [1]."""
_USUAL = SearchCosts()


def plan_active_search(
    graph: SceneGraph,
    progress: SearchProgress,
    limit: int,
    start: Point | None = None,
    costs: SearchCosts = _USUAL,
) -> tuple[Candidate, ...]:
    """Return the places to search next, best first.

    Near misses of memory come first, a look around in rooms comes last. Containers and places come in the
    order that minimises the expected time: by probability, driving distance and whether they must be opened.
    Nothing visited in this episode is repeated.

    Args:
        graph: Known part of the home.
        progress: The episode so far, with its hints.
        limit: Maximum number of candidates.
        start: Position of the robot in map [m], if known.
        costs: Costs of looking and opening.
    """
    found = _candidates(graph, progress)
    near = [c for node in progress.near_misses for c in found if c.node_id == node]
    places = [c for c in found if c.kind in (CandidateKind.CONTAINER, CandidateKind.PLACE)]
    rooms = [c for c in found if c.kind is CandidateKind.ROOM]
    order = near
    for group in (places, rooms):
        start = graph.by_id[order[-1].node_id].pose.position if order else start
        order = order + _ranked(graph, group, progress, start, costs)
    return tuple(order[:limit])


def _candidates(graph: SceneGraph, progress: SearchProgress) -> list[Candidate]:
    rooms = _room_labels(graph)
    nodes = (node for node in graph.nodes if node.id not in progress.visited)
    made = (_candidate(node, progress, rooms.get(node.id, "")) for node in nodes)
    return sorted((c for c in made if c is not None), key=lambda each: (each.kind, each.node_id))


def _ranked(
    graph: SceneGraph,
    candidates: list[Candidate],
    progress: SearchProgress,
    start: Point | None,
    costs: SearchCosts,
) -> list[Candidate]:
    ways, points = RouteLengths(graph), [graph.by_id[c.node_id].pose.position for c in candidates]
    effort = [costs.looking + costs.opening * c.must_open for c in candidates]
    chances = _chances(graph, candidates, progress)
    stops = [SearchStop(chance, cost) for chance, cost in zip(chances, effort, strict=True)]
    first = [ways.between(start, point) if start else 0.0 for point in points]
    between = [[ways.between(point, other) for other in points] for point in points]
    return [candidates[index] for index in order_by_expected_time(stops, first, between)]


def _chances(graph: SceneGraph, candidates: list[Candidate], progress: SearchProgress) -> list[float]:
    """Split each prior's probability among the places it names, and ``ODD`` among the others."""
    ranks = [_prior(graph.by_id[c.node_id], c.room, progress.priors) for c in candidates]
    sharing, unnamed = Counter(ranks), len(progress.priors)
    named = sum(LIKELY**rank for rank in sharing if rank < unnamed)
    common = sum(COMMON[c.kind] for c, rank in zip(candidates, ranks, strict=True) if rank == unnamed)
    return [
        (1.0 - ODD) * LIKELY**rank / sharing[rank] / named
        if rank < unnamed
        else ODD * COMMON[candidate.kind] / common
        for candidate, rank in zip(candidates, ranks, strict=True)
    ]


def _room_labels(graph: SceneGraph) -> dict[str, str]:
    belongs = (Relation.IN_ROOM, Relation.PART_OF)
    return {e.source: graph.by_id[e.target].label for e in graph.edges if e.relation in belongs}


def _candidate(node: SceneNode, progress: SearchProgress, room: str) -> Candidate | None:
    kind = _kind(node, progress)
    if kind is None:
        return None
    closed = node.is_container and node.occludes_contents and node.opening is not Opening.OPEN
    return Candidate(node.id, node.label, kind, _why(node, kind, progress, room), room, closed)


def _kind(node: SceneNode, progress: SearchProgress) -> CandidateKind | None:
    if node.id in progress.near_misses:
        return CandidateKind.NEAR_MISS
    if node.kind is not NodeKind.AGENT and node.is_container and node.occludes_contents:
        return CandidateKind.CONTAINER
    return {NodeKind.PLACE: CandidateKind.PLACE, NodeKind.ROOM: CandidateKind.ROOM}.get(node.kind)


def _why(node: SceneNode, kind: CandidateKind, progress: SearchProgress, room: str) -> str:
    if kind is CandidateKind.NEAR_MISS:
        return "memory has a similar object there"
    prior = _prior(node, room, progress.priors)
    if prior < len(progress.priors):
        return f"{progress.priors[prior]!r} is a likely place"
    reasons = {CandidateKind.CONTAINER: "its contents are hidden", CandidateKind.PLACE: "not searched yet"}
    return reasons.get(kind, "look around")


def _prior(node: SceneNode, room: str, priors: tuple[str, ...]) -> int:
    """Return the index of the first prior that names this node or its room, else ``len(priors)``."""
    names = {normalize_term(name) for name in (node.id, node.label, *node.aliases)} - {""}
    heads = {name.split()[-1] for name in names}
    known = (
        names | heads | {f"{normalize_term(room)} {head}" for head in heads} | {normalize_term(room)} - {""}
    )
    return next((i for i, prior in enumerate(priors) if normalize_term(prior) in known), len(priors))
