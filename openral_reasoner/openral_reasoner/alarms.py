"""Decide whether a prompt stops a mission: listed stop words and cries, and alarms that no list holds.

An alarm is what no reader takes as a goal, an answer, thanks or small talk, and that says that something
hurts, burns, falls, is caught or in the way, or is short and exclaimed or shouted. A false stop costs a
repeated goal.
"""

import re
from functools import cache

from pydantic import Field

from openral_core.documents import Document, shipped_document
from openral_core.text.folding import fold, fold_pattern
from openral_core.text.stop_words import contains_stop_word, is_cry, is_stop_phrase, may_answer
from openral_reasoner.request.goals import (
    AskAbilities,
    AskCompare,
    AskCount,
    AskState,
    Attend,
    TellState,
    is_understood,
)
from openral_reasoner.sentences.language import load_language
from openral_reasoner.sentences.languages import ENGLISH, is_known_word
from openral_reasoner.sentences.reader import read_sentence

MOST_WORDS = 6
"""Longest exclamation [words]; a longer prompt is an alarm only if it says what is wrong."""
SYLLABLES = 2
"""Characters per word in scripts without spaces [1]."""
_CLAUSE = re.compile(r"[.!?;:,\n\u2026\u2013\u2014]+|\s-+\s")
_JOIN = re.compile(r"\b(?:and|then|but|or|und|dann|aber|et|puis|mais|y|luego|pero)\b")
_EXCLAMATION = re.compile("[!\u203c\u2757\u2755]")
_UNSPACED_LETTER = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
_REPEATED = re.compile(r"(\w[\w ]*?)(?: \1)+")


_NO_GOALS = (TellState, AskState, AskCount, AskCompare, AskAbilities, Attend)


class _Lexicon(Document):
    """The shipped file; its comments say what the keys mean."""

    version: int = Field(ge=1, le=1)
    small_talk: str
    small_talk_unspaced: str
    harm: str
    harm_unspaced: str
    body: str
    body_unspaced: str
    oaths: str
    stops_at_the_end: str
    stops_that_are_things: str
    asks: str
    before_asks: str


def stops_mission(text: str, *, may_alarm: bool) -> bool:
    """Return True if a prompt stops a running mission; ``may_alarm`` unless it answers a question."""
    if contains_stop_word(text):
        if not may_alarm and may_answer(text):
            return False
        return not (_is_goal(text) or _asks(text)) or _says_stop(text)
    return may_alarm and is_alarm(text)


def asks_for_help(text: str) -> bool:
    """Return True for a calm "help": while nothing moves, the operator asks what the robot can do."""
    exclaimed = _EXCLAMATION.search(text) is not None or _is_shouted(text)
    return not exclaimed and isinstance(read_sentence(text), AskAbilities)


def is_alarm(text: str) -> bool:
    """Return True if a text without a stop word is an alarm of someone beside a robot that moves."""
    exclaimed = _EXCLAMATION.search(text) is not None
    if _is_goal(text) or (not exclaimed and (_asks(text) or text.rstrip().endswith(("?", "\uff1f")))):
        return False
    folded, long = fold(text), _word_count(text) > MOST_WORDS
    if long and any(_is_goal(clause) or _asks(clause) for clause in _CLAUSE.split(text)):
        return False
    if _lexicon("harm").search(folded) or _lexicon("body").search(folded):
        return True
    if _lexicon("small_talk").match(folded) or long:
        return False
    return exclaimed or _is_shouted(text) or _is_interjection(text, folded)


def _is_goal(text: str) -> bool:
    """Return True if the planner reads a goal; a state that is told may be a warning: "the pan is on"."""
    request = read_sentence(text)
    return is_understood(request) and not isinstance(request, _NO_GOALS)


def _asks(text: str) -> bool:
    """Return True if a text begins as a question or a request, whether or not the planner can read it."""
    words = fold(text).split()
    first = next((word for word in words if not _words("before_asks").fullmatch(word)), "")
    requests = load_language(ENGLISH).words.request_verbs
    return first in requests or _words("asks").fullmatch(first) is not None


def _says_stop(text: str) -> bool:
    """Return True if a clause of a request means stop, or its last word does and is no thing."""
    # "Take the sponge and hold it" is a goal, of which a reader accounts for every clause.
    joined = text if _is_goal(text) else _JOIN.sub(",", text)
    if is_cry(text) or any(is_stop_phrase(clause) for clause in _CLAUSE.split(joined)):
        return True
    *before, last = fold(text).split() or [""]
    return _words("stops_at_the_end").fullmatch(last) is not None and not (
        before and _words("stops_that_are_things").fullmatch(before[-1])
    )


def _is_shouted(text: str) -> bool:
    """Return True for capitals alone, unless they are one short name such as TV."""
    letters = [c for c in text if c.isalpha()]
    return len(letters) > MOST_WORDS // 2 and all(c.isupper() for c in letters)


def _is_interjection(text: str, folded: str) -> bool:
    if _lexicon("oaths").match(folded) or _STRETCHED.search(folded) or _REPEATED.fullmatch(folded):
        return True
    one_word = len(folded.split()) == 1 and not any(map(str.isdigit, folded))
    # A capital begins a name.
    return one_word and text.strip()[:1].islower() and not is_known_word(folded)


def _word_count(text: str) -> int:
    unspaced = len(_UNSPACED_LETTER.findall(text))
    return len(_UNSPACED_LETTER.sub(" ", text).split()) + -(-unspaced // SYLLABLES)


@cache
def _document() -> _Lexicon:
    return shipped_document(_Lexicon, __package__, "alarms.yaml")


@cache
def _words(key: str) -> re.Pattern[str]:
    """Return a pattern of the comma-separated phrases of a key."""
    phrases = (fold_pattern(" ".join(each.split())) for each in getattr(_document(), key).split(","))
    return re.compile("|".join(re.sub(r"\((?!\?)", "(?:", each) for each in phrases if each))


@cache
def _lexicon(key: str) -> re.Pattern[str]:
    """Return a pattern of whole phrases, and of those that are matched inside other text too."""
    inside = [fold(each) for each in getattr(_document(), f"{key}_unspaced", "").split(",") if each.strip()]
    return re.compile("|".join((rf"(?<!\S)(?:{_words(key).pattern})(?!\S)", *inside)))
