"""Content of thesaurus.yaml: the hierarchy of concepts, attributes, and how a label relates to a query."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import resources

import yaml
from pydantic import Field

from openral_core.documents import Document, parse_document
from openral_core.errors import OpenRALError, format_choices

_FILE = "thesaurus.yaml"


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
    things: dict[str, ThesaurusEntry]


@cache
def shipped_entries() -> ThesaurusDocument:
    """Load the thesaurus shipped with this package.

    Raises:
        InvalidDocument: If the shipped file is not valid.
    """
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return parse_document(ThesaurusDocument, yaml.load(text, Loader=loader), _FILE)


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
        self._ancestors = _closure(order, self._parents)
        self._descendants = _closure(reversed(order), _children(self._parents))

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


def _children(parents: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {name: [] for name in parents}
    for name, kinds in parents.items():
        for kind in kinds:
            children[kind].append(name)
    return children


def _closure(order: Iterable[str], nearest: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
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
    asked: frozenset[Attribute], stored: frozenset[Attribute], typical: frozenset[Attribute]
) -> TermRelation:
    """Relate the attributes of a stored label to those of a query.

    Args:
        asked: Attributes in the query.
        stored: Attributes in the label.
        typical: Attributes that the stored object has even if its label does not name them.
    """
    if _conflict(asked, stored):
        return TermRelation.RELATED
    if asked - stored - _certain(typical):
        return TermRelation.BROADER
    return TermRelation.NARROWER if stored - asked else TermRelation.EQUAL


def _conflict(first: frozenset[Attribute], second: frozenset[Attribute]) -> bool:
    categories = {category for category, _ in first if category} & {category for category, _ in second}
    return any(
        not {value for c, value in first if c == shared} & {value for c, value in second if c == shared}
        for shared in categories
    )


def _certain(typical: frozenset[Attribute]) -> frozenset[Attribute]:
    """Return typical attributes alone in their category: a lemon is yellow, an apple red or green."""
    categories = [category for category, _ in typical]
    return frozenset(attribute for attribute in typical if categories.count(attribute[0]) == 1)
