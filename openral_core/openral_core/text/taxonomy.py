"""What thesaurus.yaml says."""
# MERGED Which things are kinds of which.
# MERGED Colours, materials, sizes: which words mean the same, and which exclude each other.
# MERGED How a stored label stands to the words asked for.

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
    """One thing: other names, broader things, typical attributes, and places it is usually found at."""

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
    """The thesaurus that comes with this package.

    Raises:
        InvalidDocument: If the shipped file is not valid.
    """
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return parse_document(ThesaurusDocument, yaml.load(text, Loader=loader), _FILE)


class InvalidThesaurus(OpenRALError):
    """Entries that contradict each other."""

    def __init__(self, problem: str, names: Iterable[str]) -> None:
        super().__init__(f"thesaurus: {problem}: {format_choices(names)}")


class Taxonomy:
    """A hierarchy of things; a thing may be of several kinds (a wine bottle is a bottle and is wine)."""

    def __init__(self, parents: Mapping[str, Iterable[str]]) -> None:
        self._parents = {name: tuple(dict.fromkeys(kinds)) for name, kinds in parents.items()}
        named = frozenset[str]().union(*self._parents.values())
        if unknown := sorted(named - self._parents.keys()):
            raise InvalidThesaurus("kinds that are no things", unknown)
        order = _kinds_first(self._parents)
        self._above = _gathered(order, self._parents)
        self._below = _gathered(reversed(order), _turned(self._parents))

    def parents(self, name: str) -> tuple[str, ...]:
        """Direct kinds; none of an unknown thing."""
        return self._parents.get(name, ())

    def above(self, name: str) -> frozenset[str]:
        """Everything it is a kind of."""
        return self._above.get(name, frozenset())

    def below(self, name: str) -> frozenset[str]:
        """Everything that is a kind of it."""
        return self._below.get(name, frozenset())

    def siblings(self, name: str) -> frozenset[str]:
        """Things that share a specific kind with it, one of them directly: breads, but not all food."""
        own = {parent for parent in self.parents(name) if self.parents(parent)}
        below = frozenset[str]().union(*map(self.below, own))
        specific = {kind for kind in self.above(name) if self.parents(kind)}
        direct = {each for kind in specific for each in self.below(kind) if kind in self.parents(each)}
        return (below | direct) - {name} - self.above(name) - self.below(name)


def _kinds_first(parents: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    try:
        return tuple(TopologicalSorter(parents).static_order())
    except CycleError as error:
        raise InvalidThesaurus("things that are kinds of themselves", error.args[1][1:]) from error


def _turned(parents: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {name: [] for name in parents}
    for name, kinds in parents.items():
        for kind in kinds:
            children[kind].append(name)
    return children


def _gathered(order: Iterable[str], nearest: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    """Everything that is reached by ``nearest`` from each; what is nearer comes first in ``order``."""
    reached: dict[str, frozenset[str]] = {}
    for name in order:
        reached[name] = frozenset(nearest[name]).union(*(reached[each] for each in nearest[name]))
    return reached


class TermRelation(StrEnum):
    """Only EQUAL and NARROWER are hits; BROADER says where to look, never what is there."""

    EQUAL = "equal"
    NARROWER = "narrower"
    BROADER = "broader"
    RELATED = "related"
    NONE = "none"

    @property
    def is_hit(self) -> bool:
        """Whether everything the label can mean is what was asked for."""
        return self in (TermRelation.EQUAL, TermRelation.NARROWER)


_WEAKEST_FIRST = (
    TermRelation.NONE,
    TermRelation.RELATED,
    TermRelation.BROADER,
    TermRelation.NARROWER,
    TermRelation.EQUAL,
)


def weaker(first: TermRelation, second: TermRelation) -> TermRelation:
    """What remains when both must hold: a narrower kind of a broader thing is only a broader match."""
    return min(first, second, key=_WEAKEST_FIRST.index)


Attribute = tuple[str, str]
"""(category, value); category "" for a word that is no known attribute."""


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
        """Words as attributes."""
        return frozenset(self._by_word.get(word, ("", word)) for word in words)

    def is_attribute(self, word: str) -> bool:
        """Whether the word is a known colour, material, size or state."""
        return word in self._by_word


def compare(
    asked: frozenset[Attribute], stored: frozenset[Attribute], typical: frozenset[Attribute]
) -> TermRelation:
    """How attributes of a stored label stand to those asked for.

    Args:
        asked: What the words ask for.
        stored: What the label says.
        typical: What the stored thing is even if its label does not say so.
    """
    if _conflict(asked, stored):
        return TermRelation.RELATED
    if asked - stored - _certain(typical):
        return TermRelation.BROADER
    return TermRelation.NARROWER if stored - asked else TermRelation.EQUAL


def _conflict(first: frozenset[Attribute], second: frozenset[Attribute]) -> bool:
    categories = {category for category, _ in first if category} & {category for category, _ in second}
    return any(
        not {value for c, value in first if c == each} & {value for c, value in second if c == each}
        for each in categories
    )


def _certain(typical: frozenset[Attribute]) -> frozenset[Attribute]:
    """Typical attributes alone in their category: an apple is red or green, a lemon is yellow."""
    categories = [category for category, _ in typical]
    return frozenset(each for each in typical if categories.count(each[0]) == 1)
