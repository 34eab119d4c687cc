"""Goals that a later clause completes: what was taken or found is brought from where it was."""

from collections.abc import Callable
from dataclasses import replace

from openral_core.text.terms import same_term
from openral_reasoner.request.goals import (
    Bring,
    BringEvery,
    BringFilled,
    BringSeveral,
    Find,
    GoTo,
    PickUp,
    Request,
)
from openral_reasoner.sentences.context import ME, ClauseReading
from openral_reasoner.sentences.kinds import is_person
from openral_reasoner.sentences.lexicon import singular

_Brought = Bring | BringSeveral | BringEvery


def joined(
    parts: tuple[Request, ...], reading: ClauseReading, unfinished: bool
) -> tuple[Request, ...] | None:
    """Return goals with those of the next clause; None if they only follow one another."""
    if not parts:
        return None
    if reading.replaces:
        return (*parts[:-1], *reading.goals)
    last = parts[-1]
    served = isinstance(last, BringFilled) and last.to == ME
    if reading.refers and (unfinished or served):
        merged = _merged(parts, reading.goals, _is_completed, _with_source)
        if merged is not None:
            return _from_there(merged)
    if reading.refers:
        repeated = _merged(parts, reading.goals, _is_same, _with_place)
        if repeated is not None:
            return repeated
    after = _from_there((*parts, *reading.goals))
    return after if len(after) < len(parts) + len(reading.goals) else None


def _merged(
    parts: tuple[Request, ...],
    goals: tuple[Request, ...],
    fits: Callable[[Request, Request], bool],
    merge: Callable[[Request, Request], Request],
) -> tuple[Request, ...] | None:
    """Merge the last parts with as many goals; None if there are fewer, or one does not fit its goal."""
    before, last = parts[: len(parts) - len(goals)], parts[len(parts) - len(goals) :]
    if len(last) != len(goals) or not all(map(fits, last, goals)):
        return None
    return (*before, *map(merge, last, goals))


def _is_completed(first: Request, then: Request) -> bool:
    """Return True if a goal says where goes what was taken or found."""
    if isinstance(first, BringFilled) and isinstance(then, Bring):
        return first.to == ME and same_term(first.vessel, then.what)
    if not isinstance(first, Bring | BringSeveral | BringEvery | PickUp | Find):
        return False
    if not isinstance(then, _Brought | PickUp | Find):
        return False
    if not same_term(singular(first.what), singular(then.what)):
        return False
    return not isinstance(first, _Brought) or first.to == ME


def _with_source(first: Request, then: Request) -> Request:
    if isinstance(first, BringFilled) and isinstance(then, Bring):
        return replace(first, to=then.to)
    if isinstance(first, BringSeveral | BringEvery) and isinstance(then, Bring):
        return replace(first, to=then.to, relation=then.relation)
    where = getattr(first, "where", "") or getattr(then, "where", "")
    return replace(then, where=where) if isinstance(then, _Brought | PickUp | Find) else then


def _is_same(first: Request, again: Request) -> bool:
    """Return True if a goal says another one again: "the book goes on the shelf, put it there"."""
    if not isinstance(first, _Brought) or not isinstance(again, _Brought):
        return first == again
    to = same_term(first.to, again.to) or (isinstance(again, Bring) and again.to == ME)
    return same_term(first.what, again.what) and to and (first.relation == again.relation or again.to == ME)


def _with_place(first: Request, again: Request) -> Request:
    if not isinstance(first, _Brought) or not isinstance(again, _Brought):
        return first
    told_where = again.to == ME and first.to != ME and not is_person(first.to)
    if told_where:  # "the milk should be in the fridge, bring it"
        return replace(first, to=ME, where=first.to, relation="")
    return replace(first, where=first.where or again.where)


def _from_there(parts: tuple[Request, ...]) -> tuple[Request, ...]:
    """Read "go to the kitchen and bring me the mug" as bringing it from the kitchen."""
    if len(parts) < 2:
        return parts
    *before, way, last = parts
    if not isinstance(way, GoTo) or way.where == ME or not isinstance(last, Bring | BringSeveral):
        return parts
    if last.where or last.to == way.where:
        return parts
    return (*before, replace(last, where=way.where))
