"""A case to judge: the evidence, what is known of the home, and what the words of a goal refer to in them.

The words for an object are a query, as of a recall; those for a place, room or person are a reference, as of
a resolve.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from openral_core.text.terms import answers, normalize_term
from openral_reasoner.evidence import Answered, Course, Evidence, Node
from openral_reasoner.palette.entries import ControlEntry, PlaceEntry

ME = "me"


@dataclass(frozen=True, slots=True)
class KnownHome:
    """Requester, known places, people and controls, and the containers that hide their contents.

    ``referents`` are the ids of objects that the operator points at, by the term of the goal.
    """

    requester: str = ""
    places: tuple[PlaceEntry, ...] = ()
    occluding: frozenset[str] = frozenset()
    controls: tuple[ControlEntry, ...] = ()
    referents: Mapping[str, str] = field(default_factory=dict)

    def entry(self, node_id: str) -> PlaceEntry | None:
        """Return the place, room or person with this id."""
        return next((each for each in self.places if each.id == node_id), None)

    def node(self, node_id: str) -> Node:
        """Return the entry as a node; without a name if it is unknown."""
        entry = self.entry(node_id)
        return Node(entry.id, entry.label, entry.kind.value, entry.room) if entry else Node(node_id)


@dataclass(frozen=True)
class Case:
    """Evidence and home by which a goal is judged; ``course`` are the effects of the evidence."""

    evidence: Evidence
    home: KnownHome

    @cached_property
    def course(self) -> Course:
        """Accumulated effects of the facts."""
        return Course.of(self.evidence)

    def is_same_object(self, first: str, second: str) -> bool:
        """Return True if both ids are one object."""
        return second in self.evidence.ids_of(first)

    def matches_query(self, node_id: str, *queries: str) -> bool:
        """Return True if an object is what one of the queries asks for.

        For what the operator points at, its id alone counts.
        """
        if node_id in queries:
            return True
        names = self.evidence.names_of(node_id)
        for query in queries:
            referent = self.home.referents.get(normalize_term(query), "")
            if referent and self.is_same_object(referent, node_id):
                return True
            if not referent and any(answers(query, name) for name in names):
                return True
        return False

    def matches_reference(self, node: Node, reference: str) -> bool:
        """Return True if a place, room, person or object is meant; memory's answer has priority."""
        resolved_ids = self.evidence.resolved(reference)
        if resolved_ids is not None:
            return bool(resolved_ids & self.evidence.ids_of(node.id))
        if reference == ME:
            reference = self.home.requester
        if node.id == reference:
            return True
        named = [each.id for each in self.home.places if each.answers_to(reference)]
        if named or not reference:
            return node.id in named
        entry = self.home.entry(node.id)
        if entry is None or normalize_term(reference) in self.home.referents:
            return self.matches_query(node.id, reference)
        return any(answers(reference, name) for name in (entry.label, *entry.aliases))

    def is_within(self, node: Node, reference: str) -> bool:
        """Return True if a node is what is meant, or lies in, on or at it."""
        around = [node.room, *node.within, self.home.node(node.id).room]
        around += [self.home.node(each).room for each in node.within]
        return self.matches_reference(node, reference) or any(
            self.matches_reference(self.home.node(each), reference) for each in around if each
        )

    def is_wrong_one(self, node_id: str, query: str, place: str) -> bool:
        """Return True if another such object is at the stated place, and this one is not."""
        reports = self.described_nodes()
        own = [node for node in reports if self.is_same_object(node_id, node.id)]
        if not place or any(self.is_within(node, place) for node in own):
            return False
        last = {node.id: node for node in reports if not self.is_same_object(node_id, node.id)}
        return any(
            self.matches_query(each.id, query) and self.is_within(each, place) for each in last.values()
        )

    def described_nodes(self) -> list[Node]:
        """Return the nodes that memory and detectors described, in order."""
        return [node for fact in self.evidence.facts if isinstance(fact, Answered) for node in fact.nodes]


@dataclass(frozen=True, slots=True)
class GoalVerdict:
    """Proof of a goal, else what is missing and the remedy.

    ``recall``, ``resolve`` and ``look`` are read-only questions whose answers may settle it.
    """

    proofs: tuple[str, ...] = ()
    missing: str = ""
    remedy: str = ""
    recall: tuple[str, ...] = ()
    resolve: tuple[str, ...] = ()
    look: str = ""

    @property
    def proven(self) -> bool:
        """True if nothing is missing."""
        return not self.missing

    @classmethod
    def of_all(cls, parts: Iterable["GoalVerdict"]) -> "GoalVerdict":
        """Combine the verdicts of parts that are all needed."""
        verdicts = tuple(parts)
        unproven = [each for each in verdicts if not each.proven]
        return cls(
            proofs=tuple(dict.fromkeys(proof for each in verdicts for proof in each.proofs)),
            missing="; ".join(each.missing for each in unproven),
            remedy="; ".join(each.remedy for each in unproven),
            recall=tuple(dict.fromkeys(query for each in unproven for query in each.recall)),
            resolve=tuple(dict.fromkeys(reference for each in unproven for reference in each.resolve)),
            look=next((each.look for each in unproven if each.look), ""),
        )
