"""A second look from close by, for a pose good enough to grasp."""

from dataclasses import dataclass
from math import dist

from openral_reasoner.procedures.looks import Look, look_for, no_look
from openral_reasoner.procedures.mission import Mission, Procedure
from openral_reasoner.procedures.moves import face
from openral_reasoner.procedures.things import Thing
from openral_reasoner.success import Same


@dataclass(frozen=True, slots=True)
class Refined:
    """The thing as last known; ``lost`` when a look has shown that it is not there."""

    thing: Thing
    look: Look
    lost: bool = False


def refine(mission: Mission, thing: Thing) -> Procedure[Refined]:
    """Look at a thing from where the robot stands.

    A locator that cannot answer leaves the thing as memory has it; only a look without it, twice,
    shows that it has moved.
    """
    look = no_look(mission)
    for _ in range(2):
        faced = yield from face(mission, thing)
        if not mission.palette.detector_available:
            return Refined(thing, look)
        look = yield from look_for(mission, thing.words or thing.label)
        if seen := _same(mission, thing, look.things):
            if seen.id != thing.id:
                mission.note(Same(thing.id, seen.id))
            return Refined(seen, look)
        if not (look.absent or look.things) or not faced.success:
            return Refined(thing, look)
    mission.disprove(thing)
    return Refined(thing, look, lost=True)


def _same(mission: Mission, thing: Thing, seen: tuple[Thing, ...]) -> Thing | None:
    """The one seen that is the thing: by id, else the nearest within reason."""
    named = next((each for each in seen if each.id == thing.id), None)
    if named is not None or thing.pose is None:
        return named
    expected = thing.pose.position
    near = [
        (dist(each.pose.position, expected), index, each)
        for index, each in enumerate(seen)
        if each.pose is not None and dist(each.pose.position, expected) <= mission.settings.same_object_within
    ]
    return min(near)[2] if near else None
