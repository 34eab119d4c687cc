"""One plan per kind of goal."""

from collections.abc import Callable, Mapping

from openral_core.skills import Verb
from openral_reasoner.exchanges.turns import Found, Reply
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
from openral_reasoner.planners.priors import load_priors
from openral_reasoner.planners.steps import (
    Outlook,
    Plan,
    PlanFailed,
    must,
    named_place,
    obtain,
    resolved,
    search,
    whereabouts,
)
from openral_reasoner.procedures.looks import SEEN_NOT_PLACED
from openral_reasoner.tools import LocateInViewTool

GRASP_TRIES = 3


def plan_for(outlook: Outlook, goal: Goal) -> Plan[str]:
    """The steps to a goal; returns what to tell whoever asked.

    Raises:
        PlanFailed: With the question for a human.
    """
    return (yield from _PLANS[type(goal)](outlook, goal))


def _bring(outlook: Outlook, goal: Bring) -> Plan[str]:
    thing, _ = yield from obtain(outlook, goal.what, goal.where)
    yield from _grasp(outlook, goal.what, thing)
    yield from _deliver(outlook, goal.what, goal.to)
    return f"I brought the {goal.what} to {_listener(goal.to)}."


def _bring_filled(outlook: Outlook, goal: BringFilled) -> Plan[str]:
    vessel = load_priors().vessel_for(goal.vessel, goal.contents)
    held = yield from _filled(outlook, vessel, goal.contents)
    yield from _grasp(outlook, vessel, held)
    yield from _deliver(outlook, vessel, goal.to)
    return f"I brought a {vessel} of {goal.contents} to {_listener(goal.to)}."


def _pour(outlook: Outlook, goal: Pour) -> Plan[str]:
    yield from _filled(outlook, goal.vessel, goal.contents)
    return f"I poured {goal.contents} into the {goal.vessel}."


def _filled(outlook: Outlook, vessel: str, contents: str) -> Plan[Found]:
    """One hand: set the vessel down, fetch what goes into it, pour, set that down too."""
    source, _ = yield from obtain(outlook, contents)
    held, _ = yield from obtain(outlook, vessel)
    surface = _staging(outlook)
    yield from _grasp(outlook, vessel, held)
    must((yield from outlook.act(Verb.PLACE, surface)), f"put down {vessel}")
    yield from _grasp(outlook, contents, source)
    must((yield from outlook.act(Verb.POUR, held.id)), f"pour {contents}")
    must((yield from outlook.act(Verb.PLACE, surface)), f"put down {contents}")
    return held


def _pick_up(outlook: Outlook, goal: PickUp) -> Plan[str]:
    thing, _ = yield from obtain(outlook, goal.what, goal.where)
    yield from _grasp(outlook, goal.what, thing)
    return f"I am holding the {goal.what}."


def _find(outlook: Outlook, goal: Find) -> Plan[str]:
    thing, seen = yield from obtain(outlook, goal.what, goal.where)
    if not seen:
        thing, seen = yield from _verify(outlook, goal.what, thing)
    if not seen:
        return f"Memory has the {goal.what} here: {whereabouts(thing)}. No locator was there to check."
    return f"The {goal.what} is here: {whereabouts(thing)}."


def _listener(to: str) -> str:
    """Whoever said "me" is "you" in the answer."""
    return "you" if to == "me" else to


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
    where = whereabouts(thing)
    raise PlanFailed(f"I stand where memory has the {words} ({where}) and cannot see: {reply.status}.")


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
    raise PlanFailed(f"I do not understand {goal.words!r}. I understand for example: {'; '.join(EXAMPLES)}.")


def _grasp(outlook: Outlook, words: str, thing: Found) -> Plan[Found]:
    """Take it; when it has moved, search for it and try again, a bounded number of times."""
    for _ in range(GRASP_TRIES):
        reply = yield from outlook.act(Verb.GRASP, thing.id)
        if reply.status != "MOVED":
            break
        thing = yield from search(outlook, words, reply)
    must(reply, f"grasp {words}")
    return thing


def _deliver(outlook: Outlook, words: str, to: str) -> Plan[Reply]:
    target = yield from resolved(to)
    if target.kind == "room":
        surface = _staging(outlook, target.id)
        return must((yield from outlook.act(Verb.PLACE, surface)), f"put {words} down in {to}")
    verb = Verb.HANDOVER if target.kind == "agent" else Verb.PLACE
    return must((yield from outlook.act(verb, target.id)), f"give {words} to {to}")


def _staging(outlook: Outlook, room: str = "") -> str:
    """A surface to set things down on, in this room if one is named."""
    places = [p for p in outlook.now.places if p.room == room or not room]
    for name in load_priors().staging:
        place = next((p for p in places if name in p.label.lower()), None)
        if place is not None:
            return place.id
    raise PlanFailed("I know no surface to set things down on. What should I do?")


_PLANS: Mapping[type, Callable[..., Plan[str]]] = {
    Bring: _bring,
    BringFilled: _bring_filled,
    Pour: _pour,
    PickUp: _pick_up,
    Find: _find,
    GoTo: _go_to,
    LookAt: _look_at,
    LookInside: _look_inside,
    Door: _door,
    NotUnderstood: _not_understood,
}
