"""Discourse of a clause: what the clauses before it named, for pronouns and for what a clause leaves out."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from openral_reasoner.request.goals import (
    Bring,
    BringEvery,
    BringFilled,
    BringSeveral,
    Find,
    Forbidden,
    GoTo,
    LookAt,
    LookInside,
    MoveDoor,
    PickUp,
    Pour,
    Request,
    Switch,
)
from openral_reasoner.sentences.kinds import is_person, kinds

ME = "me"
"""Receiver that is the speaker."""


@dataclass(frozen=True, slots=True)
class Discourse:
    """Objects, places and people that earlier clauses named."""

    objects: tuple[str, ...] = ()  # What "it" or "them" may mean where a hand is needed.
    place: str = ""  # Place that "there" means.
    source: str = ""  # Place where the objects are said to be.
    container: str = ""  # What "it" means where something opens and closes.
    appliance: str = ""  # What "it" means where something is switched.
    person: str = ""  # Person that "him" or "her" means.
    goals: tuple[Request, ...] = ()  # Goals of the clause before this one.

    def after(self, goals: tuple[Request, ...]) -> "Discourse":
        """Return the context after goals."""
        context = replace(self, goals=goals)
        named = tuple(dict.fromkeys(name for goal in goals for name in _objects(goal)))
        if named:
            context = replace(context, objects=named, source="")
        for goal in goals:
            context = context.naming(*_places(goal))
            context = replace(context, source=getattr(goal, "where", "") or context.source)
        return context

    def naming(self, *names: str) -> "Discourse":
        """Return the context after places and persons were named."""
        context = self
        for name in names:
            if not name or name == ME:
                continue
            if is_person(name):
                context = replace(context, person=name)
                continue
            context = replace(context, place=name)
            if kinds().is_closable(name):
                context = replace(context, container=name)
            if kinds().has("appliances", name):
                context = replace(context, appliance=name)
        return context


def _objects(goal: Request) -> Iterable[str]:
    if isinstance(goal, Bring | BringSeveral | BringEvery | PickUp | Find):
        yield goal.what
    elif isinstance(goal, BringFilled | Pour):
        yield goal.vessel


def _places(goal: Request) -> Iterable[str]:
    if isinstance(goal, Bring | BringSeveral | BringEvery):
        yield from (goal.where, goal.to)
    elif isinstance(goal, BringFilled):
        yield goal.to
    elif isinstance(goal, PickUp | Find):
        yield from (goal.where, goal.what if kinds().is_closable(goal.what) else "")
    elif isinstance(goal, GoTo):
        yield goal.where
    elif isinstance(goal, LookAt | LookInside | MoveDoor | Switch):
        yield goal.what


@dataclass(frozen=True, slots=True)
class ClauseReading:
    """Meaning of one clause."""

    goals: tuple[Request, ...] = ()  # What is asked for.
    forbidden: tuple[Forbidden, ...] = ()  # What must not be done.
    context: Discourse = Discourse()  # What the clause named, for those after it.
    weight: int = 0  # Number of letters that the templates state.
    refers: bool = False  # A pronoun or an omission means what was named before.
    unfinished: bool = False  # The object is only taken or looked for; the next clause may say where it goes.
    ordered: bool = False  # The clause states an order of its goals.
    awaited: bool = False  # The next clause has to refer to what this one named.
    spans: bool = False  # The clause may contain the end of a sentence.
    negated: bool = False  # A condition that something is not there.
    replaces: bool = False  # The clause says the last goal again with other words.
    verbless: bool = False  # The clause only names what is wanted.
    grabbed: bool = False  # The object is taken, for the speaker if the clause says so.
    free: bool = False  # A remark in words of its own, which may stand only before what is asked for.


def for_speaker(reading: ClauseReading) -> ClauseReading:
    """Read "grab the mug for me" as bringing it."""
    goals = tuple(
        Bring(each.what, where=each.where) if isinstance(each, PickUp) else each for each in reading.goals
    )
    return replace(reading, goals=goals) if reading.grabbed else reading
