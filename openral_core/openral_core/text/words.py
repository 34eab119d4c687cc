"""Text as normalised words; plural forms back to candidates for the singular."""

import re
import unicodedata

from openral_core.errors import OpenRALError

MAX_CHARACTERS = 200
_ACCENTS = re.compile("[\u0300-\u036f]")
_APOSTROPHE_S = re.compile(r"['\u2019]s\b")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_WORD = re.compile(r"[^\W_]+")

_IRREGULAR = {
    "children": "child",
    "dice": "dice",
    "feet": "foot",
    "geese": "goose",
    "knives": "knife",
    "leaves": "leaf",
    "loaves": "loaf",
    "men": "man",
    "mice": "mouse",
    "people": "person",
    "scarves": "scarf",
    "shelves": "shelf",
    "teeth": "tooth",
    "wives": "wife",
    "women": "woman",
}


class UnreadableText(OpenRALError):
    """Text that cannot name a thing."""

    def __init__(self, text: str) -> None:
        shown = text if len(text) <= 40 else text[:40] + "..."
        super().__init__(
            f"text {shown!r} ({len(text)} characters) names nothing: "
            f"expected 1 to {MAX_CHARACTERS} characters, a letter or digit among them, no control character"
        )


def words_of(text: str) -> tuple[str, ...]:
    """Words of a text: case, accents, punctuation and possessives removed.

    Raises:
        UnreadableText: If it is too long, holds no letter and no digit, or would steer a terminal.
    """
    if len(text) > MAX_CHARACTERS or _CONTROL.search(text):
        raise UnreadableText(text)
    plain = unicodedata.normalize("NFKC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text))).casefold()
    words = tuple(_WORD.findall(_APOSTROPHE_S.sub("", plain)))
    if not words:
        raise UnreadableText(text)
    return words


def singulars(word: str) -> tuple[str, ...]:
    """What ``word`` may be the plural of, most likely first; the word itself when it is none."""
    if word in _IRREGULAR:
        return (_IRREGULAR[word],)
    if len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return (word,)
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y", word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        return word[:-2], word[:-1]
    return (word[:-1],)
