"""Ids of rooms that stay while a map grows, and names of rooms from what is in them."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

from openral_core.floor_map import FloorMap
from openral_core.home_map import HomeMap, Place, Room
from openral_core.parsing import parse_yaml
from openral_core.text import Thesaurus, UnreadableText
from openral_mapping.home.rooms import RoomSegments

MIN_OVERLAP = 0.3
"""Fraction of the smaller of two outlines that both share if they are one room [1]."""
MIN_WEIGHT = 2.0
"""Weight of the signs that name a room [1]: one good sign, or two weak ones."""
_NUMBERED = re.compile(r"room_(\d+)")
_UNNAMED = re.compile(r"room \d+")


def keep_ids(floor_map: FloorMap, segments: RoomSegments, earlier: Iterable[Room]) -> dict[int, Room]:
    """Match segments to the rooms of an earlier map by their floor, one to one.

    A room that was split keeps its id for the part that shares most of its floor; of two that grew together,
    the one that shares more stays.

    Returns:
        Known room by label, for the segments that have one.
    """
    rooms = list(earlier)
    if not rooms or not segments.count:
        return {}
    labels = range(1, segments.count + 1)
    sizes = np.bincount(segments.regions.ravel(), minlength=segments.count + 1)
    shared = np.zeros((segments.count, len(rooms)))
    least = np.zeros_like(shared)
    for column, room in enumerate(rooms):
        inside = floor_map.inside(room.polygon)
        overlap = np.bincount(segments.regions[inside], minlength=segments.count + 1)
        shared[:, column] = overlap[1:]
        least[:, column] = MIN_OVERLAP * np.minimum(sizes[1:], inside.sum())
    pairs = zip(*linear_sum_assignment(-shared), strict=True)
    return {labels[row]: rooms[column] for row, column in pairs if shared[row, column] > least[row, column]}


def new_ids(taken: Iterable[str], count: int) -> list[str]:
    """Return ids for new rooms, numbered after the highest that is taken."""
    numbers = [int(match[1]) for name in taken if (match := _NUMBERED.fullmatch(name))]
    first = max(numbers, default=0) + 1
    return [f"room_{number}" for number in range(first, first + count)]


def with_names(home: HomeMap) -> HomeMap:
    """Name the rooms that have no name yet from their furniture; names that anyone gave stay."""
    taken = {room.name for room in home.rooms if not _UNNAMED.fullmatch(room.name)}
    names: dict[str, str] = {}
    for room in home.rooms:
        kinds = [fixture.name for fixture in home.fixtures if fixture.room == room.id]
        use = room_use(kinds) if _UNNAMED.fullmatch(room.name) else ""
        if use:
            names[room.id] = _unused(use, taken)
            taken.add(names[room.id])
    return renamed(home, names)


def _unused(name: str, taken: Iterable[str]) -> str:
    number, candidate = 1, name
    while candidate in taken:
        number += 1
        candidate = f"{name} {number}"
    return candidate


def renamed(home: HomeMap, names: Mapping[str, str]) -> HomeMap:
    """Give rooms other names, and the places in their middle with them."""
    rooms = tuple(room.model_copy(update={"name": names.get(room.id, room.name)}) for room in home.rooms)
    places = tuple(_renamed_place(place, names) for place in home.places)
    return home.model_copy(update={"rooms": rooms, "places": places})


def _renamed_place(place: Place, names: Mapping[str, str]) -> Place:
    if place.id != f"{place.room}_middle" or place.room not in names:
        return place
    return place.model_copy(update={"name": f"middle of the {names[place.room]}"})


def room_use(names: Iterable[str]) -> str:
    """Return the use of a room with these pieces of furniture; "" if they do not tell."""
    weights: dict[str, float] = {}
    for name in set(names):
        for use, signs in room_signs().items():
            weight = max((w for sign, w in signs.items() if _is_a(name, sign)), default=0.0)
            weights[use] = weights.get(use, 0.0) + weight
    ranked = sorted(weights.items(), key=lambda item: -item[1])
    if not ranked or ranked[0][1] < MIN_WEIGHT or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return ""
    return ranked[0][0]


def _is_a(name: str, sign: str) -> bool:
    try:
        return _thesaurus().relation(sign, name).is_hit
    except UnreadableText:
        return False


@cache
def _thesaurus() -> Thesaurus:
    return Thesaurus.load()


@cache
def room_signs() -> Mapping[str, Mapping[str, float]]:
    """Weights of the pieces of furniture that tell the use of a room."""
    text = Path(__file__).with_name("room_signs.yaml").read_text(encoding="utf-8")
    content: Mapping[str, Mapping[str, float]] = parse_yaml(text)  # type: ignore[assignment]
    return content
