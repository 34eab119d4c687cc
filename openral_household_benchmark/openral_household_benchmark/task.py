"""Task types, tasks drawn from a seed, and ground truth of where objects are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import TypeVar

import numpy as np

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, SceneGraph, SceneNode
from openral_sim.scene.entities import WorldObject
from openral_sim.world import SimWorldModel


class TaskType(StrEnum):
    """Kinds of household tasks."""

    FETCH = "fetch"
    """Bring something that memory has seen lying about."""
    FIND = "find"
    """Say where something is that nobody has seen yet, behind doors or not."""
    OPEN = "open"
    """Bring something that memory knows behind a closed door."""
    VIEW = "view"
    """Drive to a piece of furniture and look at it."""
    HAND = "hand"
    """Give somebody something that nobody has seen yet, and that lies open."""
    POUR = "pour"
    """Bring a drink: open, grasp, find a vessel, pour, deliver."""


_NOISE = 0.02
_SEEN = 5


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
    return SceneGraph(tuple(_node(world, world.objects[name], rng) for name in things))


def _node(world: SimWorldModel, item: WorldObject, rng: np.random.Generator) -> SceneNode:
    x, y, z = (float(v) for v in world.T_world(item.body)[:3, 3] + rng.uniform(-_NOISE, _NOISE, 3))
    return SceneNode(
        id=f"{item.kind}_remembered",
        kind=NodeKind.OBJECT,
        label=item.phrase,
        pose=Pose((x, y, z)),
        size=item.size,
        votes={item.phrase: float(_SEEN)},
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
    """One task: the goal, its recipient and the initial memory.

    Attributes:
        goal: In the operator's words.
        phrase: Name of the object.
        person: Id of the recipient; "" if there is none.
        remembered: Ids of the objects that memory knows before.
    """

    archetype: TaskType
    goal: str
    phrase: str
    person: str = ""
    remembered: tuple[str, ...] = ()


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
}
