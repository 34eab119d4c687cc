"""Task types, tasks drawn from a seed, and ground truth of where objects are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

import numpy as np

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, SceneGraph, SceneNode
from openral_household_benchmark.choices import TaskType
from openral_household_benchmark.requirements import (
    Displaced,
    Given,
    HasLeft,
    LiesOn,
    Requirement,
    Switched,
    free_position,
)
from openral_sim.scene.entities import WorldFurniture, WorldObject
from openral_sim.scene.world import SimWorldModel
from openral_testing.reasoner.search_benchmark import usual_places

CHANGED = frozenset((TaskType.TIDY,))
"""Kinds of tasks for which objects are displaced first."""
_NOISE = 0.02  # Of a remembered position, along each axis [m].
_SEEN = 5  # Observations of a remembered object [count].
_LOW, _HIGH = 0.3, 1.2
"""Heights between which the arm puts objects down without stooping or stretching [m]."""


def container_of(world: SimWorldModel, placed: WorldObject) -> str:
    """Id of the furniture whose shut door hides an object; "" when it lies in the open."""
    x, y, z = (float(value) for value in world.T_world(placed.body)[:3, 3])
    for name, item in world.furniture.items():
        if item.container is None or not item.occludes_contents:
            continue
        low, high = item.container.interior.min, item.container.interior.max
        local = (*item.pose.to_local(x, y), z)
        if all(a <= value <= b for a, value, b in zip(low, local, high, strict=True)):
            return name
    return ""


def remembered(world: SimWorldModel, things: Iterable[str], seed: int) -> SceneGraph:
    """Memory records of some objects from an earlier visit: poses within 2 cm."""
    rng = np.random.default_rng(seed)
    numbered = enumerate(things, start=1)
    return SceneGraph(tuple(_node(world, world.objects[name], number, rng) for number, name in numbered))


def _node(world: SimWorldModel, item: WorldObject, number: int, rng: np.random.Generator) -> SceneNode:
    x, y, z = (float(v) for v in world.T_world(item.body)[:3, 3] + rng.uniform(-_NOISE, _NOISE, 3))
    return SceneNode(
        id=f"{item.kind}_remembered_{number}",
        kind=NodeKind.OBJECT,
        label=item.phrase,
        pose=Pose((x, y, z)),
        size=item.size,
        votes={item.phrase: float(_SEEN)},
        unprompted=(item.phrase,),
        observations=_SEEN,
        source="an earlier visit",
    )


T = TypeVar("T")


class NothingToAsk(OpenRALError):
    """A home without what an archetype needs."""

    def __init__(self, archetype: TaskType, needed: str) -> None:
        super().__init__(f"this home offers nothing for {archetype.value!r}: it needs {needed}")


@dataclass(frozen=True, slots=True)
class Task:
    """One task: the goal, its recipient and the initial memory."""

    archetype: TaskType
    goal: str  # In the operator's words.
    phrase: str  # Name of the object.
    person: str = ""  # Id of the recipient; "" if there is none.
    remembered: tuple[str, ...] = ()  # Ids of the objects that memory knows before.
    # Parts of the task, each judged for itself; none for a task of a single part.
    requirements: tuple[Requirement, ...] = ()
    displaced: tuple[Displaced, ...] = ()  # Objects that lie elsewhere than they were drawn.


def draw_task(archetype: TaskType, world: SimWorldModel, seed: int) -> Task:
    """Draw the task of a seed.

    Raises:
        NothingToAsk: If the home offers none.
    """
    return _DRAWS[archetype](world, Random(f"{archetype.value} {seed}"))


def _fetch(world: SimWorldModel, rng: Random) -> Task:
    item = _one(rng, TaskType.FETCH, _lying(world, hidden=False), "a graspable object in the open")
    return Task(TaskType.FETCH, f"bring me the {item.phrase}", item.phrase, _first(world), (item.id,))


def _find(world: SimWorldModel, rng: Random) -> Task:
    item = _one(rng, TaskType.FIND, list(world.objects.values()), "an object")
    return Task(TaskType.FIND, f"find the {item.phrase}", item.phrase)


def _open(world: SimWorldModel, rng: Random) -> Task:
    item = _one(rng, TaskType.OPEN, _lying(world, hidden=True), "a graspable object behind a door")
    return Task(TaskType.OPEN, f"bring me the {item.phrase}", item.phrase, _first(world), (item.id,))


def _view(world: SimWorldModel, rng: Random) -> Task:
    names = [item.phrase for item in world.furniture.values() if item.surfaces]
    named = [name for name in names if names.count(name) == 1]
    phrase = _one(rng, TaskType.VIEW, named, "a piece of furniture with a name of its own")
    return Task(TaskType.VIEW, f"look at the {phrase}", phrase)


def _hand(world: SimWorldModel, rng: Random) -> Task:
    item = _one(rng, TaskType.HAND, _lying(world, hidden=False), "a graspable object in the open")
    person = _one(rng, TaskType.HAND, list(world.people.values()), "a person")
    return Task(TaskType.HAND, f"give the {item.phrase} to the {person.name}", item.phrase, person.id)


def _pour(world: SimWorldModel, rng: Random) -> Task:
    kinds = {item.kind for item in world.objects.values()}
    if not {"wine_bottle", "wine_glass"} <= kinds:
        raise NothingToAsk(TaskType.POUR, "a wine bottle and a wine glass")
    return Task(TaskType.POUR, "bring me a cup of wine", "wine glass", _first(world))


def _several(world: SimWorldModel, rng: Random) -> Task:
    first, second = _two(rng, TaskType.SEVERAL, _named(_lying(world, hidden=False)))
    goal = f"bring me the {first.phrase} and the {second.phrase}"
    requirements = tuple(Given(item.phrase, _first(world)) for item in (first, second))
    return Task(TaskType.SEVERAL, goal, first.phrase, _first(world), (first.id, second.id), requirements)


def _rearrange(world: SimWorldModel, rng: Random) -> Task:
    things = _two(rng, TaskType.REARRANGE, _named(_lying(world, hidden=False)))
    under = {world.support_of(item.id) for item in things}
    free = [piece for piece in open_tables(world) if piece.id not in under]
    places = _two(rng, TaskType.REARRANGE, free, "furniture with a surface, where neither of them lies")
    parts = " and ".join(f"the {a.phrase} on the {b.phrase}" for a, b in zip(things, places, strict=True))
    lie = tuple(LiesOn(item.id, (place.id,)) for item, place in zip(things, places, strict=True))
    ids = tuple(item.id for item in things)
    return Task(TaskType.REARRANGE, f"put {parts}", things[0].phrase, "", ids, lie)


def _swap(world: SimWorldModel, rng: Random) -> Task:
    lying = [(item, world.support_of(item.id)) for item in _named(_lying(world, hidden=False))]
    tables = {piece.id for piece in open_tables(world)}
    pairs = [
        (a, b)
        for number, a in enumerate(lying)
        for b in lying[number + 1 :]
        if a[1] != b[1] and {a[1], b[1]} <= tables
    ]
    (first, under_first), (second, under_second) = _one(rng, TaskType.SWAP, pairs, "objects on two tables")
    lie = (LiesOn(first.id, (str(under_second),)), LiesOn(second.id, (str(under_first),)))
    goal = f"swap the {first.phrase} and the {second.phrase}"
    return Task(TaskType.SWAP, goal, first.phrase, "", (first.id, second.id), lie)


def _clear(world: SimWorldModel, rng: Random) -> Task:
    on = {
        piece: [item for item in world.objects.values() if world.support_of(item.id) == piece.id]
        for piece in open_tables(world)
    }
    offered = [(piece, items) for piece, items in on.items() if items and all(x.graspable for x in items)]
    piece, items = _one(rng, TaskType.CLEAR, offered, "furniture on which everything can be grasped")
    requirements = tuple(HasLeft(item.id, piece.id) for item in items)
    ids = tuple(item.id for item in items)
    return Task(TaskType.CLEAR, f"clear the {piece.phrase}", items[0].phrase, "", ids, requirements)


def _tidy(world: SimWorldModel, rng: Random) -> Task:
    offered = [
        (item, piece, proper)
        for item in _named(_lying(world, hidden=False))
        for proper in [_proper_places(world, item)]
        for piece in (open_tables(world) if proper else ())
        if piece.id not in proper
    ]
    rng.shuffle(offered)
    for item, piece, proper in offered:
        position = free_position(world, item, piece, rng)
        room = next(room for room in world.scene.home.rooms if room.id == piece.room)
        if position is not None:
            lies = (LiesOn(item.id, proper),)
            aside = (Displaced(item.id, position),)
            return Task(TaskType.TIDY, f"tidy the {room.name}", item.phrase, "", (item.id,), lies, aside)
    raise NothingToAsk(TaskType.TIDY, "an object with usual places and a piece that is none of them")


def _condition(world: SimWorldModel, rng: Random) -> Task:
    there, other = _two(rng, TaskType.CONDITION, _named(_lying(world, hidden=False)))
    places = {str(world.support_of(item.id)): item for item in (there, other)}
    place = _one(rng, TaskType.CONDITION, [x for x in open_tables(world) if x.id in places], "a table")
    sought = rng.choice((there, other))
    second = other if sought is there else there
    target = sought if world.support_of(sought.id) == place.id else second
    goal = (
        f"if the {sought.phrase} is on the {place.phrase}, bring it to me, "
        f"otherwise bring me the {second.phrase}"
    )
    requirements = (Given(target.phrase, _first(world)),)
    return Task(TaskType.CONDITION, goal, target.phrase, _first(world), (second.id,), requirements)


def _proper_places(world: SimWorldModel, item: WorldObject) -> tuple[str, ...]:
    """Ids of the furniture where objects of a kind are usually kept, by a table the planner does not read."""
    usual = usual_places().get(item.kind.rpartition("_")[2], ())
    return tuple(piece.id for piece in world.furniture.values() if piece.kind.rpartition("_")[2] in usual)


def _named(items: Iterable[WorldObject]) -> list[WorldObject]:
    """Return the objects whose name no other object has."""
    items = list(items)
    names = [item.phrase for item in items]
    return [item for item in items if names.count(item.phrase) == 1]


def open_tables(world: SimWorldModel) -> list[WorldFurniture]:
    """Return the furniture to stand before, with an open surface at table height and a name of its own."""
    names = [piece.phrase for piece in world.furniture.values()]
    approachable = {place.looks_at for place in world.places.values()}
    return [
        piece
        for piece in world.furniture.values()
        if piece.container is None
        and piece.id in approachable
        and names.count(piece.phrase) == 1
        and any(_LOW < surface.z < _HIGH for surface in piece.surfaces)
    ]


def _two(
    rng: Random, archetype: TaskType, offered: Sequence[T], needed: str = "two objects in the open"
) -> tuple[T, T]:
    if len(offered) < 2:
        raise NothingToAsk(archetype, needed)
    first, second = rng.sample(offered, 2)
    return first, second


def _switch(world: SimWorldModel, rng: Random) -> Task:
    parts = [part.appliance for item in world.furniture.values() for part in item.appliances]
    appliance = _one(rng, TaskType.SWITCH, parts, "a lamp or screen with a switch")
    requirement = Switched(appliance.id, rng.random() < 0.5)
    goal = f"turn {'on' if requirement.on else 'off'} the {appliance.name}"
    return Task(TaskType.SWITCH, goal, appliance.name, requirements=(requirement,))


def _lying(world: SimWorldModel, *, hidden: bool) -> list[WorldObject]:
    return [
        item
        for item in world.objects.values()
        if item.graspable and bool(container_of(world, item)) is hidden
    ]


def _first(world: SimWorldModel) -> str:
    return next(iter(world.people))


def _one(rng: Random, archetype: TaskType, offered: Sequence[T], needed: str) -> T:
    if not offered:
        raise NothingToAsk(archetype, needed)
    return rng.choice(offered)


_DRAWS: Mapping[TaskType, Callable[[SimWorldModel, Random], Task]] = {
    TaskType.FETCH: _fetch,
    TaskType.FIND: _find,
    TaskType.OPEN: _open,
    TaskType.VIEW: _view,
    TaskType.HAND: _hand,
    TaskType.POUR: _pour,
    TaskType.SEVERAL: _several,
    TaskType.REARRANGE: _rearrange,
    TaskType.SWAP: _swap,
    TaskType.CLEAR: _clear,
    TaskType.TIDY: _tidy,
    TaskType.CONDITION: _condition,
    TaskType.SWITCH: _switch,
}
