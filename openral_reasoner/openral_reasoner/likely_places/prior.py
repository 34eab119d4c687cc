"""Commonsense prior: how often objects of a kind are kept in a kind of room and a kind of place.

Data: ``prior.yaml`` (common knowledge) and ``nouns.yaml`` (WordNet); each names its source and licence.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache

from pydantic import Field, RootModel

from openral_core.documents import Document, shipped_document
from openral_core.text import Phrase, Thesaurus, UnreadableText
from openral_core.text.noun_phrases import singulars

CLIMB = 0.85
"""Worth of what is known of a kind, for each step from the name to a kind that covers it [1]."""
MODIFIER = 0.4
"""Worth of the kind of a modifier ("dish" in "dish thingy"), relative to that of the head noun [1]."""

Frequencies = Mapping[str, float]


class PlacementKind(Document):
    """Kind of objects that are kept alike; the fields are explained in ``prior.yaml``."""

    covers: tuple[str, ...]
    when: tuple[str, ...] = ()
    rooms: Frequencies
    places: Frequencies
    counts: float = Field(gt=0.0)
    vague: bool = False


class PriorDocument(Document):
    """The whole file ``prior.yaml``."""

    version: int = Field(ge=1, le=1)
    unlisted: float = Field(gt=0.0)
    rooms: Mapping[str, tuple[str, ...]]
    appliances: Mapping[str, str]
    senses: Mapping[str, Mapping[str, str]]
    kinds: Mapping[str, PlacementKind]


@dataclass(frozen=True, slots=True)
class Site:
    """Place that can be searched: names of the place, best first, and the label of its room."""

    names: tuple[str, ...]
    room: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """Kind of an object in the prior; ``counts`` is the number of observations that it is worth here."""

    name: str
    kind: PlacementKind
    counts: float


class PlacementPrior:
    """Prior of where objects are kept."""

    def __init__(
        self, document: PriorDocument, nouns: Mapping[str, Sequence[str]], thesaurus: Thesaurus
    ) -> None:
        self._document, self._thesaurus = document, thesaurus
        self._rooms = {also: name for name, more in document.rooms.items() for also in (name, *more)}
        self._plain = {c: n for n, k in document.kinds.items() if not k.when for c in (*k.covers, n)}
        self._special = {
            (covered, word): name
            for name, kind in document.kinds.items()
            for covered in kind.covers
            for word in kind.when
        }
        self._nouns = {singular(noun): kind for kind, listed in nouns.items() for noun in listed}
        self.place = lru_cache(1024)(self._place)
        self.frequency = lru_cache(1 << 14)(self._frequency)

    @property
    def kinds(self) -> Mapping[str, PlacementKind]:
        """Every kind by name."""
        return self._document.kinds

    @property
    def noun_kinds(self) -> frozenset[str]:
        """Kinds that the list of nouns names."""
        return frozenset(self._nouns.values())

    def _place(self, text: str) -> Placed | None:
        """Return the kind of an object, from its head noun or else from a modifier; None if unknown."""
        try:
            kinds = list(self._kinds_of(self._thesaurus.parse(text)))
        except UnreadableText:  # of the text, or of its head: the 4 of a quarter
            return None
        return next((each for each in kinds if not each.kind.vague), next(iter(kinds), None))

    def _kinds_of(self, phrase: Phrase) -> Iterator[Placed]:
        """Yield the kinds of an object, the most specific first; of kinds alike, the best known."""
        for worth, name, rest in self._names_of(phrase):
            for steps, level in enumerate(self._kinds_above(name)):
                kinds = {kind for each in level if (kind := self._named(each, rest))}
                for each in sorted(kinds, key=lambda kind: (-self.kinds[kind].counts, kind)):
                    yield Placed(each, self.kinds[each], self.kinds[each].counts * worth * CLIMB**steps)

    def _names_of(self, phrase: Phrase) -> Iterator[tuple[float, str, tuple[str, ...]]]:
        """Yield (worth, name, other words): the longest name that ends with the head first.

        What is in a package comes before the package: a bottle of shampoo is kept where shampoo is.
        """
        words = (*phrase.modifiers, *phrase.head.split())
        yield 1.0, phrase.text, ()
        for content in sorted(self._thesaurus.keys(phrase.text) - {self._thesaurus.concept(phrase.head)}):
            yield 1.0, content, words
        for start in range(1, len(words)):
            yield 1.0, " ".join(words[start:]), words[:start]
        if phrase.of is not None:
            yield MODIFIER, phrase.of.head, phrase.of.modifiers
        for index in reversed(range(len(phrase.modifiers))):
            yield MODIFIER, words[index], words[:index]

    def _kinds_above(self, name: str) -> Iterator[tuple[str, ...]]:
        """Yield the name, then its concept and broader ones level by level, then its kind by WordNet."""
        yield (name,)
        level: tuple[str, ...] = (self._thesaurus.concept(name),) if self._thesaurus.knows(name) else ()
        while level:
            yield level
            level = tuple(parent for each in level for parent in self._thesaurus.parents(each))
        if name in self._nouns:
            yield (self._nouns[name],)

    def _named(self, concept: str, words: Sequence[str]) -> str:
        """Return the kind that covers a concept with these modifiers; "" if none does."""
        own = self._plain.get(concept, "")
        covered = (concept, *(self.kinds[own].covers if own else ()))
        covering = (*covered, *sorted(frozenset().union(*map(self._thesaurus.kinds_of, covered))))
        special = (self._special.get((each, word)) for word in words for each in covering)
        return next(filter(None, special), own)

    def _frequency(self, kind: str, site: Site) -> float:
        """Return how often objects of a kind are at such a place, relative to other places [1]."""
        entry, room = self.kinds[kind], self._room_of(site)
        frequencies = (self._of_place(entry, name, room) for name in site.names)
        return max(frequencies, default=self._document.unlisted) * self._of_room(entry, room)

    def _of_place(self, entry: PlacementKind, name: str, room: str) -> float:
        """Return the frequency of a kind of place; that of a broader kind if it is not listed itself."""
        try:
            concept = self._thesaurus.concept(name)
        except UnreadableText:
            return self._document.unlisted
        senses = self._document.senses.get(concept, {})
        level: tuple[str, ...] = (senses.get(room, senses.get("any", concept)), concept)
        while level:
            frequencies = [entry.places[each] for each in level if each in entry.places]
            if frequencies:
                return max(frequencies)
            level = tuple(parent for each in level for parent in self._thesaurus.parents(each))
        return self._document.unlisted

    def _of_room(self, entry: PlacementKind, room: str) -> float:
        """Return the frequency of a kind of room; the mean of all kinds if it is not known."""
        if room:
            return entry.rooms.get(room, self._document.unlisted)
        every = self._document.rooms
        return sum(entry.rooms.get(each, self._document.unlisted) for each in every) / len(every)

    def _room_of(self, site: Site) -> str:
        """Return the kind of the room of a place, from its label or else from the place's names.

        An appliance counts as standing in the room of its kind.
        """
        for name in site.names:
            with suppress(UnreadableText):
                if usual := self._document.appliances.get(self._thesaurus.concept(name)):
                    return usual
        return next(filter(None, map(self.room_kind, (site.room, *site.names))), "")

    def room_kind(self, label: str) -> str:
        """Return the kind of room that a label names or begins or ends with; "" if none."""
        words = label.lower().replace("_", " ").replace("'", "").split()
        while words and words[-1].isdigit():
            words.pop()
        spans = [words[:end] for end in range(len(words), 0, -1)] + [words[i:] for i in range(1, len(words))]
        return next((self._rooms[name] for name in map(" ".join, spans) if name in self._rooms), "")


def singular(noun: str) -> str:
    """Return a noun with its last word in singular, as phrases are parsed."""
    *first, last = noun.split()
    return " ".join((*first, singulars(last)[0]))


@cache
def shipped_prior() -> PlacementPrior:
    """Load the prior of this package.

    Raises:
        InvalidDocument: If a shipped file is not valid.
    """
    nouns = shipped_document(NounsDocument, __package__, "nouns.yaml").root
    listed = {kind: tuple(line.split(", ")) for kind, line in nouns.items()}
    return PlacementPrior(
        shipped_document(PriorDocument, __package__, "prior.yaml"), listed, Thesaurus.load()
    )


class NounsDocument(RootModel[Mapping[str, str]]):
    """Nouns of every kind, separated by commas."""
