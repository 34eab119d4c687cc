"""Colours, materials, sizes: which words mean the same, and which exclude each other."""

from collections.abc import Iterable, Mapping

from openral_core.text.relations import Relation

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
) -> Relation:
    """How attributes of a stored label stand to those asked for.

    Args:
        asked: What the words ask for.
        stored: What the label says.
        typical: What the stored thing is even if its label does not say so.
    """
    if _conflict(asked, stored):
        return Relation.RELATED
    if asked - stored - _certain(typical):
        return Relation.BROADER
    return Relation.NARROWER if stored - asked else Relation.EQUAL


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
