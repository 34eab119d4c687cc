"""Effects of a mission's skills: held, released and poured objects, doors, and the robot's place."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from openral_core.skills import SkillStatus, Verb
from openral_reasoner.success.evidence import CARRIED, Acted, Evidence, Fact

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
    at: Acted | None = None
    facing: Acted | None = None
    inspected: tuple[Inspection, ...] = ()

    @classmethod
    def of(cls, evidence: Evidence) -> "Course":
        """Accumulate the effects of the whole log."""
        course = cls(held=CARRIED if evidence.carried else "")
        for order, fact in enumerate(evidence.facts):
            course = course.after(fact, order)
        return course

    def after(self, fact: Fact, order: int) -> "Course":
        """Return the effects after one more fact."""
        if not isinstance(fact, Acted):
            return self
        moved = self._moved(fact)
        if fact.status in _EMPTY_HAND:
            return replace(moved, held="")
        return moved._did(fact, order) if fact.status is SkillStatus.SUCCEEDED else moved

    def _moved(self, fact: Acted) -> "Course":
        if fact.verb is Verb.LOOK_AT:
            return replace(self, facing=None, at=None if fact.drove else self.at)
        return replace(self, facing=None, at=fact if fact.status is SkillStatus.SUCCEEDED else None)

    def _did(self, fact: Acted, order: int) -> "Course":
        target, with_hand = fact.target.id, HandAct(self.held, fact, order)
        if fact.verb is Verb.GRASP:
            return replace(self, held=target, taken=(*self.taken, HandAct(target, fact, order)))
        if fact.verb in (Verb.PLACE, Verb.HANDOVER) and self.held:
            return replace(self, held="", released=(*self.released, with_hand))
        if fact.verb is Verb.POUR and self.held:
            return replace(self, poured=(*self.poured, with_hand))
        if fact.verb in (Verb.OPEN, Verb.CLOSE):
            return replace(self, doors={**self.doors, target: fact})
        if fact.verb is Verb.LOOK_AT:
            door = self.doors.get(target)
            seen = Inspection(fact, door if door is not None and door.verb is Verb.OPEN else None)
            return replace(self, facing=fact, inspected=(*self.inspected, seen))
        return self
