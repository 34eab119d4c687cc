"""Belief about the place of one object: the mean of a Dirichlet posterior over the places of a home.

The same belief, without what was told, says where the objects of a home belong.

Every source of knowledge counts as a number of observations: the commonsense prior of the object's kind, the
list of likely places that came with the query, similar objects seen in this home, and a flat part shared by
all places alike. Where nothing is known only the flat part is left, and all places are equally likely.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from openral_core.spatial_memory import NodeKind, Relation, SceneGraph, SceneNode
from openral_core.text import TermRelation, Thesaurus, UnreadableText
from openral_core.text.terms import normalize_term
from openral_reasoner.likely_places.prior import Site, shipped_prior


@dataclass(frozen=True, slots=True)
class BeliefWeights:
    """Worth of each source of knowledge, as numbers of observations [1]."""

    flat: float = 3.0  # Shared by all places alike.
    prior: float = 1.0  # Factor of the counts of the commonsense prior.
    opinion: float = 10.0  # The list of likely places as a whole.
    # The only place of that list: that is how a goal such as "the mug on the desk" is told.
    statement: float = 60.0
    rank: float = 0.6  # Worth of each entry of that list, relative to the one before.
    same: float = 4.0  # One object of the same name, remembered at a place.
    similar: float = 1.0  # One object of a similar name or of the same kind, remembered at a place.


DEFAULT_WEIGHTS = BeliefWeights()
Chances = Mapping[str, float]


def placement_chances(
    graph: SceneGraph,
    sites: Mapping[str, Site],
    term: str,
    likely: tuple[str, ...] = (),
    weights: BeliefWeights = DEFAULT_WEIGHTS,
) -> Chances:
    """Return the probability of each place (by node id) that an object is there, given that it is at one.

    Args:
        graph: Remembered objects with their places.
        sites: Every place of the home, searched or not.
        term: Name of the object.
        likely: Opinion of a model or an operator: places, best first.
        weights: Worth of each source.
    """
    counts = dict.fromkeys(sites, weights.flat / max(1, len(sites)))
    placed = shipped_prior().place(term)
    if placed is not None:
        frequencies = {each: shipped_prior().frequency(placed.name, site) for each, site in sites.items()}
        _add(counts, frequencies, weights.prior * placed.counts)
    value = weights.statement if len(likely) == 1 else weights.opinion
    _add(counts, _opinion(sites, likely, weights.rank), value)
    for each, worth in _remembered(graph, sites, term, weights).items():
        counts[each] += worth
    total = sum(counts.values())
    return {each: count / total for each, count in counts.items()}


def _add(counts: dict[str, float], shares: Mapping[str, float], worth: float) -> None:
    """Divide ``worth`` observations among places in proportion to their shares."""
    total = sum(shares.values())
    for each, share in shares.items():
        counts[each] += worth * share / total


def _opinion(sites: Mapping[str, Site], likely: tuple[str, ...], rank: float) -> Mapping[str, float]:
    """Return the share of every place that the list names; places of one rank divide it."""
    ranks = {each: rank_of((each, *site.names), site.room, likely) for each, site in sites.items()}
    sharing = Counter(ranks.values())
    return {each: rank**at / sharing[at] for each, at in ranks.items() if at < len(likely)}


def rank_of(names: tuple[str, ...], room: str, likely: tuple[str, ...]) -> int:
    """Return the index of the first likely place that means this place or its room, else ``len(likely)``."""
    own = {normalize_term(name) for name in names} - {""}
    heads = {name.split()[-1] for name in own}
    meanings = (
        own | heads | {f"{normalize_term(room)} {head}" for head in heads} | {normalize_term(room)} - {""}
    )
    return next((i for i, place in enumerate(likely) if normalize_term(place) in meanings), len(likely))


_AT = frozenset({Relation.AT_PLACE, Relation.IN, Relation.ON, Relation.IN_ROOM})


def _remembered(
    graph: SceneGraph, sites: Mapping[str, Site], term: str, weights: BeliefWeights
) -> Mapping[str, float]:
    """Return the worth of the objects remembered at each place."""
    weight_of = {"same": weights.same, "similar": weights.similar, "": 0.0}
    places = {(e.source, e.target) for e in graph.edges if e.relation in _AT and e.target in sites}
    worth: Counter[str] = Counter()
    for source, place in places:
        node = graph.by_id[source]
        if node.kind is NodeKind.OBJECT:
            worth[place] += weight_of[likeness(term, node.label)]  # type: ignore[assignment]
    return worth


@lru_cache(1 << 14)
def likeness(term: str, label: str) -> str:
    """Return "same" or "similar" if two objects are kept together, else ""."""
    try:
        relation = thesaurus().relation(term, label)
    except UnreadableText:
        return ""
    if relation.is_hit or relation is TermRelation.BROADER:
        return "same"
    placed, other = shipped_prior().place(term), shipped_prior().place(label)
    alike = placed is not None and other is not None and placed.name == other.name
    return "similar" if alike else ""


thesaurus = lru_cache(1)(Thesaurus.load)


def is_household_noun(words: str) -> bool:
    """Return True if the thesaurus or the prior knows what these words name."""
    try:
        return thesaurus().knows(words) or shipped_prior().place(words) is not None
    except UnreadableText:
        return False


def is_drink(words: str) -> bool:
    """Return True if the thesaurus knows these words as a drink."""
    try:
        return thesaurus().relation("drink", words).is_hit
    except UnreadableText:
        return False


KEPT = 0.8
"""Probability of a place, relative to that of the best one, from which an object belongs there too [1]."""


USUAL = 3.0
"""Probability of a place, relative to the mean of all places, from which an object may stay there [1]."""


@dataclass(frozen=True, slots=True)
class Belonging:
    """Remembered object, its place ("" if it is at none) and the places where it belongs, best first.

    ``belongs_at`` is empty if nothing is known about such objects; ``usual`` if many are kept where it is.
    """

    node: SceneNode
    place: str
    belongs_at: tuple[str, ...]
    usual: bool = False

    @property
    def misplaced(self) -> bool:
        """True if it belongs somewhere, and neither there nor at another usual place."""
        return bool(self.belongs_at) and self.place not in self.belongs_at and not self.usual


def belongings(
    graph: SceneGraph, sites: Mapping[str, Site], weights: BeliefWeights = DEFAULT_WEIGHTS
) -> tuple[Belonging, ...]:
    """Return where each remembered object is and belongs.

    The home's history counts only as far as it agrees with the prior: objects that lie about are no evidence
    that others belong there.

    Args:
        graph: Remembered objects with their places.
        sites: Places where objects may be put down, by node id.
        weights: Worth of each source.
    """
    objects = graph.of_kind(NodeKind.OBJECT)
    at = {e.source: e.target for e in graph.edges if e.relation is Relation.AT_PLACE}
    alone, fixed = replace(weights, same=0.0, similar=0.0), SceneGraph()
    usual = {node.id: keeping_places(fixed, sites, node.label, alone) for node in objects}
    tidy = {each for each, places in usual.items() if at.get(each) in places}
    nodes = tuple(node for node in graph.nodes if node.kind is not NodeKind.OBJECT or node.id in tidy)
    ids = {node.id for node in nodes}
    history = SceneGraph(nodes, tuple(e for e in graph.edges if {e.source, e.target} <= ids))
    return tuple(_belonging(node, at.get(node.id, ""), history, sites, weights) for node in objects)


def _belonging(
    node: SceneNode, place: str, history: SceneGraph, sites: Mapping[str, Site], weights: BeliefWeights
) -> Belonging:
    if not sites or shipped_prior().place(node.label) is None:
        return Belonging(node, place, ())
    chances = placement_chances(history, sites, node.label, (), weights)
    return Belonging(node, place, _likeliest(chances), chances.get(place, 0.0) * len(sites) >= USUAL)


def keeping_places(
    history: SceneGraph, sites: Mapping[str, Site], term: str, weights: BeliefWeights = DEFAULT_WEIGHTS
) -> tuple[str, ...]:
    """Return the places where an object is kept, best first; none if its kind is unknown."""
    if not sites or shipped_prior().place(term) is None:
        return ()
    return _likeliest(placement_chances(history, sites, term, (), weights))


def _likeliest(chances: Chances) -> tuple[str, ...]:
    best = max(chances.values())
    return tuple(
        sorted((e for e in chances if chances[e] >= KEPT * best), key=lambda each: (-chances[each], each))
    )
