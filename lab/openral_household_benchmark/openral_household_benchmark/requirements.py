"""Conditions on the true home in which a task ends, and objects that lie elsewhere when it begins."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random

import mujoco
import numpy as np

from openral_sim.planning.occupancy_grid import SimOccupancyGrid, rasterise
from openral_sim.scene.entities import WorldFurniture, WorldObject
from openral_sim.scene.world import SimWorldModel

IN_HAND = 0.30
"""Distance of an object's middle from the palm of the person who has it, at most [m]."""
GAP = 0.04
"""Space between objects that are put down [m]."""
ATTEMPTS = 60
"""Points of a surface that are tried for an object [1]."""
REACH = 0.75
"""Distance that a domestic robot's arm reaches from the middle of its base [m]."""
STANDING = 0.35
"""Distance from the middle of a base to furniture and walls, at least [m]."""


@dataclass(frozen=True, slots=True)
class Given:
    """An object of this name is in the hand of a person."""

    phrase: str
    person: str


@dataclass(frozen=True, slots=True)
class LiesOn:
    """An object lies on, or in, one of these pieces of furniture."""

    thing: str
    furniture: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HasLeft:
    """An object no longer lies on a piece of furniture."""

    thing: str
    furniture: str


@dataclass(frozen=True, slots=True)
class Switched:
    """A lamp or screen is on, or off; it is the other way round when the task begins."""

    appliance: str
    on: bool


Requirement = Given | LiesOn | HasLeft | Switched


def unmet(world: SimWorldModel, requirement: Requirement) -> str:
    """Return what keeps a requirement from being met; "" when it is."""
    return _CHECKS[type(requirement)](world, requirement)


def bodies_in_hand(world: SimWorldModel, phrase: str, person: str) -> list[int]:
    """Return the bodies of the objects of a name that are in the hand of a person."""
    palm = np.array(world.data.site(world.people[person].hand_site).xpos)
    near = (
        item.body
        for item in world.objects.values()
        if item.phrase == phrase and np.linalg.norm(world.T_world(item.body)[:3, 3] - palm) < IN_HAND
    )
    return [int(world.model.body(body).id) for body in near]


def _given(world: SimWorldModel, goal: Given) -> str:
    bodies = bodies_in_hand(world, goal.phrase, goal.person)
    return "" if bodies else f"no {goal.phrase} in the hand of {goal.person}"


def _lies_on(world: SimWorldModel, goal: LiesOn) -> str:
    support = world.support_of(goal.thing)
    if support in goal.furniture:
        return ""
    return f"the {world.objects[goal.thing].phrase} lies on {support}, not on {' or '.join(goal.furniture)}"


def _has_left(world: SimWorldModel, goal: HasLeft) -> str:
    still = world.support_of(goal.thing) == goal.furniture
    return f"the {world.objects[goal.thing].phrase} still lies on {goal.furniture}" if still else ""


def _switched(world: SimWorldModel, goal: Switched) -> str:
    is_on = world.appliances.is_on(goal.appliance)
    return "" if is_on is goal.on else f"the {goal.appliance} is {'on' if is_on else 'off'}"


_CHECKS: Mapping[type, Callable[..., str]] = {
    Given: _given,
    LiesOn: _lies_on,
    HasLeft: _has_left,
    Switched: _switched,
}


def unswitch(world: SimWorldModel, requirements: Iterable[Requirement]) -> None:
    """Turn every appliance that a task is about the other way round."""
    for requirement in requirements:
        if isinstance(requirement, Switched):
            world.appliances.set_on(world.data, requirement.appliance, not requirement.on)


@dataclass(frozen=True, slots=True)
class Displaced:
    """An object that lies at another position [m] when the task begins."""

    thing: str
    position: tuple[float, float, float]


def displace(world: SimWorldModel, displaced: Displaced) -> None:
    """Put an object where a task wants it, upright as it was drawn."""
    joint = world.data.joint(world.objects[displaced.thing].body)
    joint.qpos[:3] = displaced.position
    joint.qvel[:] = 0.0
    mujoco.mj_forward(world.model, world.data)


def free_position(
    world: SimWorldModel, item: WorldObject, furniture: WorldFurniture, rng: Random
) -> tuple[float, float, float] | None:
    """Return a position on the uppermost surface of a piece, within an arm's reach of the floor.

    None if there is no room.
    """
    surface = max(furniture.surfaces, key=lambda each: each.z)
    radius = _radius(item)
    low, high = np.array(surface.area.min) + radius, np.array(surface.area.max) - radius
    if np.any(low > high):
        return None
    others = [(world.T_world(each.body)[:2, 3], _radius(each)) for each in world.objects.values()]
    floor = floor_of(world)
    standing = floor.point(np.argwhere(floor.clearance >= STANDING))
    for _ in range(ATTEMPTS):
        local = (rng.uniform(*pair) for pair in zip(low, high, strict=True))
        x, y = (float(value) for value in furniture.pose.to_parent(*local))
        free = all(np.hypot(*(other - (x, y))) > radius + size + GAP for other, size in others)
        if free and np.hypot(*(standing - (x, y)).T).min(initial=np.inf) <= REACH:
            return x, y, surface.z + item.size[2] / 2.0
    return None


def floor_of(world: SimWorldModel) -> SimOccupancyGrid:
    """Rasterise the floor; robots, people and objects are no obstacles."""
    names = ((body, world.model.body(body).name) for body in range(world.model.nbody))
    moving = frozenset(body for body, name in names if name.startswith(("object/", "robot/", "person/")))
    return rasterise(world.model, world.data, moving)


def _radius(item: WorldObject) -> float:
    return float(np.hypot(*item.size[:2])) / 2.0
