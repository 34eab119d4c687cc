"""Thesaurus of household objects: does a stored label satisfy a query?"""

from functools import lru_cache
from typing import Self

from openral_core.text.noun_phrases import Phrase, parse_phrase, singulars, words_of
from openral_core.text.taxonomy import (
    Attributes,
    InvalidThesaurus,
    Taxonomy,
    TermRelation,
    ThesaurusDocument,
    ThesaurusEntry,
    compare,
    shipped_entries,
    weaker,
)

_CACHE_SIZE = 1 << 16
"""Results kept per function [entries]; every pair of labels and queries of a large home fits."""


class Thesaurus:
    """Names of household objects, their kinds, attributes and usual places.

    Objects without an entry are compared by head noun and modifiers alone.
    """

    def __init__(self, document: ThesaurusDocument) -> None:
        self._entries = document.things
        self._names = _names(document)
        self._kinds = Taxonomy({name: entry.kinds for name, entry in document.things.items()})
        self._attributes = Attributes(document.attributes)
        self._packages = document.packages
        self._portions = document.portions
        self.parse = lru_cache(_CACHE_SIZE)(self._parse)
        self.relation = lru_cache(_CACHE_SIZE)(self._relation)
        self.keys = lru_cache(_CACHE_SIZE)(self._keys)
        self.related = lru_cache(_CACHE_SIZE)(self._kinds.siblings)

    @classmethod
    def load(cls) -> Self:
        """Load the thesaurus shipped with this package."""
        return cls(shipped_entries())

    def concept(self, text: str) -> str:
        """Return the concept that a text names, under its main name ("couch" -> "sofa"), without modifiers.

        Raises:
            UnreadableText: If the text names nothing.
        """
        return self._concept(self.parse(text).head)

    def kinds_of(self, concept: str) -> frozenset[str]:
        """Return every broader concept."""
        return self._kinds.ancestors(concept)

    def kinds_below(self, concept: str) -> frozenset[str]:
        """Return every narrower concept."""
        return self._kinds.descendants(concept)

    def bare(self, text: str) -> str:
        """Return the object that a text names, with modifiers of its kind but not of colour, size or state.

        Raises:
            UnreadableText: If the text names nothing.
        """
        phrase = self.parse(text)
        kept = tuple(word for word in phrase.modifiers if not self._attributes.is_attribute(word))
        return Phrase(phrase.head, kept, phrase.of).text

    def excludes(self, asked: str, stored: str) -> bool:
        """Test if attributes alone distinguish two objects, as red and blue do.

        Raises:
            UnreadableText: If either text names nothing.
        """
        wanted, known = self._attributes_of(self.parse(asked)), self._attributes_of(self.parse(stored))
        return compare(wanted, known, frozenset()) is TermRelation.RELATED

    def found(self, text: str) -> tuple[str, ...]:
        """Return names of places where such an object is usually found, most likely first.

        Raises:
            UnreadableText: If the text names nothing.
        """
        level: tuple[str, ...] = tuple(sorted(self.keys(text)))
        while level:
            if places := dict.fromkeys(place for name in level for place in self._entry(name).found):
                return tuple(places)
            level = tuple(parent for name in level for parent in self._kinds.parents(name))
        return ()

    def _parse(self, text: str) -> Phrase:
        """Parse a noun phrase; "bottle of wine" is a wine bottle, "slice of bread" is bread.

        Raises:
            UnreadableText: If the text names nothing.
        """
        phrase = parse_phrase(text, self._is_known)
        if phrase.of is None:
            return phrase
        if phrase.head in self._portions:
            return Phrase(phrase.of.head, phrase.modifiers + phrase.of.modifiers, phrase.of.of, phrase.where)
        if self._concept(phrase.head) in self._packages:
            whole = parse_phrase(f"{phrase.of.text} {phrase.head}", self._is_known)
            return Phrase(whole.head, phrase.modifiers + whole.modifiers, whole.of, phrase.where)
        return phrase

    def _relation(self, asked: str, stored: str) -> TermRelation:
        """Relate a stored label to a query.

        Raises:
            UnreadableText: If either text names nothing.
        """
        wanted, known = self.parse(asked), self.parse(stored)
        heads = self._compare_concepts(asked, stored)
        if heads in (TermRelation.NONE, TermRelation.RELATED):
            return heads
        typical = self._attributes.of(self._entry(self._concept(known.head)).typical)
        return weaker(heads, compare(self._attributes_of(wanted), self._attributes_of(known), typical))

    def _keys(self, text: str) -> frozenset[str]:
        """Return the concepts that a text names directly: a juice box is a box and is juice.

        Raises:
            UnreadableText: If the text names nothing.
        """
        phrase = self.parse(text)
        concept = self._concept(phrase.head)
        if concept not in self._packages and not self._kinds.ancestors(concept) & self._packages:
            return frozenset((concept,))
        contents = (word for word in phrase.modifiers if not self._attributes.is_attribute(word))
        return frozenset((concept, *map(self._concept, contents)))

    def _compare_concepts(self, asked: str, stored: str) -> TermRelation:
        wanted, known = self.concept(asked), self.concept(stored)
        if wanted == known:
            return TermRelation.EQUAL
        if wanted in self._with_ancestors(self.keys(stored)):
            return TermRelation.NARROWER
        if known in self._with_ancestors(self.keys(asked)):
            return TermRelation.BROADER
        return TermRelation.RELATED if known in self.related(wanted) else TermRelation.NONE

    def _with_ancestors(self, concepts: frozenset[str]) -> frozenset[str]:
        return concepts.union(*map(self._kinds.ancestors, concepts))

    def _attributes_of(self, phrase: Phrase) -> frozenset[tuple[str, str]]:
        contents = phrase.of.text.split() if phrase.of else []
        return self._attributes.of((*phrase.modifiers, *contents))

    def _is_known(self, words: str) -> bool:
        return words.replace(" ", "") in self._names

    def _concept(self, head: str) -> str:
        return self._names.get(head.replace(" ", ""), head)

    def _entry(self, concept: str) -> ThesaurusEntry:
        return self._entries.get(concept, ThesaurusEntry())


def _names(document: ThesaurusDocument) -> dict[str, str]:
    """Map every joined name ("wineglass") to its concept; a main name wins over a synonym of another."""
    joined = {"".join(words_of(name)): name for name in document.things}
    for name, entry in document.things.items():
        for synonym in entry.synonyms:
            owner = joined.setdefault("".join(words_of(synonym)), name)
            if owner != name:
                raise InvalidThesaurus(f"'{synonym}' names two concepts", (owner, name))
    for package in document.packages | document.portions:
        joined.setdefault(singulars(package)[0], package)
    return joined
