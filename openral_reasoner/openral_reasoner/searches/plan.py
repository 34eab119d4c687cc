"""The ranked frontier of an active search."""

from math import dist

from openral_core.scene_graph import NodeKind, Opening, Relation, SceneGraph, SceneNode
from openral_reasoner.searches.candidates import Candidate, CandidateKind
from openral_reasoner.searches.progress import SearchProgress
from openral_reasoner.searches.terms import term_key

_SearchKey = tuple[int, float, str]
_Point = tuple[float, float, float]
LIKELY = 0.6
"""How much less likely each next prior is."""
COST_OF_LOOKING = 3.0
"""What opening and looking cost, as a way driven [m]."""


def plan_active_search(
    graph: SceneGraph, progress: SearchProgress, limit: int, start: _Point | None = None
) -> tuple[Candidate, ...]:
    """Where to look next, best first.

    Near misses of memory come first, then what priors name, the likeliest for its way first, then
    occluding containers, places and rooms, nearer ones first. Nothing visited in this episode comes again.

    Source: the ratio rule of discrete search (Stone, Theory of Optimal Search, 1975, ch. 4).

    Args:
        graph: What is known of the home.
        progress: The episode so far, with its hints.
        limit: At most so many candidates.
        start: Where the robot stands in map [m], when known.
    """
    rooms = _room_labels(graph)
    ranked = []
    for node in graph.nodes:
        candidate = _candidate(node, progress, rooms.get(node.id, ""))
        if candidate is not None and node.id not in progress.visited:
            ranked.append((_rank(node, candidate, progress, start), candidate))
    return tuple(candidate for _, candidate in sorted(ranked, key=lambda each: each[0])[:limit])


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


def _rank(
    node: SceneNode, candidate: Candidate, progress: SearchProgress, start: _Point | None
) -> _SearchKey:
    """Near misses, then what priors name by chance per way, then containers, places and rooms by way."""
    if candidate.kind is CandidateKind.NEAR_MISS:
        return (0, progress.near_misses.index(node.id), node.id)
    way = dist(node.pose.position[:2], start[:2]) if start else 0.0
    prior = _prior(node, candidate.room, progress.priors)
    if prior < len(progress.priors):
        return (1, -(LIKELY**prior) / (way + COST_OF_LOOKING), node.id)
    return (1 + candidate.kind, way, node.id)


def _prior(node: SceneNode, room: str, priors: tuple[str, ...]) -> int:
    """Index of the first prior that names this node, else how many priors there are."""
    names = {term_key(name) for name in (node.id, node.label, *node.aliases)} - {""}
    heads = {name.split()[-1] for name in names}
    known = names | heads | {f"{term_key(room)} {head}" for head in heads}
    return next((i for i, prior in enumerate(priors) if term_key(prior) in known), len(priors))
