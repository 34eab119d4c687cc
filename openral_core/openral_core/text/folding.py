"""Folding of text: the readings that a person sees in it, whatever characters it is written with.

Look-alike letters are those of Unicode Technical Standard 39, from the package confusable-homoglyphs.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from openral_core.lazy_modules import lazy_module

confusables = lazy_module("confusable_homoglyphs.confusables")

_LETTERS = str.maketrans({"\u0131": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe"})
"""Letters without a decomposition, as people write them who lack the key."""
_LEET = tuple(
    str.maketrans(
        {"0": "o", "1": one, "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "$": "s", "@": "a", "+": "t"}
    )
    for one in "li"
)
"""Digits and signs in place of letters."""
_MIXED = re.compile(r"\S*[^\W\d_]\S*")
_CAPITAL_I = re.compile(r"(?<=[a-z])I|\|")
_SPACED = re.compile(r"(?<!\S)(?:[^\W\d_] ){2,}[^\W\d_](?!\S)")
_STRETCHED = re.compile(r"(\w)\1{2,}")
SHORT = 8
"""Longest text in which spaces may lie inside a word [characters]."""
_NUKTA, _VIRAMA = 7, 9
"""Canonical combining classes of signs that belong to letters of Indic scripts, besides kana's voicing, 8."""


@cache
def _look_alikes() -> Mapping[int, str]:
    """Return characters outside ASCII with the letter of ASCII that each looks like."""
    table: dict[int, str] = {}
    for character, others in confusables.confusables_data.items():
        plain = [
            each["c"]
            for each in others
            if len(each["c"]) == 1 and each["c"].isascii() and each["c"].isalpha()
        ]
        if len(character) == 1 and not character.isascii() and plain:
            table[ord(character)] = plain[0]
    return table


def latin(text: str) -> str:
    """Replace every character that looks like a letter of ASCII by that letter."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).translate(_look_alikes()))


def fold(text: str) -> str:
    """Fold to lower case without accents, invisible characters and punctuation; single spaces."""
    return " ".join("".join(map(_folded, _plain(text))).split())


def fold_pattern(pattern: str) -> str:
    """Fold the letters of a regular expression as `fold` folds text."""
    return "".join(c for c in _plain(pattern) if _folded(c))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))


def _folded(character: str) -> str:
    """Return a character, " " for a separator, or "" for what is not seen or only marks a letter."""
    category, combining = unicodedata.category(character), unicodedata.combining(character)
    if (
        category in ("Cf", "Me")
        or combining > _VIRAMA
        or combining == _NUKTA
        or "\ufe00" <= character <= "\ufe0f"
    ):
        return ""
    if category == "Cc" and character not in "\t\n\r":
        return ""
    return character if category[0] in "LNM" else " "


def readings(text: str) -> frozenset[str]:
    """Return what a text may say, folded: look-alikes, leet, words spaced, joined and stretched."""
    written = {text, latin(text)}
    written |= {_with_spaces_for_invisible(each) for each in written}
    written |= {_CAPITAL_I.sub("l", each) for each in written}
    written |= {_without_leet(each, table) for each in written for table in _LEET}
    folded = {fold(each) for each in written}
    folded |= {_SPACED.sub(lambda run: run.group().replace(" ", ""), each) for each in folded}
    folded |= {each.replace(" ", "") for each in folded if len(each) <= SHORT}
    return frozenset(
        folded | {_STRETCHED.sub(letters, each) for each in folded for letters in (r"\1", r"\1\1")}
    )


def _with_spaces_for_invisible(text: str) -> str:
    """Replace characters without width, which may stand between two words as well as inside one."""
    if text.isascii():
        return text
    return "".join(" " if unicodedata.category(character) == "Cf" else character for character in text)


def _without_leet(text: str, table: Mapping[int, str]) -> str:
    return _MIXED.sub(lambda word: word.group().translate(table), text)
