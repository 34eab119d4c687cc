"""Hazards: kinds of objects, people and places about which the operator is asked before anything moves."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Self

from pydantic import Field, model_validator

from openral_core.consent.identities import Identity, is_a, is_called
from openral_core.consent.policy import Name, Subject
from openral_core.documents import Document, shipped_document
from openral_core.skills import Verb

Labels = Mapping[str, Annotated[tuple[Name, ...], Field(min_length=1)]]


class Hazard(Document):
    """Kinds that are dangerous together; one that is left out matches everything.

    ``other`` are kinds of a second object, as of the vessel of what is poured.
    """

    id: str
    verbs: tuple[Verb, ...]
    objects: tuple[Name, ...]
    other: tuple[Name, ...] = ()
    people: tuple[Name, ...] = ()
    places: tuple[Name, ...] = ()
    reason: str
    source: str


class Hazards(Document):
    """Kinds with their labels, and what is dangerous together.

    A label counts anywhere in a name, "bleach" in "bleach bottle", but of the kinds ``by_head`` only as what
    the name is: "cat food" is no cat.
    """

    kinds: Labels
    by_head: tuple[Name, ...] = ()
    people: Labels
    places: Labels
    hazards: tuple[Hazard, ...]

    @model_validator(mode="after")
    def _kinds_are_known(self) -> Self:
        for hazard in self.hazards:
            references = (
                ((*hazard.objects, *hazard.other), self.kinds),
                (hazard.people, self.people),
                (hazard.places, self.places),
            )
            for kinds, labels in references:
                if unknown := sorted(set(kinds) - set(labels)):
                    raise ValueError(f"{hazard.id}: no kind {unknown[0]!r}; known are {sorted(labels)}")
        return self

    def of_giving(self, what: str, who: str) -> Hazard | None:
        """Return the first hazard of handing something to a person, by names."""
        return self.of(Subject(Verb.HANDOVER, objects=(Identity(what),), people=(Identity(who),)))

    def of_putting(self, what: str, where: str) -> Hazard | None:
        """Return the first hazard of putting something at a place, by names."""
        return self.of(Subject(Verb.PLACE, objects=(Identity(what),), places=frozenset({where})))

    def of(self, subject: Subject) -> Hazard | None:
        """Return the first hazard of a goal, None if there is none."""
        return next((hazard for hazard in self.hazards if self._concerns(hazard, subject)), None)

    def _concerns(self, hazard: Hazard, subject: Subject) -> bool:
        if subject.verb not in hazard.verbs:
            return False
        objects = [each for each in subject.objects if self._has_one((each,), self.kinds, hazard.objects)]
        rest = [each for each in subject.objects if each not in objects]
        places = [Identity(name) for name in subject.places or ()]
        return (
            bool(objects)
            and self._has_one(rest, self.kinds, hazard.other)
            and self._has_one(subject.people, self.people, hazard.people)
            and self._has_one(places, self.places, hazard.places)
        )

    def is_place(self, name: str, *kinds: str) -> bool:
        """Return True if a name is one of a place of these kinds."""
        return self._is_one(Identity(name), self.places, kinds)

    def _has_one(self, identities: Iterable[Identity], labels: Labels, kinds: tuple[str, ...]) -> bool:
        return not kinds or any(self._is_one(each, labels, kinds) for each in identities)

    def _is_one(self, identity: Identity, labels: Labels, kinds: tuple[str, ...]) -> bool:
        """Return True if any name of an object, person or place is of one of the kinds."""
        for name in filter(None, (identity.name, *identity.labels)):
            for kind in kinds:
                says = is_a if kind in self.by_head else is_called
                if says(name, labels[kind]):
                    return True
        return False


@cache
def load_hazards() -> Hazards:
    """Load the hazards of the package."""
    return shipped_document(Hazards, __package__, "hazards.yaml")
