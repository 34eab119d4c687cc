"""Languages that are read: which one a text is in, and the question about one that is not understood."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from openral_reasoner.likely_places.belief import is_household_noun
from openral_reasoner.likely_places.immovable import IMMOVABLE_NOUNS
from openral_reasoner.sentences.language import Language, load_language
from openral_reasoner.sentences.words import fold

ENGLISH = "en"
OTHERS = ("de", "fr", "es")
NEAREST = 3
"""Examples in a question about a text that is not understood."""
_WORD = re.compile(r"[^\W\d_]+")
_CONTRACTION = re.compile(r"n't\b|'(?:re|ve|ll|s|d|m)\b")


def spoken_language(text: str) -> str:
    """Return the code of the language that knows most words of a text; English where they are as many."""
    words = _WORD.findall(_CONTRACTION.sub("", fold(text.replace("\u2019", "'"))))
    english = sum(map(_is_english, words))
    count, code = max(
        ((sum(word in load_language(each).recognised for word in words), each) for each in OTHERS),
        key=lambda pair: pair[0],
    )
    return code if count > english else ENGLISH


def is_known_word(word: str) -> bool:
    """Return True if a folded word belongs to any of the languages that are read."""
    return _is_english(word) or any(word in load_language(each).recognised for each in OTHERS)


def _is_english(word: str) -> bool:
    return word in load_language(ENGLISH).recognised or word in IMMOVABLE_NOUNS or is_household_noun(word)


def language_named(name: str) -> Language:
    """Return the language with this English name; English for ""."""
    codes = (ENGLISH, *OTHERS)
    return next(each for each in map(load_language, codes) if each.words.name == (name or "English"))


def question_about(text: str, name: str, examples: Iterable[str] = ()) -> str:
    """Return the question about a text that is not understood, with examples, else those nearest to it."""
    words = language_named(name).words
    near = tuple(examples) or nearest(text, words.examples)
    return words.not_understood.format(said=repr(text), examples="; ".join(near))


def nearest(text: str, examples: Iterable[str]) -> list[str]:
    """Return the examples most similar to a text."""
    like = [(SequenceMatcher(None, text.lower(), each.lower()).ratio(), each) for each in examples]
    return [each for _, each in sorted(like, key=lambda pair: -pair[0])[:NEAREST]]
