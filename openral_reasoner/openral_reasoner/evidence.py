"""Evidence log of a mission: replies of skills, detectors and memory, never claims of the model.

It includes the effects of skills: held, released and poured objects, doors, and the robot's place.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from openral_core.skills import SkillStatus, Verb
from openral_core.text.terms import normalize_term

CARRIED = "(carried)"
"""Placeholder id of the object held before the mission's first skill."""
WORDS_KEPT = 20
"""Maximum number of facts in a report, the newest."""
_LABEL_SHOWN = 80
"""Longest label or query in a report [characters]."""


class Source(StrEnum):
    """Source of an answer to a query for an object."""

    LOOK = "a detector"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Node:
    """Scene graph node as a peer described it; ``within`` are ids of its place and containers."""

    id: str
    label: str = ""
    kind: str = "object"
    room: str = ""
    within: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Text for a report; the label is data and therefore quoted."""
        same = self.label.replace(" ", "_").casefold() in (self.id.casefold(), "")
        return self.id if same else f"{self.id} ({self.label[:_LABEL_SHOWN]!r})"


@dataclass(frozen=True, slots=True)
class Acted:
    """Ended skill goal; ``receiver`` of the object, and ``state`` of what was switched, as the skill reports.

    A goal that is not ``verified`` proves nothing: its skill says that it ended, not that it was reached.
    """

    verb: Verb
    target: Node
    status: SkillStatus
    receiver: str = ""
    drove: bool = False
    verified: bool = True
    state: str = ""

    @property
    def succeeded(self) -> bool:
        """True if the goal was reached."""
        return self.verified and self.status is SkillStatus.SUCCEEDED

    @property
    def words(self) -> str:
        """Text for a report."""
        unproved = "" if self.verified else ", not verified"
        state = f" ({self.state})" if self.state else ""
        return f"{self.verb.value} {self.target.words}: {self.status.name}{state}{unproved}"


@dataclass(frozen=True, slots=True)
class Answered:
    """Answer to a query for an object; without nodes if it was seen but could not be placed."""

    source: Source
    query: str
    nodes: tuple[Node, ...] = ()

    @property
    def words(self) -> str:
        """Text for a report."""
        names = ", ".join(node.words for node in self.nodes) or "it, but could not place it in the map"
        verb = "saw" if self.source is Source.LOOK else "has"
        return f"{self.source.value} asked for {self.query[:_LABEL_SHOWN]!r} {verb} {names}"


@dataclass(frozen=True, slots=True)
class Referred:
    """Reference resolved by memory; several ids if it is ambiguous."""

    reference: str
    ids: tuple[str, ...]

    @property
    def words(self) -> str:
        """Text for a report."""
        return f"memory resolves {self.reference[:_LABEL_SHOWN]!r} to {', '.join(self.ids)}"


@dataclass(frozen=True, slots=True)
class Same:
    """Two ids that a detection from close by showed to be one object."""

    first: str
    second: str

    @property
    def words(self) -> str:
        """Text for a report."""
        return f"{self.first} is {self.second}"


@dataclass(frozen=True, slots=True)
class Listed:
    """Objects that memory has within a place or room ("" for the home); ``misplaced`` are ids of them."""

    within: str
    nodes: tuple[Node, ...] = ()
    misplaced: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Text for a report."""
        out = f": {', '.join(self.misplaced)}" if self.misplaced else ""
        where = self.within or "the home"
        return f"memory has {len(self.nodes)} objects in {where}, {len(self.misplaced)} out of place{out}"


@dataclass(frozen=True, slots=True)
class Gone:
    """Object that a detector did not see at its reported place."""

    id: str

    @property
    def words(self) -> str:
        """Text for a report."""
        return f"a detector did not see {self.id} at its place"


@dataclass(frozen=True, slots=True)
class Stated:
    """States of a node that memory has, or has noted now; none if it knows none."""

    node: Node
    values: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Text for a report."""
        return f"memory has {self.node.words} as {', '.join(self.values) or 'of no known state'}"


@dataclass(frozen=True, slots=True)
class Compared:
    """Nodes ordered by a measure that memory has of them; a distance is from ``near``, "" for the robot."""

    measure: str
    nodes: tuple[Node, ...]
    near: str = ""

    @property
    def words(self) -> str:
        """Text for a report."""
        near = f" from {self.near}" if self.near else ""
        return f"memory orders by {self.measure}{near}: {', '.join(node.words for node in self.nodes)}"


Fact = Acted | Answered | Listed | Compared | Referred | Same | Gone | Stated


@dataclass(frozen=True, slots=True)
class Evidence:
    """Log of facts in the order they were learned.

    ``carried`` is the label of an object held before the mission; ``conclusion`` is the basis of its ending.
    """

    facts: tuple[Fact, ...] = ()
    carried: str = ""
    conclusion: tuple[str, ...] = ()

    def after(self, fact: Fact) -> "Evidence":
        """Return the log with one more fact."""
        return replace(self, facts=(*self.facts, fact))

    def with_carried(self, holding: str) -> "Evidence":
        """Return the log at the start of a skill; before the first one the held object is recorded."""
        acted = any(isinstance(fact, Acted) for fact in self.facts)
        return self if acted else replace(self, carried=holding)

    def with_conclusion(self, proofs: tuple[str, ...]) -> "Evidence":
        """Return the log at the end of the mission, with these proofs or else the newest facts."""
        return replace(self, conclusion=proofs or self.words())

    def words(self) -> tuple[str, ...]:
        """Return the newest facts as text."""
        return tuple(dict.fromkeys(fact.words for fact in self.facts))[-WORDS_KEPT:]

    def ids_of(self, node_id: str) -> frozenset[str]:
        """Return every id known for this object."""
        ids = {node_id}
        pairs = [{fact.first, fact.second} for fact in self.facts if isinstance(fact, Same)]
        while grown := [pair for pair in pairs if pair & ids and not pair <= ids]:
            ids.update(*grown)
        return frozenset(ids)

    def names_of(self, node_id: str) -> frozenset[str]:
        """Return an object's names: its labels, and the queries that were answered with it."""
        if node_id == CARRIED:
            return frozenset({self.carried})
        ids = self.ids_of(node_id)
        return frozenset(name for fact in self.facts for name in names_in(fact, ids) if name)

    def resolved(self, reference: str) -> frozenset[str] | None:
        """Return the nodes a reference means; None if memory was not asked or knows none."""
        key = normalize_term(reference)
        references = [
            fact
            for fact in self.facts
            if isinstance(fact, Referred) and normalize_term(fact.reference) == key
        ]
        return frozenset(references[-1].ids) if references else None


def looked_at(evidence: Evidence) -> frozenset[str]:
    """Return the ids that the camera faced in this mission."""
    acts = (fact for fact in evidence.facts if isinstance(fact, Acted))
    faced = (a for a in acts if a.verb is Verb.LOOK_AT and a.succeeded)
    return frozenset(act.target.id for act in faced)


def names_in(fact: Fact, ids: frozenset[str]) -> Iterable[str]:
    """Return the names that a fact gives to the object with these ids."""
    if isinstance(fact, Acted):
        return (fact.target.label,) if fact.target.id in ids else ()
    if isinstance(fact, Answered):
        labels = tuple(node.label for node in fact.nodes if node.id in ids)
        return (*labels, fact.query) if labels else ()
    if isinstance(fact, Stated):
        return (fact.node.label,) if fact.node.id in ids else ()
    if isinstance(fact, Listed):
        return tuple(node.label for node in fact.nodes if node.id in ids)
    if isinstance(fact, Referred):
        return (fact.reference,) if len(fact.ids) == 1 and fact.ids[0] in ids else ()
    return ()


_CHANGES_FURNITURE = (Verb.OPEN, Verb.CLOSE, Verb.SWITCH, Verb.PRESS)
_EMPTY_HAND = (SkillStatus.LOST_OBJECT, SkillStatus.NOTHING_HELD)


@dataclass(frozen=True, slots=True)
class HandAct:
    """Successful skill with the object ``held`` in the hand; ``order`` counts facts."""

    held: str
    act: Acted
    order: int


@dataclass(frozen=True, slots=True)
class Inspection:
    """Look at a target; ``opened`` is the skill of this mission that opened its door, or None."""

    act: Acted
    opened: Acted | None


@dataclass(frozen=True, slots=True)
class Course:
    """Accumulated effects of the facts; a failed drive leaves ``at`` unknown."""

    held: str = ""
    taken: tuple[HandAct, ...] = ()
    released: tuple[HandAct, ...] = ()
    poured: tuple[HandAct, ...] = ()
    doors: Mapping[str, Acted] = field(default_factory=dict)
    worked: Mapping[str, Acted] = field(default_factory=dict)
    at: Acted | None = None
    facing: Acted | None = None
    inspected: tuple[Inspection, ...] = ()
    attempts: frozenset[tuple[Verb, str]] = frozenset()

    @classmethod
    def of(cls, evidence: Evidence) -> "Course":
        """Accumulate the effects of the whole log."""
        course = cls(held=CARRIED if evidence.carried else "")
        for order, fact in enumerate(evidence.facts):
            course = course.after(fact, order)
        return course

    @property
    def progress(self) -> int:
        """Number of grasps and releases, and of different skill goals tried; it never falls."""
        return len(self.taken) + len(self.released) + len(self.attempts)

    def after(self, fact: Fact, order: int) -> "Course":
        """Return the effects after one more fact."""
        if not isinstance(fact, Acted):
            return self
        moved = replace(self._moved(fact), attempts=self.attempts | {(fact.verb, fact.target.id)})
        if fact.status in _EMPTY_HAND:
            return replace(moved, held="")
        return moved._did(fact, order) if fact.succeeded else moved

    def _moved(self, fact: Acted) -> "Course":
        if fact.verb is Verb.LOOK_AT:
            return replace(self, facing=None, at=None if fact.drove else self.at)
        return replace(self, facing=None, at=fact if fact.succeeded else None)

    def _did(self, fact: Acted, order: int) -> "Course":
        target, with_hand = fact.target.id, HandAct(self.held, fact, order)
        if fact.verb is Verb.GRASP:
            return replace(self, held=target, taken=(*self.taken, HandAct(target, fact, order)))
        if fact.verb in (Verb.PLACE, Verb.HANDOVER) and self.held:
            return replace(self, held="", released=(*self.released, with_hand))
        if fact.verb is Verb.POUR and self.held:
            return replace(self, poured=(*self.poured, with_hand))
        if fact.verb in _CHANGES_FURNITURE:
            return self._changed(fact)
        if fact.verb is Verb.LOOK_AT:
            door = self.doors.get(target)
            inspection = Inspection(fact, door if door is not None and door.verb is Verb.OPEN else None)
            return replace(self, facing=fact, inspected=(*self.inspected, inspection))
        return self

    def _changed(self, fact: Acted) -> "Course":
        if fact.verb in (Verb.OPEN, Verb.CLOSE):
            return replace(self, doors={**self.doors, fact.target.id: fact})
        return replace(self, worked={**self.worked, fact.target.id: fact})
