"""Traits of a goal that allocation and takeover need, read by the scripted planner's grammar."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from openral_core.skills import Verb
from openral_reasoner.request.goals import (
    Bring,
    BringEach,
    BringEvery,
    BringFilled,
    BringSeveral,
    Clear,
    Conditional,
    Describe,
    Explore,
    Find,
    GoTo,
    LookAt,
    LookInside,
    MoveDoor,
    PickUp,
    Pour,
    Press,
    Request,
    Sequence,
    Swap,
    Switch,
    Tidy,
    WaitFor,
)
from openral_reasoner.sentences import read_sentence

ONLY_LOOKS = frozenset({Verb.NAVIGATE, Verb.LOOK_AT, Verb.EXPLORE})
"""Verbs that change nothing but the robot's own pose."""
REPEATABLE = (Find, GoTo, LookAt, LookInside, MoveDoor, Explore, Describe, Tidy, Clear)
"""Goals that look, or that bring about a state which a second robot sees before it acts."""
_VERBS: dict[type, frozenset[Verb]] = {
    Bring: frozenset({Verb.GRASP}),
    BringEach: frozenset({Verb.GRASP, Verb.HANDOVER}),
    BringFilled: frozenset({Verb.GRASP, Verb.PLACE, Verb.POUR}),
    BringEvery: frozenset({Verb.GRASP}),
    BringSeveral: frozenset({Verb.GRASP}),
    Explore: frozenset({Verb.EXPLORE}),
    GoTo: frozenset({Verb.NAVIGATE}),
    PickUp: frozenset({Verb.GRASP}),
    Pour: frozenset({Verb.GRASP, Verb.PLACE, Verb.POUR}),
    Press: frozenset({Verb.PRESS}),
    Swap: frozenset({Verb.GRASP, Verb.PLACE}),
    Switch: frozenset({Verb.SWITCH}),
}


@dataclass(frozen=True, slots=True)
class GoalTraits:
    """Traits of a goal."""

    repeatable: bool = False  # Doing it twice does no harm.
    verbs: frozenset[Verb] = frozenset()  # Verbs that it needs for certain.
    objects: tuple[str, ...] = ()  # Objects that it names.
    moved: str = ""  # Object of a goal that moves one object once, "" for other goals.
    to: str = ""  # Receiver of that object: "me", a person or a place.

    @property
    def grasps(self) -> bool:
        """True if a robot needs its hand for it."""
        return Verb.GRASP in self.verbs


@lru_cache(maxsize=512)
def traits_of(goal: str) -> GoalTraits:
    """Return the traits of a goal; one that is not understood has none, and is not repeatable."""
    request = read_sentence(goal)
    simple = tuple(_simple(request))
    moved = request if isinstance(request, Bring) else None
    return GoalTraits(
        repeatable=bool(simple) and all(isinstance(each, REPEATABLE) for each in simple),
        verbs=_needed(request),
        objects=tuple(dict.fromkeys(name for each in simple for name in _objects(each))),
        moved=moved.what if moved else "",
        to=moved.to if moved else "",
    )


def _needed(request: Request | None) -> frozenset[Verb]:
    """Return the verbs that every way through a goal needs: of a condition, those of both branches."""
    if isinstance(request, Sequence):
        return frozenset().union(*map(_needed, request.parts))
    if isinstance(request, Conditional):
        return _needed(request.then) & _needed(request.otherwise)
    if isinstance(request, WaitFor):
        return _needed(request.then)
    return _VERBS.get(type(request), frozenset())


def _simple(request: Request | None) -> Iterator[Request]:
    """Yield the parts of a goal that are not made of others."""
    if isinstance(request, Sequence):
        for part in request.parts:
            yield from _simple(part)
    elif isinstance(request, Conditional):
        yield request.condition
        yield from _simple(request.then)
        yield from _simple(request.otherwise)
    elif isinstance(request, WaitFor):
        yield from _simple(request.then)
    elif request is not None:
        yield request


def _objects(request: Request) -> Iterator[str]:
    for name in ("what", "vessel", "contents", "first", "second"):
        value = getattr(request, name, "")
        if isinstance(value, str) and value:
            yield value
