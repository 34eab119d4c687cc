"""Lists and numbers within one clause: "the mug and the spoon", "two mugs"."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from openral_reasoner.placement.belief import is_household_noun, thesaurus
from openral_reasoner.request.goals import (
    Bring,
    BringFilled,
    BringSeveral,
    Find,
    Goal,
    GoTo,
    LookAt,
    LookInside,
    MoveDoor,
    NotUnderstood,
    PickUp,
    Pour,
    Request,
)
from openral_reasoner.scripted.delivery import read_bring
from openral_reasoner.scripted.grammar import is_receiver, is_sound
from openral_reasoner.scripted.noun_phrases import (
    PERSON,
    counted,
    is_object,
    is_place,
    listed,
    plain,
    split_place,
)

MAX_COUNT = 12
"""Largest number of objects in one goal; the budget of a mission ends before more are fetched."""
_BOTH = re.compile(r"both\s+(?:of\s+)?(?P<what>.+)", re.IGNORECASE)
_ONTO = r"(?:on top of|on to|in to|next to|beside|onto|on|into|inside|in|at|to|by)"
_TO_ANOTHER = re.compile(rf"^(?P<what>.+?) (?:back )?{_ONTO} (?P<to>.+)$", re.IGNORECASE)
_TO_PERSON = re.compile(
    rf"^(?P<to>{PERSON}) (?P<what>(?:the|an?|his|her|my|some|two|three|\d+) .+)$", re.IGNORECASE
)


def expand(goal: Goal) -> tuple[Request, ...] | None:
    """Return the goals that a clause lists; None if any of them is not sound."""
    if isinstance(goal, NotUnderstood):
        return None
    requests = tuple(_with_number(each) for each in _LISTED[type(goal)](goal))
    sound = tuple(each for each in requests if each is not None)
    return sound if sound and len(sound) == len(requests) else None


def _with_number(goal: Goal) -> Request | None:
    """Turn "two mugs" into a number of objects; None if the goal is not sound or cannot have a number."""
    if not isinstance(goal, Bring):
        numbered = any(counted(str(getattr(goal, name)))[0] for name in goal.__slots__)
        return None if numbered or not is_sound(goal) else goal
    number, what = counted(goal.what)
    if number == 0:
        return goal if is_sound(goal) else None
    if number == 1:
        return replace(goal, what=what) if is_sound(replace(goal, what=what)) else None
    named = is_object(what) and is_receiver(goal.to) and (not goal.where or is_place(goal.where))
    return BringSeveral(what, number, goal.to, goal.where) if named and number <= MAX_COUNT else None


def _bring(goal: Bring) -> Iterator[Goal]:
    to, *others = listed(goal.to) or ("",)
    where, *further = listed(goal.where) or ("",)
    receiver = plain(to) or goal.to
    items = listed(goal.what)
    if len(items) == 1 and (both := _BOTH.match(goal.what)):
        items = (f"two {plain(both['what'])}",)
    if len(items) > 1 and any(map(is_run_together, items)):
        yield NotUnderstood(goal.what)
    for item in items:
        person = _TO_PERSON.match(item)
        receiver = person["to"] if person else receiver
        yield read_bring(person["what"] if person else item, receiver, where)
    for item in further:
        yield read_bring(item, receiver)
    for item in others:
        moved, person = _TO_ANOTHER.match(item), _TO_PERSON.match(item)
        pair = person or moved
        yield read_bring(pair["what"], pair["to"]) if pair else NotUnderstood(item)


def is_run_together(item: str) -> bool:
    """Return True if an item may be two objects without a comma: "fork knife" before "and spoon".

    Both words name objects of one broader kind, the two words together name none, and no article marks one
    object.
    """
    words = item.split()
    if len(words) != 2 or plain(item) != item or not all(map(is_household_noun, words)):
        return False
    first, second = (thesaurus().kinds_of(thesaurus().concept(word)) for word in words)
    return bool(first & second) and not thesaurus().knows(item)


def _filled(goal: BringFilled) -> Iterator[Goal]:
    contents, *others = listed(goal.contents)
    to, *more = listed(goal.to)
    yield replace(goal, contents=plain(contents), to=plain(to)) if not more else NotUnderstood(goal.to)
    yield from (read_bring(item, goal.to) for item in others)


def _pour(goal: Pour) -> Iterator[Goal]:
    vessel, *others = listed(goal.vessel) or ("",)
    yield from (Pour(plain(item), plain(vessel)) for item in listed(goal.contents))
    for item in others:
        poured = re.match(r"(?P<what>.+?) (?:into|in) (?P<to>.+)", item, re.IGNORECASE)
        yield Pour(plain(poured["what"]), plain(poured["to"])) if poured else NotUnderstood(item)


def _find(goal: Find) -> Iterator[Goal]:
    where, *others = listed(goal.where) or ("",)
    for item in listed(goal.what):
        what, own = split_place(item)
        yield Find(what, own or plain(where))
    yield from (Find(*split_place(item)) for item in others)


def _each(make: Callable[[str], Goal], words: str) -> Iterator[Goal]:
    items = listed(words)
    apposed = len(items) == 2 and not _AND.search(words) and plain(items[1]) == items[1]
    return iter((NotUnderstood(words),)) if apposed else (make(plain(item)) for item in items)


_AND = re.compile(r"\b(?:and|plus)\b|&", re.IGNORECASE)
"""Join of a list; without one, a bare second noun says the first again: "the bookshelf, uppermost shelf"."""


_LISTED: dict[type, Callable[..., Iterator[Goal]]] = {
    Bring: _bring,
    BringFilled: _filled,
    Pour: _pour,
    Find: _find,
    PickUp: lambda goal: _each(lambda what: replace(goal, what=what), goal.what),
    GoTo: lambda goal: _each(GoTo, goal.where),
    LookAt: lambda goal: _each(LookAt, goal.what),
    LookInside: lambda goal: _each(LookInside, goal.what),
    MoveDoor: lambda goal: _each(lambda what: MoveDoor(what, goal.open), goal.what),
}
