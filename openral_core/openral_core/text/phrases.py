"""A thing in words, taken apart: head noun, modifiers, what it is of, where it is said to be."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from openral_core.text.words import UnreadableText, singulars, words_of

_SKIPPED = frozenset(
    words_of(
        "a an the some any my your his her its our their this that these those please one and another just"
    )
)
_WHERE = frozenset(
    words_of(
        "on in at near next beside under underneath behind from inside into onto by above below between to "
        "for with which who where"
    )
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """As in "the red cup of tea on the table": head cup, modifiers red, of tea, where "on table"."""

    head: str
    modifiers: tuple[str, ...] = ()
    of: "Phrase | None" = None
    where: str = ""

    @property
    def text(self) -> str:
        """As normalised words, without ``where``."""
        own = " ".join((*self.modifiers, self.head))
        return f"{own} of {self.of.text}" if self.of else own


def parse_phrase(text: str, is_known: Callable[[str], bool]) -> Phrase:
    """Take a noun phrase apart; the head is the longest ending of it that ``is_known``, else its last word.

    Raises:
        UnreadableText: If no word of it can name a thing.
    """
    thing, where = _split_where([word for word in words_of(text) if word not in _SKIPPED])
    if not thing or thing[0] == "of":
        raise UnreadableText(text)
    if "of" not in thing or thing[-1] == "of":
        return _noun(tuple(word for word in thing if word != "of"), is_known, where=where)
    split = thing.index("of")
    inner = _noun(tuple(word for word in thing[split + 1 :] if word != "of"), is_known)
    return _noun(tuple(thing[:split]), is_known, inner, where)


def _split_where(words: Sequence[str]) -> tuple[list[str], str]:
    for index, word in enumerate(words):
        if index and word in _WHERE:
            return list(words[:index]), " ".join(words[index:])
    return list(words), ""


def _noun(
    words: tuple[str, ...], is_known: Callable[[str], bool], of: Phrase | None = None, where: str = ""
) -> Phrase:
    head, count = _head(words, is_known)
    return Phrase(head, words[: len(words) - count], of, where)


def _head(words: tuple[str, ...], is_known: Callable[[str], bool]) -> tuple[str, int]:
    """The head noun in singular, and how many words it takes."""
    for count in range(min(len(words), 4), 0, -1):
        for last in (words[-1], *singulars(words[-1])):
            candidate = " ".join((*words[-count:-1], last))
            if is_known(candidate):
                return candidate, count
    return singulars(words[-1])[0], 1
