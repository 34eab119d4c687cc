"""Homes drawn from a table of where objects are kept: rooms, furniture, a hidden target and other objects."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from random import Random

from pydantic import Field

from openral_core.documents import Document, parse_document, read_yaml
from openral_core.text.terms import normalize_term
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome

ROOM_SIZE = 5.0
"""Edge of a room [m]."""
CLOSED = frozenset(
    {"fridge", "refrigerator", "freezer", "cabinet", "cupboard", "drawer", "dishwasher", "wardrobe", "closet"}
    | {"dresser", "oven", "microwave", "washing machine", "dryer", "pantry", "chest", "drier", "safe"}
)
"""Last words of furniture whose contents are hidden."""
CLUTTER = 8
"""Other objects in a home that memory knows [1]."""


class Whereabouts(Document):
    """One way to keep an object; ``weight`` is how often, relative to the other ways."""

    room: str
    place: str
    weight: float = Field(default=1.0, gt=0.0)


class PlacementTable(Document):
    """Places of objects according to one source."""

    name: str  # Short name of the source.
    origin: str  # Address of the source.
    licence: str  # Licence of the source.
    objects: Mapping[str, tuple[Whereabouts, ...]]  # Whereabouts of every object.
    # Number of searches for an object, relative to the others; 1 if it is not listed.
    frequency: Mapping[str, float] = Field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "PlacementTable":
        """Read a table from a YAML or JSON file.

        Raises:
            InvalidDocument: If the file is not valid.
        """
        return parse_document(cls, read_yaml(path), path)

    @cached_property
    def furniture(self) -> Mapping[str, tuple[str, ...]]:
        """Places of every room."""
        pairs = {(w.room, w.place) for w in chain.from_iterable(self.objects.values())}
        rooms = sorted({room for room, _ in pairs})
        return {room: tuple(sorted(place for r, place in pairs if r == room)) for room in rooms}


def draw_target(table: PlacementTable, rng: Random) -> str:
    """Draw the object to search for."""
    nouns = sorted(table.objects)
    return rng.choices(nouns, [table.frequency.get(noun, 1.0) for noun in nouns])[0]


def draw_home(table: PlacementTable, rng: Random, target: str, odd: float) -> tuple[SymbolicHome, str]:
    """Draw a home that has the place of its target; return it with the id of that place.

    Args:
        table: Source of rooms, furniture and places.
        rng: Source of randomness.
        target: Object of the table.
        odd: Fraction of objects that are at any place of the home instead [1].
    """
    where = rng.choices(table.objects[target], [w.weight for w in table.objects[target]])[0]
    others = [room for room in table.furniture if room != where.room]
    rooms = [where.room, *rng.sample(others, min(len(others), rng.randint(1, 4)))]
    rng.shuffle(rooms)
    home = SymbolicHome(places={}, objects={}, rooms={}, agents={})
    for number, label in enumerate(rooms):
        must = where.place if label == where.room else ""
        _furnish(home, number, label, _some(rng, table.furniture[label], must), rng)
    home.x, home.y = rng.uniform(0.0, ROOM_SIZE), rng.uniform(0.0, ROOM_SIZE)
    place = _place_in(home, rng, (where,), odd)
    strangers = [noun for noun in table.objects if noun.split()[-1] not in (target, target.split()[-1])]
    for index, noun in enumerate(rng.sample(strangers, min(CLUTTER, len(strangers)))):
        spot = _place_in(home, rng, table.objects[noun], odd)
        home.objects[f"clutter_{index}"] = HomeObject(f"clutter_{index}", noun, spot, noun)
    return home, place


def _some(rng: Random, places: Sequence[str], must: str) -> list[str]:
    """Return two to eight places, with the one that must be there."""
    others = [place for place in places if place != must]
    count = min(len(others), rng.randint(1, 7))
    return sorted([*rng.sample(others, count), *([must] if must else [])])


def _furnish(home: SymbolicHome, number: int, label: str, kinds: Sequence[str], rng: Random) -> None:
    room = f"room_{number}"
    home.rooms[room] = label
    for kind in kinds:
        node = f"{kind.replace(' ', '_')}_{number}"
        x = ROOM_SIZE * (number % 2) + rng.uniform(1.0, ROOM_SIZE)
        y = ROOM_SIZE * (number // 2) + rng.uniform(0.0, ROOM_SIZE)
        closed = normalize_term(kind).split()[-1] in CLOSED or normalize_term(kind) in CLOSED
        home.places[node] = HomePlace(node, kind, room, x, y, closed)


def _place_in(home: SymbolicHome, rng: Random, ways: Sequence[Whereabouts], odd: float) -> str:
    """Return the id of a place: one of the usual ones that this home has, else any."""
    every = sorted(home.places)
    if rng.random() >= odd:
        usual = [(each, way.weight) for way in ways for each in every if _is_at(home, each, way)]
        if usual:
            return rng.choices([each for each, _ in usual], [weight for _, weight in usual])[0]
    return rng.choice(every)


def _is_at(home: SymbolicHome, node: str, way: Whereabouts) -> bool:
    place = home.places[node]
    return place.label == way.place and home.rooms[place.room] == way.room
