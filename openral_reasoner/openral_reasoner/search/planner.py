"""The ranked frontier of an active search."""
# MERGED One place that may hold what is looked for.
# MERGED What a search takes beside driving.

from collections import Counter
from dataclasses import dataclass
from enum import IntEnum

from pydantic import BaseModel, ConfigDict, Field

from openral_core.scene_graph import NodeKind, Opening, Relation, SceneGraph, SceneNode
from openral_reasoner.search.ordering import Point, RouteLengths, SearchStop, order_by_expected_time
from openral_reasoner.search.progress import SearchProgress, normalize_term


class CandidateKind(IntEnum):
    """Where a candidate comes from, in the order of looking when nothing else is known."""

    NEAR_MISS = 0
    CONTAINER = 1
    PLACE = 2
    ROOM = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node to look at; ``must_open`` when a closed door hides what is inside."""

    node_id: str
    label: str
    kind: CandidateKind
    why: str
    room: str = ""
    must_open: bool = False

    def words(self) -> str:
        """One line of the frontier."""
        closed = ", closed: will be opened" if self.must_open else ""
        return f"{self.node_id} ({self.label}): {self.why}{closed}"


class SearchCosts(BaseModel):
    """Each as a way that could be driven instead [m]."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    looking: float = Field(default=2.0, gt=0.0, description="turning to a place and looking [m]")
    opening: float = Field(default=10.0, ge=0.0, description="opening and closing a door beside it [m]")


LIKELY = 0.6
"""How likely each next prior is, beside the one before."""
ODD = 0.2
"""How likely it is none of the places that priors name."""
COMMON = {CandidateKind.CONTAINER: 1.5, CandidateKind.PLACE: 1.0, CandidateKind.ROOM: 1.0}
"""How likely the places are, one beside another, that no prior names."""
_USUAL = SearchCosts()


def plan_active_search(
    graph: SceneGraph,
    progress: SearchProgress,
    limit: int,
    start: Point | None = None,
    costs: SearchCosts = _USUAL,
) -> tuple[Candidate, ...]:
    """Where to look next, best first.

    Near misses of memory come first, a look around in rooms comes last. Containers and places come in the
    order that finds it soonest on average: by how likely each is, how far it is to drive and whether it
    has to be opened. Nothing visited in this episode comes again.

    Args:
        graph: What is known of the home.
        progress: The episode so far, with its hints.
        limit: At most so many candidates.
        start: Where the robot stands in map [m], when known.
        costs: Of looking and opening.
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
    """What a prior promises is shared by all that it names; what none names shares the odd rest."""
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
        return "memory has something similar there"
    prior = _prior(node, room, progress.priors)
    if prior < len(progress.priors):
        return f"{progress.priors[prior]!r} is a likely place"
    reasons = {CandidateKind.CONTAINER: "hides its contents", CandidateKind.PLACE: "not looked at yet"}
    return reasons.get(kind, "a look around")


def _prior(node: SceneNode, room: str, priors: tuple[str, ...]) -> int:
    """Index of the first prior that names this node or its room, else how many priors there are."""
    names = {normalize_term(name) for name in (node.id, node.label, *node.aliases)} - {""}
    heads = {name.split()[-1] for name in names}
    known = (
        names | heads | {f"{normalize_term(room)} {head}" for head in heads} | {normalize_term(room)} - {""}
    )
    return next((i for i, prior in enumerate(priors) if normalize_term(prior) in known), len(priors))
