"""Merge the goals of clauses about the same object, and add stated places."""

import re
from dataclasses import replace

from openral_reasoner.request.goals import (
    Bring,
    BringFilled,
    BringSeveral,
    Find,
    GoTo,
    MoveDoor,
    PickUp,
    Pour,
    Request,
)
from openral_reasoner.scripted.noun_phrases import singular
from openral_reasoner.scripted.references import Mentioned
from openral_reasoner.terms import same_term


def with_stated_place(request: Request, mentioned: Mentioned) -> Request:
    """Add the place where a statement said that the object is."""
    if not mentioned.source or not isinstance(request, Bring | BringSeveral | PickUp | Find) or request.where:
        return request
    if not any(same_term(singular(request.what), singular(each)) for each in mentioned.objects):
        return request
    there = isinstance(request, Bring) and same_term(request.to, mentioned.source)
    return request if there else replace(request, where=mentioned.source)


_TO_SPEAKER = re.compile(r"\b(?:me|us|here)\b", re.IGNORECASE)


def without_way(parts: tuple[Request, ...], read: tuple[Request, ...]) -> tuple[Request, ...]:
    """Leave out going to where something is then looked for: "go to the office and see if it is there"."""
    last, first = parts[-1] if parts else None, read[0]
    going = isinstance(last, GoTo) and isinstance(first, Find) and same_term(last.where, first.where or " ")
    return parts[:-1] if going else parts


def merge_goals(
    parts: tuple[Request, ...], read: tuple[Request, ...], clause: str, refers: bool
) -> tuple[Request, ...] | None:
    """Fold "take the cup and put it in the sink" into one goal; None if the parts are separate."""
    before = parts[len(parts) - len(read) :]
    if not refers or len(parts) < len(read):
        return None
    folded = [fold_goals(*pair, clause) for pair in zip(before, read, strict=True)]
    merged = tuple(each for each in folded if each is not None)
    return (*parts[: len(parts) - len(read)], *merged) if len(merged) == len(read) else None


def moved_again(parts: tuple[Request, ...], read: tuple[Request, ...]) -> bool:
    """Return True if a goal moves or opens what the goal before it has just moved, which is a misreading."""
    last = parts[-1] if parts else None
    return isinstance(last, Bring) and any(
        isinstance(each, Bring | MoveDoor) and same_term(each.what, last.what) for each in read
    )


def fold_goals(before: Request, after: Request, clause: str) -> Request | None:
    """Return one goal for two about the same object, of which the second completes the first."""
    if before == after:
        return before
    if isinstance(before, Pour | BringFilled):
        return with_receiver_of_filled(before, after)
    if not isinstance(before, Bring | BringSeveral | PickUp | Find) or not isinstance(
        after, Bring | PickUp | Find
    ):
        return None
    same = same_term(singular(before.what), singular(after.what))
    if not same or (isinstance(after, Find) and isinstance(before, PickUp)):
        return None
    if isinstance(before, Bring | BringSeveral):
        return _deliver(before, after, clause)
    return replace(after, where=after.where or before.where)


def with_receiver_of_filled(before: Pour | BringFilled, after: Request) -> Request | None:
    """Add the receiver of a vessel that is filled first."""
    if not isinstance(after, Bring) or after.where or not same_term(before.vessel, after.what):
        return None
    if isinstance(before, BringFilled) and before.to not in ("me", after.to):
        return None
    return BringFilled(before.vessel, before.contents, after.to)


def _deliver(before: Bring | BringSeveral, after: Bring | PickUp | Find, clause: str) -> Request | None:
    """Add the receiver of the second goal to the first."""
    if isinstance(after, Bring) and before.to in ("me", after.to):
        return replace(before, to=after.to, where=after.where or before.where)
    unspoken = isinstance(after, Bring) and after.to == "me" and not _TO_SPEAKER.search(clause)
    return before if unspoken else None
