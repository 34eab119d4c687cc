"""Kinds of English names that decide what a request may mean: vessels, fixtures, rooms, persons."""

from functools import cache, cached_property

from openral_core.documents import Document, shipped_document
from openral_core.text.noun_phrases import singulars
from openral_reasoner.likely_places.belief import is_household_noun, thesaurus
from openral_reasoner.likely_places.immovable import IMMOVABLE_NOUNS


class Kinds(Document):
    """Nouns by kind; the comments of the file say what the keys mean."""

    vessels: str
    closable: str
    appliances: str
    rooms: str
    kin: str
    animals: str
    people: str
    groups: dict[str, str]

    @cached_property
    def _sets(self) -> dict[str, frozenset[str]]:
        own = self.model_dump(exclude={"groups"})
        return {key: frozenset(text.split()) for key, text in {**own, **self.groups}.items()}

    def has(self, kind: str, name: str) -> bool:
        """Return True if the head of a name is of a kind."""
        head = name.lower().partition(" of ")[0].split()[-1:]
        return any(form in self._sets[kind] for word in head for form in (word, *singulars(word)))

    def is_movable(self, name: str) -> bool:
        """Return True if a robot carries what this names."""
        head = name.lower().split()[-1:]
        fixed = any(form in IMMOVABLE_NOUNS for word in head for form in (word, *singulars(word)))
        if self.mentions("small", name.rpartition(" ")[0]):
            return True
        if self.mentions("harmful", name):
            return False
        living = any(self.has(kind, name) for kind in ("kin", "animals", "people", "children"))
        return not (fixed or living or self.is_room(name))

    def is_run_together(self, name: str) -> bool:
        """Return True for two names of one kind that are no compound: "bread cheese"."""
        words = name.lower().split()
        if len(words) != 2 or not all(thesaurus().knows(word) and self.is_movable(word) for word in words):
            return False
        if thesaurus().knows(name.lower()):
            return False
        first, second = (thesaurus().kinds_of(thesaurus().concept(word)) for word in words)
        return bool(first & second)

    def is_room(self, name: str) -> bool:
        """Return True if this names a room."""
        head = name.lower().split()[-1]
        return self.has("rooms", name) or (head.endswith("room") and head not in self._sets["no_rooms"])

    def is_closable(self, name: str) -> bool:
        """Return True if this opens and closes."""
        return self.has("closable", name.partition(" in ")[0])

    def is_site(self, name: str) -> bool:
        """Return True if this names a room or furniture, which is tidied."""
        return (
            self.is_room(name)
            or (not self.is_movable(name) and not is_person(name))
            or self.has("tidied", name)
        )

    def is_container(self, name: str) -> bool:
        """Return True if this opens and holds objects."""
        return self.is_closable(name) and not self.has("panels", name.partition(" in ")[0])

    def is_served(self, name: str) -> bool:
        """Return True if this is known as a drink, as food or as a liquid."""
        return self.has("liquids", name) or is_served(name)

    def is_plural(self, name: str) -> bool:
        """Return True for a plural that asks for each of its kind: "mugs", unlike "keys"."""
        head = name.lower().split()[-1]
        return head not in self._sets["counted"] and self.has("counted", head)

    def serves(self, vessel: str, contents: str) -> bool:
        """Return True if the contents are drunk or eaten from the vessel."""
        drunk = self.has("drinking", vessel) and not is_household_noun(contents)
        drunk = drunk or (self.has("drinking", vessel) and self.has("liquids", contents))
        return self.has("vessels", vessel) and (drunk or is_served(contents))

    def mentions(self, kind: str, name: str) -> bool:
        """Return True if any word of a name is of a kind."""
        return any(self.has(kind, word) for word in name.lower().split())


@cache
def is_served(name: str) -> bool:
    """Return True if the thesaurus knows these words as a drink or as food."""
    return any(thesaurus().relation(kind, name).is_hit for kind in ("drink", "food"))


@cache
def kinds() -> Kinds:
    """Load the kinds of the package once."""
    return shipped_document(Kinds, __package__, "kinds.yaml")


def is_person(name: str) -> bool:
    """Return True if a name is recognisable as one of a person."""
    words = name.split()
    if not words:
        return False
    described = (
        kinds().has("people", words[0]) or kinds().has("people", words[-1]) or kinds().has("kin", name)
    )
    return described or (words[0][:1].isupper() and words[0].isalpha() and not words[0].isupper())
