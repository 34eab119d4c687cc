"""One plan per kind of goal."""

from collections.abc import Callable, Mapping
from dataclasses import astuple

from openral_core.skills import Verb
from openral_reasoner.exchanges.turns import Found, Reply
from openral_reasoner.planners.carries import bring, bring_filled, pick_up, pour
from openral_reasoner.planners.goals import (
    EXAMPLES,
    Bring,
    BringFilled,
    Door,
    Find,
    Goal,
    GoTo,
    LookAt,
    LookInside,
    NotUnderstood,
    PickUp,
    Pour,
)
from openral_reasoner.planners.steps import (
    Outlook,
    Plan,
    PlanFailed,
    must,
    named_place,
    obtain,
    resolved,
    search,
    unseen,
    whereabouts,
)
from openral_reasoner.searches import SEEN_NOT_PLACED
from openral_reasoner.tools import LocateInViewTool

MAX_NAME = 200
"""Characters of what a tool takes as the words for an object or a place."""


def plan_for(outlook: Outlook, goal: Goal) -> Plan[str]:
    """The steps to a goal; returns what to tell whoever asked.

    Raises:
        PlanFailed: With the question for a human.
    """
    if not isinstance(goal, NotUnderstood):
        _check_length(goal)
    return (yield from _PLANS[type(goal)](outlook, goal))


def _check_length(goal: Goal) -> None:
    for said in astuple(goal):
        if isinstance(said, str) and len(said) > MAX_NAME:
            raise PlanFailed(
                f"{said[:40]!r} and so on is a name of {len(said)} characters: I can look for one of at most "
                f"{MAX_NAME}. What is it in short?"
            )


def _find(outlook: Outlook, goal: Find) -> Plan[str]:
    thing, seen = yield from obtain(outlook, goal.what, goal.where)
    if not seen:
        thing, seen = yield from _verify(outlook, goal.what, thing)
    if not seen:
        return f"Memory has the {goal.what} here: {whereabouts(thing)}. {_unchecked(outlook)}"
    return f"The {goal.what} is here: {whereabouts(thing)}."


def _unchecked(outlook: Outlook) -> str:
    broken = "; ".join(f"the locator {each.id} is broken: {each.why}" for each in outlook.now.blind)
    return f"It was not checked: {broken}." if broken else "No locator was there to check."


def _verify(outlook: Outlook, words: str, thing: Found) -> Plan[tuple[Found, bool]]:
    """Go and see that it is where memory has it; when it is not, search on. The flag: it was seen.

    Raises:
        PlanFailed: If no look was had: what memory has may have changed.
    """
    if thing.must_open:
        must((yield from outlook.act(Verb.OPEN, thing.must_open)), f"open {thing.must_open}")
    else:
        must((yield from outlook.act(Verb.NAVIGATE, thing.id)), f"go to {words}")
    yield from outlook.act(Verb.LOOK_AT, thing.id)
    if not outlook.can_look:
        return thing, False
    reply = yield LocateInViewTool(query=words)
    if reply.found or reply.status == SEEN_NOT_PLACED:
        return (reply.found[0] if reply.found else thing), True
    if reply.status in ("MOVED", "NOT_IN_VIEW"):
        return (yield from search(outlook, words, reply)), True
    if _went_meanwhile(outlook, reply):
        return thing, False
    where = whereabouts(thing)
    raise PlanFailed(f"I stand where memory has the {words} ({where}) and cannot see: {unseen(reply)}.")


def _went_meanwhile(outlook: Outlook, reply: Reply) -> bool:
    """Whether the locator went while it was chosen."""
    return reply.status == "INVALID_CALL" and not outlook.can_look


def _go_to(outlook: Outlook, goal: GoTo) -> Plan[str]:
    place = yield from resolved(goal.where)
    must((yield from outlook.act(Verb.NAVIGATE, place.id)), f"go to {goal.where}")
    return f"I am at {place.label}."


def _look_at(outlook: Outlook, goal: LookAt) -> Plan[str]:
    known = named_place(outlook.now, goal.what)
    if known is None:
        thing, seen = yield from obtain(outlook, goal.what)
        known = thing.id
        if seen:
            return f"I am looking at {goal.what}: {whereabouts(thing)}."
    must((yield from outlook.act(Verb.NAVIGATE, known)), f"go to {goal.what}")
    must((yield from outlook.act(Verb.LOOK_AT, known)), f"look at {goal.what}")
    return f"I am looking at {goal.what}."


def _look_inside(outlook: Outlook, goal: LookInside) -> Plan[str]:
    place = yield from resolved(goal.what)
    opened = yield from outlook.act(Verb.OPEN, place.id)
    must((yield from outlook.act(Verb.LOOK_AT, place.id)), f"look in {goal.what}")
    return (
        f"I am looking into the {goal.what}{', which is open now' if opened.status == 'SUCCEEDED' else ''}."
    )


def _door(outlook: Outlook, goal: Door) -> Plan[str]:
    place = yield from resolved(goal.what)
    verb = Verb.OPEN if goal.open else Verb.CLOSE
    must((yield from outlook.act(verb, place.id)), f"{verb.value.lower()} {goal.what}")
    return f"{goal.what} is {'open' if goal.open else 'closed'}."


def _not_understood(outlook: Outlook, goal: NotUnderstood) -> Plan[str]:
    yield from ()
    said = goal.words if len(goal.words) <= MAX_NAME else f"{goal.words[:MAX_NAME]}..."
    raise PlanFailed(f"I do not understand {said!r}. I understand for example: {'; '.join(EXAMPLES)}.")


_PLANS: Mapping[type, Callable[..., Plan[str]]] = {
    Bring: bring,
    BringFilled: bring_filled,
    Pour: pour,
    PickUp: pick_up,
    Find: _find,
    GoTo: _go_to,
    LookAt: _look_at,
    LookInside: _look_inside,
    Door: _door,
    NotUnderstood: _not_understood,
}
