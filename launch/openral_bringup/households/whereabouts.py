"""Where things are in truth, and what a memory would have kept of it."""

from collections.abc import Iterable

import numpy as np

from openral_core.geometry import Pose
from openral_core.scene_graph import NodeKind, SceneGraph, SceneNode
from openral_sim.entities import WorldObject
from openral_sim.world import World

_NOISE = 0.02
_SEEN = 5


def container_of(world: World, thing: WorldObject) -> str:
    """Id of the furniture whose shut door hides a thing; "" when it lies in the open."""
    x, y, z = (float(value) for value in world.T_world(thing.body)[:3, 3])
    for name, item in world.furniture.items():
        if item.container is None or not item.occludes_contents:
            continue
        low, high = item.container.interior.min, item.container.interior.max
        local = (*item.pose.to_local(x, y), z)
        if all(a <= value <= b for a, value, b in zip(low, local, high, strict=True)):
            return name
    return ""


def remembered(world: World, things: Iterable[str], seed: int) -> SceneGraph:
    """What an earlier visit has left in memory of some objects: poses within 2 cm."""
    rng = np.random.default_rng(seed)
    return SceneGraph(tuple(_node(world, world.objects[name], rng) for name in things))


def _node(world: World, thing: WorldObject, rng: np.random.Generator) -> SceneNode:
    x, y, z = (float(v) for v in world.T_world(thing.body)[:3, 3] + rng.uniform(-_NOISE, _NOISE, 3))
    return SceneNode(
        id=f"{thing.kind}_remembered",
        kind=NodeKind.OBJECT,
        label=thing.phrase,
        pose=Pose((x, y, z)),
        size=thing.size,
        votes={thing.phrase: float(_SEEN)},
        observations=_SEEN,
        source="an earlier visit",
    )
