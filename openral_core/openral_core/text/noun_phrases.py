"""Parser of noun phrases: normalised words, singular forms, head noun, modifiers and location."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from openral_core.errors import OpenRALError

MAX_CHARACTERS = 200
"""Longest text that is parsed [characters]; names of objects are far shorter."""
_ACCENTS = re.compile("[\u0300-\u036f]")
_APOSTROPHE_S = re.compile(r"['\u2019]s\b")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r" \d+$")
_COPY = re.compile(r"0\d+")
"""Number that a program gives to copies: "mug.001". Another number tells one thing apart: "shelf 2"."""
_OR = re.compile(r"([^\W\d_][\w ]*)/[^\W\d_]")
_DESCRIBED = re.compile(r"([^()]*\w[^()]*?) ?\(([^()]*\w[^()]*)\)")

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
    """Text that cannot name an object."""

    def __init__(self, text: str) -> None:
        shown = text if len(text) <= 40 else text[:40] + "..."
        super().__init__(
            f"text {shown!r} ({len(text)} characters) names no object: expected 1 to {MAX_CHARACTERS} "
            "characters with at least one letter and no control character; a number names no class"
        )


def words_of(text: str) -> tuple[str, ...]:
    """Split a text into words without case, accents, punctuation and possessives.

    Raises:
        UnreadableText: If it is too long, has no letter or digit, or contains control characters.
    """
    if len(text) > MAX_CHARACTERS or _CONTROL.search(text):
        raise UnreadableText(text)
    plain = unicodedata.normalize("NFKC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text))).casefold()
    words = tuple(_WORD.findall(_APOSTROPHE_S.sub("", plain)))
    if not words:
        raise UnreadableText(text)
    return words


def singulars(word: str) -> tuple[str, ...]:
    """Return singular forms that ``word`` may have, most likely first; the word itself if not a plural."""
    if word in _IRREGULAR:
        return (_IRREGULAR[word],)
    if len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return (word,)
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y", word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        return word[:-2], word[:-1]
    return (word[:-1],)


_SKIPPED = frozenset(
    words_of(
        "a an the some any my your his her its our their this that these those please one and another just"
    )
)
_WHERE = frozenset(
    words_of(
        "on in at near next beside under underneath beneath behind from inside into onto by above below "
        "between to for with which who where"
    )
)
_BEFORE_WHERE = frozenset(words_of("left right close closest nearest is are standing lying sitting"))
"""Words that belong to the location if it follows them: "the mug closest to the bowl"."""


def label_words(label: str) -> frozenset[str]:
    """Return the words of a label in the singular; none if it names nothing."""
    try:
        return frozenset(singulars(word)[0] for word in words_of(label))
    except UnreadableText:
        return frozenset()


@dataclass(frozen=True, slots=True)
class Phrase:
    """A parsed noun phrase.

    "the red cup of tea on the table" has the head cup, the modifier red, ``of`` tea and ``where`` "on table".
    """

    head: str
    modifiers: tuple[str, ...] = ()
    of: "Phrase | None" = None
    where: str = ""

    @property
    def text(self) -> str:
        """The normalised phrase, without ``where``."""
        own = " ".join((*self.modifiers, self.head))
        return f"{own} of {self.of.text}" if self.of else own


def parse_phrase(text: str, is_known: Callable[[str], bool]) -> Phrase:
    """Parse a noun phrase; the head is its longest suffix that ``is_known``, else its last word but a number.

    Raises:
        UnreadableText: If no word can be a head noun.
    """
    noun, where = _split_where([word for word in words_of(_one_name(text)) if word not in _SKIPPED])
    if len(noun) > 1 and noun[-1].isdecimal():
        noun = [*([] if _COPY.fullmatch(noun[-1]) else noun[-1:]), *noun[:-1]]
    if not noun or noun[0] == "of" or all(map(str.isdecimal, noun)):
        raise UnreadableText(text)
    if "of" not in noun or noun[-1] == "of":
        return _noun(tuple(word for word in noun if word != "of"), is_known, where=where)
    split = noun.index("of")
    inner = _noun(tuple(word for word in noun[split + 1 :] if word != "of"), is_known)
    return _noun(tuple(noun[:split]), is_known, inner, where)


def _one_name(text: str) -> str:
    """Return "Book/Notebook" as its first name, and "mug (red)" as "red mug", as data sets write labels."""
    first = _OR.match(text)
    name = first[1] if first else text
    described = _DESCRIBED.fullmatch(name.strip())
    return f"{described[2]} {described[1]}" if described else name


def _split_where(words: Sequence[str]) -> tuple[list[str], str]:
    for index, word in enumerate(words):
        side = word in ("left", "right") and words[index + 1 : index + 2] == ["of"]
        if index and (word in _WHERE or side):
            start = index
            while start > 1 and words[start - 1] in _BEFORE_WHERE:
                start -= 1
            return list(words[:start]), " ".join(words[start:])
    return list(words), ""


def _noun(
    words: tuple[str, ...], is_known: Callable[[str], bool], of: Phrase | None = None, where: str = ""
) -> Phrase:
    head, count = _head(words, is_known)
    return Phrase(head, words[: len(words) - count], of, where)


def _head(words: tuple[str, ...], is_known: Callable[[str], bool]) -> tuple[str, int]:
    """Return the head noun in singular, and its number of words."""
    for count in range(min(len(words), 4), 0, -1):
        for last in (words[-1], *singulars(words[-1]), f"{words[-1]}s"):
            candidate = " ".join((*words[-count:-1], last))
            if is_known(candidate):
                return candidate, count
    return singulars(words[-1])[0], 1


def without_number(label: str) -> str:
    """Return a label without the number that tells it from others of its kind: "shelf 2" is a shelf."""
    return _NUMBER.sub("", label)
