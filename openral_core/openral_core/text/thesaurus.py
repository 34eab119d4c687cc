"""Thesaurus of household objects: concepts, attributes, and the relation of a stored label to a query."""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import Self

from pydantic import Field

from openral_core.documents import Document, shipped_document
from openral_core.errors import OpenRALError, format_choices
from openral_core.text.noun_phrases import Phrase, parse_phrase, singulars, words_of


class ThesaurusEntry(Document):
    """One concept: synonyms, broader concepts, typical attributes and usual places."""

    synonyms: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    typical: tuple[str, ...] = ()


class ThesaurusDocument(Document):
    """The whole file; ``attributes`` maps category to value to its synonyms."""

    version: int = Field(ge=1, le=1)
    attributes: dict[str, dict[str, tuple[str, ...]]] = Field(default_factory=dict)
    packages: frozenset[str] = frozenset()
    portions: frozenset[str] = frozenset()
    owned: dict[str, str] = Field(default_factory=dict)
    things: dict[str, ThesaurusEntry]


@cache
def shipped_entries() -> ThesaurusDocument:
    """Load the thesaurus shipped with this package.

    Raises:
        InvalidDocument: If the shipped file is not valid.
    """
    return shipped_document(ThesaurusDocument, __package__, "thesaurus.yaml")


class InvalidThesaurus(OpenRALError):
    """Inconsistent entries."""

    def __init__(self, problem: str, names: Iterable[str]) -> None:
        super().__init__(f"thesaurus: {problem}: {format_choices(names)}")


class Taxonomy:
    """A hierarchy of concepts with several parents each: a wine bottle is a bottle and is wine."""

    def __init__(self, parents: Mapping[str, Iterable[str]]) -> None:
        self._parents = {name: tuple(dict.fromkeys(kinds)) for name, kinds in parents.items()}
        named = frozenset[str]().union(*self._parents.values())
        if unknown := sorted(named - self._parents.keys()):
            raise InvalidThesaurus("kinds without an entry", unknown)
        order = _parents_first(self._parents)
        self._ancestors = transitive_closure(order, self._parents)
        self._descendants = transitive_closure(reversed(order), children_of(self._parents))

    def parents(self, name: str) -> tuple[str, ...]:
        """Return the direct parents; () for an unknown concept."""
        return self._parents.get(name, ())

    def ancestors(self, name: str) -> frozenset[str]:
        """Return every broader concept."""
        return self._ancestors.get(name, frozenset())

    def descendants(self, name: str) -> frozenset[str]:
        """Return every narrower concept."""
        return self._descendants.get(name, frozenset())

    def siblings(self, name: str) -> frozenset[str]:
        """Return concepts that share a specific ancestor, directly for one of them: breads, not all food."""
        own = {parent for parent in self.parents(name) if self.parents(parent)}
        below = frozenset[str]().union(*map(self.descendants, own))
        specific = {kind for kind in self.ancestors(name) if self.parents(kind)}
        direct = {
            child for kind in specific for child in self.descendants(kind) if kind in self.parents(child)
        }
        return (below | direct) - {name} - self.ancestors(name) - self.descendants(name)


def _parents_first(parents: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    try:
        return tuple(TopologicalSorter(parents).static_order())
    except CycleError as error:
        raise InvalidThesaurus("concepts that are kinds of themselves", error.args[1][1:]) from error


def children_of(parents: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """Return the direct children of every concept."""
    children: dict[str, list[str]] = {name: [] for name in parents}
    for name, kinds in parents.items():
        for kind in kinds:
            children[kind].append(name)
    return children


def transitive_closure(
    order: Iterable[str], nearest: Mapping[str, Sequence[str]]
) -> dict[str, frozenset[str]]:
    """Return the transitive closure of ``nearest``; in ``order``, neighbours come first."""
    reached: dict[str, frozenset[str]] = {}
    for name in order:
        reached[name] = frozenset(nearest[name]).union(*(reached[neighbour] for neighbour in nearest[name]))
    return reached


class TermRelation(StrEnum):
    """Relation of a stored label to a query; only EQUAL and NARROWER are hits, BROADER is a search hint."""

    EQUAL = "equal"
    NARROWER = "narrower"
    BROADER = "broader"
    RELATED = "related"
    NONE = "none"

    @property
    def is_hit(self) -> bool:
        """True if every meaning of the label satisfies the query."""
        return self in (TermRelation.EQUAL, TermRelation.NARROWER)


_WEAKEST_FIRST = (
    TermRelation.NONE,
    TermRelation.RELATED,
    TermRelation.BROADER,
    TermRelation.NARROWER,
    TermRelation.EQUAL,
)


def weaker(first: TermRelation, second: TermRelation) -> TermRelation:
    """Return the weaker of two relations that must both hold: narrower and broader give broader."""
    return min(first, second, key=_WEAKEST_FIRST.index)


Attribute = tuple[str, str]
"""(category, value); the category is "" for an unknown attribute."""


class Attributes:
    """The adjectives of a thesaurus; values of one category exclude each other."""

    def __init__(self, categories: Mapping[str, Mapping[str, Iterable[str]]]) -> None:
        self._by_word: dict[str, Attribute] = {
            word: (category, value)
            for category, values in categories.items()
            for value, synonyms in values.items()
            for word in (value, *synonyms)
        }

    def of(self, words: Iterable[str]) -> frozenset[Attribute]:
        """Return words as attributes."""
        return frozenset(self._by_word.get(word, ("", word)) for word in words)

    def is_attribute(self, word: str) -> bool:
        """Test if the word is a known colour, material, size or state."""
        return word in self._by_word


def compare(
    queried: frozenset[Attribute], stored: frozenset[Attribute], typical: frozenset[Attribute]
) -> TermRelation:
    """Relate the attributes of a stored label to those of a query.

    Args:
        queried: Attributes in the query.
        stored: Attributes in the label.
        typical: Attributes that the stored object has even if its label does not name them.
    """
    if attributes_conflict(queried, stored):
        return TermRelation.RELATED
    if queried - stored - certain_attributes(typical):
        return TermRelation.BROADER
    return TermRelation.NARROWER if stored - queried else TermRelation.EQUAL


def attributes_conflict(first: frozenset[Attribute], second: frozenset[Attribute]) -> bool:
    """Test if two sets of attributes have different values in one category."""
    categories = {category for category, _ in first if category} & {category for category, _ in second}
    return any(
        not {value for c, value in first if c == shared} & {value for c, value in second if c == shared}
        for shared in categories
    )


def certain_attributes(typical: frozenset[Attribute]) -> frozenset[Attribute]:
    """Return typical attributes alone in their category: a lemon is yellow, an apple red or green."""
    categories = [category for category, _ in typical]
    return frozenset(attribute for attribute in typical if categories.count(attribute[0]) == 1)


_OWNED = re.compile(r"\b(?:my|your|his|her|our|their|\w+['\u2019]s)$", re.IGNORECASE)
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
        self._owned = document.owned
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

    def parents(self, concept: str) -> tuple[str, ...]:
        """Return the broader concepts one step up."""
        return self._kinds.parents(concept)

    def as_owned(self, text: str) -> str:
        """Return a text with the thing that its last word means where it says whose it is: worn glasses."""
        before, _, last = text.rpartition(" ")
        owned = self._owned.get(last.casefold(), "") if _OWNED.search(before) else ""
        return f"{before} {owned}" if owned else text

    def knows(self, name: str) -> bool:
        """Test if words in singular name a concept, a synonym or a package."""
        return self._is_known(name)

    def knows_thing(self, name: str) -> bool:
        """Test if words in singular name a concept or a synonym that is not only a package or an amount."""
        concept = self._names.get(name.replace(" ", ""), "")
        return concept in self._entries and name not in self._packages | self._portions

    def bare(self, text: str) -> str:
        """Return the object that a text names, with modifiers of its kind but not of colour, size or state.

        Raises:
            UnreadableText: If the text names nothing.
        """
        phrase = self.parse(text)
        modifiers = tuple(word for word in phrase.modifiers if not self._attributes.is_attribute(word))
        return Phrase(phrase.head, modifiers, phrase.of).text

    def split(self, text: str, category: str) -> tuple[str, tuple[str, ...]]:
        """Split the modifiers of one category, such as colour, off a text; synonyms become the main value.

        Raises:
            UnreadableText: If the text names nothing.
        """
        phrase = self.parse(text)
        values = {word: next(iter(self._attributes.of((word,)))) for word in phrase.modifiers}
        modifiers = tuple(word for word in phrase.modifiers if values[word][0] != category)
        split_off = tuple(values[word][1] for word in phrase.modifiers if values[word][0] == category)
        return Phrase(phrase.head, modifiers, phrase.of).text, split_off

    def excludes(self, query: str, stored: str) -> bool:
        """Test if attributes alone distinguish two objects, as red and blue do.

        Raises:
            UnreadableText: If either text names nothing.
        """
        queried, labelled = self._attributes_of(self.parse(query)), self._attributes_of(self.parse(stored))
        return compare(queried, labelled, frozenset()) is TermRelation.RELATED

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
        phrase = parse_phrase(self.as_owned(text), self._is_known)
        if phrase.of is None:
            return phrase
        if phrase.head in self._portions:
            return Phrase(phrase.of.head, phrase.modifiers + phrase.of.modifiers, phrase.of.of, phrase.where)
        if self._concept(phrase.head) in self._packages:
            whole = parse_phrase(f"{phrase.of.text} {phrase.head}", self._is_known)
            return Phrase(whole.head, phrase.modifiers + whole.modifiers, whole.of, phrase.where)
        return phrase

    def _relation(self, query: str, stored: str) -> TermRelation:
        """Relate a stored label to a query.

        Raises:
            UnreadableText: If either text names nothing.
        """
        phrase, stored_phrase = self.parse(query), self.parse(stored)
        heads = self._compare_concepts(query, stored)
        if heads in (TermRelation.NONE, TermRelation.RELATED):
            return heads
        typical = self._attributes.of(self._entry(self._concept(stored_phrase.head)).typical)
        return weaker(
            heads, compare(self._attributes_of(phrase), self._attributes_of(stored_phrase), typical)
        )

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

    def _compare_concepts(self, query: str, stored: str) -> TermRelation:
        concept, stored_concept = self.concept(query), self.concept(stored)
        if concept == stored_concept:
            return TermRelation.EQUAL
        if concept in self._with_ancestors(self.keys(stored)):
            return TermRelation.NARROWER
        if stored_concept in self._with_ancestors(self.keys(query)):
            return TermRelation.BROADER
        return TermRelation.RELATED if stored_concept in self.related(concept) else TermRelation.NONE

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
