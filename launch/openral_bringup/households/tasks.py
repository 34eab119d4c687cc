"""Tasks drawn from a seed for the home they are set in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from openral_bringup.households.archetypes import Archetype
from openral_bringup.households.whereabouts import container_of
from openral_core.errors import OpenRALError
from openral_sim.entities import WorldObject
from openral_sim.world import World

T = TypeVar("T")


class NothingToAsk(OpenRALError):
    """A home without what an archetype needs."""

    def __init__(self, archetype: Archetype, needed: str) -> None:
        super().__init__(f"this home offers nothing for {archetype.value!r}: it needs {needed}")


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked of the robot, by whom, and what it may know before.

    Attributes:
        goal: In the operator's words.
        phrase: What the thing is called that it is about.
        person: Id of who shall have it in the end; "" when nobody.
        remembered: Ids of the objects that memory knows before.
    """

    archetype: Archetype
    goal: str
    phrase: str
    person: str = ""
    remembered: tuple[str, ...] = ()


def draw_task(archetype: Archetype, world: World, seed: int) -> Task:
    """The task of a seed.

    Raises:
        NothingToAsk: If the home offers none.
    """
    return _DRAWS[archetype](world, Random(f"{archetype.value} {seed}"))


def _fetch(world: World, rng: Random) -> Task:
    thing = _one(rng, Archetype.FETCH, _lying(world, hidden=False), "a graspable object in the open")
    return Task(Archetype.FETCH, f"bring me the {thing.phrase}", thing.phrase, _first(world), (thing.id,))


def _find(world: World, rng: Random) -> Task:
    thing = _one(rng, Archetype.FIND, list(world.objects.values()), "an object")
    return Task(Archetype.FIND, f"find the {thing.phrase}", thing.phrase)


def _open(world: World, rng: Random) -> Task:
    thing = _one(rng, Archetype.OPEN, _lying(world, hidden=True), "a graspable object behind a door")
    return Task(Archetype.OPEN, f"bring me the {thing.phrase}", thing.phrase, _first(world), (thing.id,))


def _view(world: World, rng: Random) -> Task:
    names = [each.phrase for each in world.furniture.values() if each.surfaces]
    named = [each for each in names if names.count(each) == 1]
    phrase = _one(rng, Archetype.VIEW, named, "a piece of furniture with a name of its own")
    return Task(Archetype.VIEW, f"look at the {phrase}", phrase)


def _hand(world: World, rng: Random) -> Task:
    thing = _one(rng, Archetype.HAND, _lying(world, hidden=False), "a graspable object in the open")
    person = _one(rng, Archetype.HAND, list(world.people.values()), "a person")
    return Task(Archetype.HAND, f"give the {thing.phrase} to the {person.name}", thing.phrase, person.id)


def _pour(world: World, rng: Random) -> Task:
    kinds = {thing.kind for thing in world.objects.values()}
    if not {"wine_bottle", "wine_glass"} <= kinds:
        raise NothingToAsk(Archetype.POUR, "a wine bottle and a wine glass")
    return Task(Archetype.POUR, "bring me a cup of wine", "wine glass", _first(world))


def _lying(world: World, *, hidden: bool) -> list[WorldObject]:
    return [
        thing
        for thing in world.objects.values()
        if thing.graspable and bool(container_of(world, thing)) is hidden
    ]


def _first(world: World) -> str:
    return next(iter(world.people))


def _one(rng: Random, archetype: Archetype, offered: Sequence[T], needed: str) -> T:
    if not offered:
        raise NothingToAsk(archetype, needed)
    return rng.choice(offered)


_DRAWS: Mapping[Archetype, Callable[[World, Random], Task]] = {
    Archetype.FETCH: _fetch,
    Archetype.FIND: _find,
    Archetype.OPEN: _open,
    Archetype.VIEW: _view,
    Archetype.HAND: _hand,
    Archetype.POUR: _pour,
}
