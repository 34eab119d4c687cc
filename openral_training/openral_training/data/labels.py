"""Categories of the data set, and the category and instance of every geom of a home."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_sim.assets.furniture.catalogue import FURNITURE_KINDS
from openral_sim.assets.objects.catalogue import KINDS
from openral_sim.scene.world import SimWorldModel

PERSON = "person"
_BOOK_TRIM = re.compile(r"trim/(.+)_book_\d+")
"""Names of the decorative books; a row of them on a shelf is one region to ignore."""


@dataclass(frozen=True)
class Category:
    """A category of the data set; `id` counts from 1, and `group` is object, furniture or person."""

    id: int
    name: str
    group: str


def _categories() -> Iterator[tuple[str, str, str]]:
    yield from ((kind, described.noun, "object") for kind, described in KINDS.items())
    yield from ((kind, kind, "furniture") for kind in sorted(FURNITURE_KINDS))
    yield PERSON, PERSON, PERSON


CATEGORIES: dict[str, Category] = {
    kind: Category(number, name, group) for number, (kind, name, group) in enumerate(_categories(), start=1)
}
"""Category of every kind of object and furniture, and of people; the same in every split."""


@dataclass(frozen=True)
class Instance:
    """An entity of a home that is annotated."""

    entity: str  # Its id in the home, such as `red_mug`.
    category: Category
    # True for a region that is neither a hit nor a miss, such as a row of decorative books.
    ignored: bool = False


class HomeLabels:
    """Instances of a home.

    Attributes:
        instances: Every instance; its number is its index plus 1.
        of_geom: Number of the instance of every geom, 0 for none, shape (ngeom + 1,); the last is for -1.
        robot: True for the robot's geoms, shape (ngeom + 1,).
    """

    def __init__(self, world: SimWorldModel) -> None:
        model = world.model
        names = [model.geom(index).name for index in range(model.ngeom)]
        self.of_geom = np.zeros(model.ngeom + 1, dtype=np.int32)
        self.instances: list[Instance] = []
        for instance, geoms in _entities(world, names):
            self.instances.append(instance)
            self.of_geom[geoms] = len(self.instances)
        bodies = [model.body(int(body)).name for body in model.geom_bodyid]
        self.robot: NDArray[np.bool_] = np.array([*(name.startswith("robot/") for name in bodies), False])


def _entities(world: SimWorldModel, names: list[str]) -> Iterator[tuple[Instance, list[int]]]:
    number = {name: index for index, name in enumerate(names)}
    for item in world.objects.values():
        yield Instance(item.id, CATEGORIES[item.kind]), [number[name] for name in item.geoms]
    for fixture in world.furniture.values():
        yield Instance(fixture.id, CATEGORIES[fixture.kind]), [number[name] for name in fixture.geoms]
    for person in world.people.values():
        yield Instance(person.id, CATEGORIES[PERSON]), [number[name] for name in person.geoms]
    rows: dict[str, list[int]] = {}
    for name, index in number.items():
        if row := _BOOK_TRIM.fullmatch(name):
            rows.setdefault(f"{row[1]}_books", []).append(index)
    for row_name, geoms in rows.items():
        yield Instance(row_name, CATEGORIES["book"], ignored=True), geoms
