"""Names in a request by their role: what is looked for, and what means a place or a person."""

from collections.abc import Iterator

from openral_reasoner.request import goals
from openral_reasoner.request.goals import Request, parts_of
from openral_reasoner.request.serving import load_serving_rules, place_settings
from openral_reasoner.sentences.context import ME
from openral_reasoner.sentences.lexicon import singular

PERSON, REQUESTER = "person", "requester"
_SOUGHT = ("what", "contents", "first", "second", "other", "near", "of")
_REFERRED = ("to", "where", "near")
_REFERRED_WHAT = goals.LookAt | goals.LookInside | goals.MoveDoor | goals.GoTo


def sought(request: Request) -> dict[str, str]:
    """Return what may be looked for, each with the place where it is said to be."""
    names: dict[str, str] = {}
    for name, where in _sought(request):
        if name and name != ME:
            names.setdefault(name, where)
    return names


def _sought(request: Request) -> Iterator[tuple[str, str]]:
    for part in parts_of(request):
        where = getattr(part, "where", "")
        if isinstance(part, goals.BringFilled | goals.Pour):
            yield part.contents, ""
            yield from ((vessel, "") for vessel in vessels(part))
        elif isinstance(part, goals.SetTable):
            yield from ((each.what, "") for each in place_settings(part))
        elif isinstance(part, goals.Attend):
            yield part.who, where
        else:
            yield from ((getattr(part, slot), where) for slot in _SOUGHT if hasattr(part, slot))
    if ME in referred(request):
        yield PERSON, ""


def vessels(goal: goals.BringFilled | goals.Pour) -> tuple[str, ...]:
    """Return the vessels that may be filled, best first; one that is brought suits its contents."""
    if isinstance(goal, goals.Pour):
        return (goal.vessel,)
    return load_serving_rules().vessel_for(goal.vessel, goal.contents), goal.vessel


def referred(request: Request) -> tuple[str, ...]:
    """Return what means a place, a person or the speaker."""
    names = list[str]()
    for part in parts_of(request):
        names += [getattr(part, slot) for slot in _REFERRED if hasattr(part, slot)]
        names += [part.where] if isinstance(part, goals.GoTo) else []
        names += [part.what] if isinstance(part, _REFERRED_WHAT) and hasattr(part, "what") else []
    return tuple(dict.fromkeys(filter(None, names)))


def named(request: Request) -> tuple[str, ...]:
    """Return every name of a thing, place or person, also in the singular."""
    every = (*sought(request), *referred(request))
    return tuple(dict.fromkeys((*every, *map(singular, every))))
