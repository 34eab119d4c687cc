"""The evidence log of a mission: what skills, looks and memory answered, never what the model said."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from openral_core.skills import SkillStatus, Verb
from openral_reasoner.search.progress import normalize_term

CARRIED = "(carried)"
"""Stands for the id of what the robot held before the mission's first skill."""
WORDS_KEPT = 20
"""Facts that a report shows at most, the newest."""
_LABEL_SHOWN = 80


class Source(StrEnum):
    """Who answered a query for an object."""

    LOOK = "a look"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the scene graph as a peer described it; ``within`` are ids of its place and containers."""

    id: str
    label: str = ""
    kind: str = "object"
    room: str = ""
    within: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """For a report; a label is data and is quoted."""
        same = self.label.replace(" ", "_").casefold() in (self.id.casefold(), "")
        return self.id if same else f"{self.id} ({self.label[:_LABEL_SHOWN]!r})"


@dataclass(frozen=True, slots=True)
class Acted:
    """One skill goal ended; ``receiver`` is the agent that a hand-over served, by the skill's own word."""

    verb: Verb
    target: Node
    status: SkillStatus
    receiver: str = ""
    drove: bool = False

    @property
    def words(self) -> str:
        """For a report."""
        return f"{self.verb.value} {self.target.words}: {self.status.name}"


@dataclass(frozen=True, slots=True)
class Answered:
    """A query for an object was answered with these nodes; none when it was seen and could not be placed."""

    source: Source
    query: str
    nodes: tuple[Node, ...] = ()

    @property
    def words(self) -> str:
        """For a report."""
        found = ", ".join(node.words for node in self.nodes) or "it, not placed in the map"
        verb = "saw" if self.source is Source.LOOK else "has"
        return f"{self.source.value} for {self.query[:_LABEL_SHOWN]!r} {verb} {found}"


@dataclass(frozen=True, slots=True)
class Referred:
    """Memory said which nodes a reference means; several when it is ambiguous."""

    reference: str
    ids: tuple[str, ...]

    @property
    def words(self) -> str:
        """For a report."""
        return f"memory resolves {self.reference[:_LABEL_SHOWN]!r} to {', '.join(self.ids)}"


@dataclass(frozen=True, slots=True)
class Same:
    """A look from close by has shown that two ids are one object."""

    first: str
    second: str

    @property
    def words(self) -> str:
        """For a report."""
        return f"{self.first} is {self.second}"


@dataclass(frozen=True, slots=True)
class Gone:
    """A look has shown that an object is not where it was said to be."""

    id: str

    @property
    def words(self) -> str:
        """For a report."""
        return f"a look at the place of {self.id} did not see it"


Fact = Acted | Answered | Referred | Same | Gone


@dataclass(frozen=True, slots=True)
class Evidence:
    """Facts in the order they were learned.

    ``carried`` is the label of what was held before; ``conclusion`` is what the end of the mission rests on.
    """

    facts: tuple[Fact, ...] = ()
    carried: str = ""
    conclusion: tuple[str, ...] = ()

    def after(self, fact: Fact) -> "Evidence":
        """The log with one more fact."""
        return replace(self, facts=(*self.facts, fact))

    def begun(self, holding: str) -> "Evidence":
        """The log when a skill begins; before the first one the robot tells what it holds already."""
        acted = any(isinstance(fact, Acted) for fact in self.facts)
        return self if acted else replace(self, carried=holding)

    def concluded(self, proofs: tuple[str, ...]) -> "Evidence":
        """The log when the mission ends, by these proofs or else by the newest facts."""
        return replace(self, conclusion=proofs or self.words())

    def words(self) -> tuple[str, ...]:
        """The newest facts for a report."""
        return tuple(dict.fromkeys(fact.words for fact in self.facts))[-WORDS_KEPT:]

    def ids_of(self, node_id: str) -> frozenset[str]:
        """Every id this object has had."""
        known = {node_id}
        pairs = [{fact.first, fact.second} for fact in self.facts if isinstance(fact, Same)]
        while grown := [pair for pair in pairs if pair & known and not pair <= known]:
            known.update(*grown)
        return frozenset(known)

    def names_of(self, node_id: str) -> frozenset[str]:
        """What peers call an object: its labels, and the queries they answered with it."""
        if node_id == CARRIED:
            return frozenset({self.carried})
        ids = self.ids_of(node_id)
        return frozenset(name for fact in self.facts for name in _names(fact, ids) if name)

    def resolved(self, reference: str) -> frozenset[str] | None:
        """The nodes a reference means; None when memory was not asked or knows none."""
        key = normalize_term(reference)
        asked = [
            fact
            for fact in self.facts
            if isinstance(fact, Referred) and normalize_term(fact.reference) == key
        ]
        return frozenset(asked[-1].ids) if asked else None


def _names(fact: Fact, ids: frozenset[str]) -> Iterable[str]:
    if isinstance(fact, Acted):
        return (fact.target.label,) if fact.target.id in ids else ()
    if isinstance(fact, Answered):
        labels = tuple(node.label for node in fact.nodes if node.id in ids)
        return (*labels, fact.query) if labels else ()
    if isinstance(fact, Referred):
        return (fact.reference,) if len(fact.ids) == 1 and fact.ids[0] in ids else ()
    return ()
