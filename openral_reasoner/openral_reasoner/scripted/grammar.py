"""Grammar of simple goals: the first rule whose goal is accepted wins; what no rule reads is asked back."""

import re
from collections.abc import Callable
from typing import TypeVar

from openral_reasoner.placement.belief import is_household_noun
from openral_reasoner.request.goals import (
    Bring,
    BringFilled,
    Find,
    Goal,
    GoTo,
    LookAt,
    LookInside,
    MoveDoor,
    NotUnderstood,
    PickUp,
    Pour,
    Press,
    Switch,
)
from openral_reasoner.scripted.delivery import MOVING, POLITE_VERBLESS, POURING, VERBLESS
from openral_reasoner.scripted.frames import read_frames
from openral_reasoner.scripted.normalise import VERBS, clean, correct_spelling, is_real_verb
from openral_reasoner.scripted.noun_phrases import (
    ANIMAL,
    ROOM,
    counted,
    is_intangible,
    is_noun_phrase,
    is_object,
    is_place,
    is_tangible,
    listed,
    plain,
    split_place,
)
from openral_reasoner.scripted.politeness import bare
from openral_reasoner.scripted.rules import DOORS, GOING, LOOKING, Rule
from openral_reasoner.scripted.vocabulary import WORDS

MAX_LENGTH = 600
"""Longest text that is read as a goal [characters]; a longer one is a letter, not a request."""

MAX_WORDS = 60
"""Longest text that is read as a goal [words]."""
_RULES: tuple[Rule, ...] = (*POURING, *DOORS, *GOING, *LOOKING, *MOVING)
T = TypeVar("T")


def parse_goal(text: str) -> Goal:
    """Parse a goal of one part, correcting a misspelt verb; NotUnderstood if that fails."""
    if is_too_long(text):
        return NotUnderstood(" ".join(text[:MAX_LENGTH].split()))
    words = bare(clean(text))
    return first_accepted(words, lambda goal: goal if is_sound(goal) else None) or NotUnderstood(words)


def is_too_long(text: str) -> bool:
    """Return True if a text is longer than any request."""
    return len(text) > MAX_LENGTH or len(text[: MAX_LENGTH + 1].split()) > MAX_WORDS


def first_accepted(words: str, accept: Callable[[Goal], T | None], polite: bool = False) -> T | None:
    """Return what ``accept`` makes of the first reading that it does not refuse.

    Args:
        words: Clause without politeness.
        accept: Returns None to refuse a reading.
        polite: The speaker said "please": a noun phrase alone is a request.
    """
    corrected = correct_spelling(words)
    bare_nouns = (*VERBLESS, *(POLITE_VERBLESS if polite else ()))
    for said in dict.fromkeys((words, _FOR_ME.sub("", words), corrected, bare(corrected))):
        first, _, rest = said.partition(" ")
        begins_with_verb = first.lower() in VERBS or (bool(rest) and is_real_verb(first, rest))
        for goal in read_frames(said):
            accepted = accept(goal)
            if accepted is not None:
                return accepted
        for pattern, make in _RULES if begins_with_verb else (*_RULES, *bare_nouns):
            match = re.fullmatch(pattern, said, re.IGNORECASE)
            if match is None or ((pattern, make) in bare_nouns and not _names_known(match)):
                continue
            accepted = accept(make(match))
            if accepted is not None:
                return accepted
    return None


def _names_known(match: re.Match[str]) -> bool:
    """Return True if the objects of a clause without a verb have a determiner, or names of the household.

    Another bare word may be a verb that the grammar does not know.
    """
    if _UNKNOWN_VERB.match(match.string):
        return False
    items = listed(match.groupdict().get("what") or "")
    return all(
        plain(item) != item or counted(item)[0] > 0 or is_household_noun(split_place(item)[0])
        for item in items
    )


_UNKNOWN_VERB = re.compile(
    r"(?!(?:the|an?|my|our|your|all|both|to|in|on|into|onto|from|at|under|and|some|half|not|with|for"
    r"|two)\b)\w+ (?:the|an?|my) ",
    re.IGNORECASE,
)
"""Word before a determiner, which no name is."""
_FOR_ME = re.compile(r" for (?:me|us)$", re.IGNORECASE)


def is_sound(goal: Goal) -> bool:
    """Return True if every slot of a goal is filled by a name, and by one that fits."""
    return _SOUND[type(goal)](goal)


def _sound_place(words: str) -> bool:
    return not words or is_place(words)


_ANIMAL = re.compile(rf"(?:\w+ )?(?:{ANIMAL}|fish)s?", re.IGNORECASE)
_IS_ROOM = re.compile(ROOM, re.IGNORECASE)
_SOUND: dict[type, Callable[..., bool]] = {
    Bring: lambda goal: (
        is_object(goal.what)
        and is_receiver(goal.to)
        and _sound_place(goal.where)
        and not _ANIMAL.fullmatch(goal.to)
        and not is_dangerous(goal.what, goal.to)
    ),
    BringFilled: lambda goal: (
        is_noun_phrase(goal.contents) and is_receiver(goal.to) and not _names("toxic", goal.contents)
    ),
    Pour: lambda goal: (
        is_object(goal.contents) and is_object(goal.vessel) and not _names("toxic", goal.contents)
    ),
    PickUp: lambda goal: is_object(goal.what) and _sound_place(goal.where),
    Find: lambda goal: is_tangible(goal.what) and _sound_place(goal.where),
    GoTo: lambda goal: is_receiver(goal.where) and not goal.where.lower().endswith("ing"),
    LookAt: lambda goal: goal.what == "me" or (is_place(goal.what) and not is_intangible(goal.what)),
    LookInside: lambda goal: is_place(goal.what) and not _IS_ROOM.fullmatch(goal.what),
    MoveDoor: lambda goal: is_place(goal.what) and not is_intangible(goal.what),
    Switch: lambda goal: is_place(goal.what) and _sound_place(goal.where),
    Press: lambda goal: is_place(goal.what),
    NotUnderstood: lambda goal: False,
}


def is_dangerous(what: str, to: str) -> bool:
    """Return True if this is not given to a child, or put there, without a question."""
    pairs = (
        ("metal", "heaters"),
        ("electric", "heaters"),
        ("electric", "hot"),
        ("electric", "watery"),
        ("flammable", "hot"),
        ("sharp", "children"),
        ("medicines", "children"),
        ("toxic", "children"),
    )
    return any(_names(kind, what) and _names(where, to) for kind, where in pairs) or _names("sockets", to)


def _names(kind: str, words: str) -> bool:
    """Return True if the last word of a phrase is of a kind of the vocabulary."""
    return not WORDS[kind].isdisjoint(words.lower().split()[-1:])


def is_receiver(words: str) -> bool:
    """Return True if these words can name a person or a place, or are the speaker."""
    return words == "me" or is_place(words)
