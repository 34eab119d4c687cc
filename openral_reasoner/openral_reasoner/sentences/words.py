"""Words and phrases: folding of accents, and phrases that are found at a position of a text."""

import unicodedata
from collections.abc import Mapping
from functools import lru_cache

Phrase = tuple[str, ...]
PAUSE = "/"
"""Token for a comma, a full stop or another mark between clauses."""


@lru_cache(maxsize=4096)
def fold(word: str) -> str:
    """Return a word in lower case without accents."""
    return unaccented(word).lower()


@lru_cache(maxsize=4096)
def unaccented(text: str) -> str:
    """Return a text without accents; its case and its words stay, because names are recognised by them."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text.replace("\u00df", "ss"))
    return "".join(c for c in plain if unicodedata.category(c) != "Mn")


class Phrases:
    """Phrases with their values, found at a position of a text by the longest match."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = {tuple(map(fold, phrase.split())): value for phrase, value in values.items()}
        self._longest = max(map(len, self._values), default=0)

    @classmethod
    def of(cls, text: str) -> "Phrases":
        """Make phrases of a text that separates them by commas."""
        return cls.by_value({"": text})

    @classmethod
    def by_value(cls, texts: Mapping[str, str]) -> "Phrases":
        """Make phrases of one such text for each value."""
        listed = ((phrase.strip(), value) for value, text in texts.items() for phrase in text.split(","))
        return cls({phrase: value for phrase, value in listed if phrase})

    def words(self, without: str | None = None) -> frozenset[str]:
        """Return the folded words of all phrases but those with the value ``without``."""
        phrases = (phrase for phrase, value in self._values.items() if value != without)
        return frozenset(word for phrase in phrases for word in phrase)

    def at(self, words: Phrase, start: int) -> tuple[int, str] | None:
        """Return the length and the value of the longest phrase that begins at ``start``."""
        most = min(self._longest, len(words) - start)
        for count in range(most, 0, -1):
            value = self._values.get(tuple(map(fold, words[start : start + count])))
            if value is not None:
                return count, value
        return None

    def ending(self, words: Phrase) -> int:
        """Return the length of the longest phrase with which a text ends."""
        lengths = range(min(self._longest, len(words)), 0, -1)
        return next((n for n in lengths if tuple(map(fold, words[-n:])) in self._values), 0)

    def __contains__(self, words: Phrase) -> bool:
        return tuple(map(fold, words)) in self._values


def word_set(text: str) -> frozenset[str]:
    """Return the words of a class."""
    return frozenset(fold(text).split())
