"""Semantic instance ids: one per object, fixture and person, 0 for everything else."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np

from openral_sim.world import World


class InstanceLabels:
    """Numbers every instance of a world and tells which geom belongs to which.

    Attributes:
        phrases: Instance id to phrase; two things of one phrase have different ids.
        ids: Thing id to instance id.
        of_geom: Instance id of every geom, uint16, shape (ngeom,).
    """

    def __init__(self, world: World) -> None:
        phrases: dict[int, str] = {}
        ids: dict[str, int] = {}
        self.of_geom = np.zeros(world.model.ngeom, dtype=np.uint16)
        for number, (thing, phrase, geoms) in enumerate(_things(world), start=1):
            phrases[number], ids[thing] = phrase, number
            self.of_geom[[world.model.geom(name).id for name in geoms]] = number
        self.phrases: Mapping[int, str] = MappingProxyType(phrases)
        self.ids: Mapping[str, int] = MappingProxyType(ids)


def _things(world: World) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for item in world.objects.values():
        yield item.id, item.phrase, item.geoms
    for fixture in world.furniture.values():
        yield fixture.id, fixture.phrase, fixture.geoms
    for person in world.people.values():
        yield person.id, "person", person.geoms
