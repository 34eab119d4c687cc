"""Stop words in some twenty languages, and those that mean an emergency stop.

Stop words count anywhere in a prompt while the robot is busy, as the whole prompt otherwise. An unnecessary
stop costs a repeated goal; a missed stop may cause damage. The lists are therefore generous.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from pydantic import Field

from openral_core.documents import Document, shipped_document
from openral_core.text.folding import fold, fold_pattern, readings

SEARCHED = 4000
"""Part searched from each end of a prompt [characters]; no stop phrase is longer."""
_CLAUSE = re.compile(
    r"[.!?;:,\n()\u2026\u2013\u2014\u00a1\u00bf\u3001\u3002\uff01\uff0c\uff1f\u060c\u0964]+|\s-+\s"
)
"""What separates clauses."""


class _Phrases(Document):
    """Comma-separated phrases of one kind and language."""

    anywhere: str = ""
    alone: str = ""


class _Cries(Document):
    """Cries and stops of one language."""

    cries: _Phrases = _Phrases()
    stops: _Phrases = _Phrases()


class _CryDocument(Document):
    """The shipped file; its comments say what the keys mean."""

    version: int = Field(ge=1, le=1)
    signs: Mapping[str, str]
    alone: Mapping[str, str]
    beside: str
    languages: Mapping[str, _Cries]
    unspaced: Mapping[str, str]
    stop_words: Mapping[str, str]
    emergency: str
    address: str
    fillers: str
    also_goals: str


@cache
def _document() -> _CryDocument:
    return shipped_document(_CryDocument, __package__, "cries.yaml")


def contains_emergency_word(text: str) -> bool:
    """Return True if a word that means an emergency stop occurs anywhere in the text."""
    return any(_emergency_word().search(each) for each in _readings(text))


def contains_stop_word(text: str) -> bool:
    """Return True if a stop word or a cry occurs anywhere in the text, or the whole text is a stop."""
    return any(_stop_word().search(each) for each in _readings(text)) or ends_motion(text)


def is_cry(text: str) -> bool:
    """Return True if a text says that someone is hurt, caught or in danger, or calls for help.

    "Help me find my keys" is a goal: what is no cry in every sentence has to be a clause of its own.
    """
    if any(_cry().search(each) for each in _readings(text)):
        return True
    ends = {text[:SEARCHED], text[-SEARCHED:]}
    clauses = {clause for end in ends for clause in _CLAUSE.split(_with_words_for_signs(end))}
    return any(_consists_of(_cry_or_alone(), reading) for clause in clauses for reading in readings(clause))


def is_stop_phrase(text: str) -> bool:
    """Return True if the whole text means stop, rather than being a goal that contains a stop word."""
    return len(text) <= SEARCHED and any(map(_is_stop, _readings(text)))


def may_answer(text: str) -> bool:
    """Return True if a stop is one only because nothing else is said: "not here" also answers a question."""
    return not (is_cry(text) or any(_stop_word().search(each) for each in _readings(text)))


def ends_motion(text: str) -> bool:
    """Return True if a skill server ends its goal at a text: it is a stop as a whole, or contains a cry."""
    return is_stop_phrase(text) or is_cry(text)


def _is_stop(folded: str) -> bool:
    if _consists_of(_stop_or_alone(), folded):
        return True
    words = folded.split()
    while words and words[0] in _document().address.split():
        del words[0]
    begins = _stop_word().match(" ".join(words)) is not None
    return begins and words[0] not in _document().also_goals.split()


def _consists_of(pattern: re.Pattern[str], folded: str) -> bool:
    """Return True if nothing but phrases of a pattern, at least one, and fillers are said."""
    rest, count = pattern.subn(" ", folded)
    return count > 0 and set(rest.split()) <= _fillers()


def _readings(text: str) -> frozenset[str]:
    """Return what both ends of a text may say."""
    ends = {text[:SEARCHED], text[-SEARCHED:]}
    return frozenset().union(*(readings(_with_words_for_signs(end)) for end in ends))


def _with_words_for_signs(text: str) -> str:
    """Replace signs such as a raised hand by what they say."""
    wordless = not any(c.isalnum() for c in text)
    for table in (_document().signs, *((_document().alone,) if wordless else ())):
        for word, signs in table.items():
            text = text.translate({ord(sign): f" {word} " for sign in signs if sign not in " \ufe0f"})
    return text


@cache
def _fillers() -> frozenset[str]:
    document = _document()
    beside = " ".join(map(fold, document.beside.split(",")))
    return frozenset(f"{document.address} {document.fillers} {beside}".split())


def _listed(kind: str, key: str) -> list[str]:
    """Return the phrases of every language of a kind, cries or stops, under a key."""
    languages = _document().languages.values()
    return [phrase for each in languages for phrase in getattr(getattr(each, kind), key).split(",")]


@cache
def _stop_word() -> re.Pattern[str]:
    document = _document()
    spoken = ",".join((*document.stop_words.values(), document.emergency)).split(",")
    listed = (*_listed("stops", "anywhere"), *_listed("cries", "anywhere"))
    return _pattern([*spoken, *listed], document.unspaced.values())


@cache
def _stop_or_alone() -> re.Pattern[str]:
    alone = [*_listed("stops", "alone"), *_listed("cries", "alone")]
    return re.compile(f"{_stop_word().pattern}|{_pattern(alone, ()).pattern}")


@cache
def _cry() -> re.Pattern[str]:
    return _pattern(_listed("cries", "anywhere"), (_document().unspaced["cries"],))


@cache
def _cry_or_alone() -> re.Pattern[str]:
    return re.compile(f"{_cry().pattern}|{_pattern(_listed('cries', 'alone'), ()).pattern}")


@cache
def _emergency_word() -> re.Pattern[str]:
    return _pattern(_document().emergency.split(","), (_document().unspaced["emergency"],))


def _pattern(spoken: Iterable[str], unspaced: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of whole phrases, and of phrases that are matched inside other text too."""
    phrases = sorted(
        {" ".join(item.split()).replace("(", "(?:") for item in spoken} - {""}, key=len, reverse=True
    )
    inside = [fold(item) for items in unspaced for item in items.split(",")]
    return re.compile("|".join((rf"(?<!\S)(?:{'|'.join(map(fold_pattern, phrases))})(?!\S)", *inside)))
