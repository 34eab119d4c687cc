"""Floor plans: rooms side by side, the walls around them and the doorways between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from openral_core.errors import OpenRALError
from openral_core.home_map import Doorway, Rectangle, Room
from openral_training.homes.room_types import Span, room_types

Plan = tuple[tuple[str, ...], ...]
"""Columns of rooms from west to east, each from south to north."""
PLANS: dict[int, tuple[Plan, ...]] = {
    1: ((("studio",),),),
    2: ((("kitchen",), ("living_room",)), (("living_room",), ("kitchen",))),
    3: (
        (("kitchen",), ("living_room",), ("bedroom",)),
        (("bedroom",), ("living_room",), ("kitchen",)),
        (("kitchen",), ("living_room",), ("study",)),
    ),
    4: (
        (("kitchen", "study"), ("living_room", "bedroom")),
        (("bedroom", "kitchen"), ("study", "living_room")),
        (("living_room", "bedroom"), ("kitchen", "study")),
    ),
}
"""Every floor plan, by its number of rooms."""


@dataclass(frozen=True)
class DoorwayConfig:
    """Dimensions of sampled doorways."""

    width: Span = (1.25, 1.45)  # Bounds of the width [m].
    corner_distance: float = 0.45  # Smallest distance from a corner of the room [m].
    side_clearance: float = 0.1  # Floor kept clear on each side of the doorway [m].
    front_clearance: float = 1.1  # Floor kept clear before and behind the doorway [m].


DOORWAY = DoorwayConfig()


class NoSuchPlan(OpenRALError):
    """A number of rooms without a floor plan."""

    def __init__(self, rooms: int) -> None:
        super().__init__(f"no plan has {rooms} rooms; valid numbers: {', '.join(map(str, PLANS))}")


@dataclass(frozen=True)
class Border:
    """A wall between two rooms, or between a room and the outside, and the doorway in it."""

    rooms: tuple[str, ...]  # Ids of the rooms on its two sides; only one if the other side is outside.
    start: tuple[float, float]  # One end, in map [m].
    end: tuple[float, float]  # The other end, further along x or y.
    doorway: Span | None = None  # Distance of its doorway from the start, and the doorway's width [m].

    @property
    def along(self) -> int:
        """Axis along which it runs: 0 for x, 1 for y."""
        return 0 if self.start[1] == self.end[1] else 1

    @property
    def middle_of_doorway(self) -> tuple[float, float]:
        """Middle of the doorway in map [m]; of the border if it has no doorway."""
        near, width = self.doorway or (0.0, self.end[self.along] - self.start[self.along])
        centre = self.start[self.along] + near + width / 2
        return (centre, self.start[1]) if self.along == 0 else (self.start[0], centre)


@dataclass(frozen=True)
class FloorPlan:
    """Floor plan of a home with its south-west corner at the origin."""

    rooms: dict[str, Rectangle]
    borders: tuple[Border, ...]

    @property
    def size(self) -> tuple[float, float]:
        """Extent along x and y [m]."""
        corners = [room.max for room in self.rooms.values()]
        return max(x for x, _ in corners), max(y for _, y in corners)

    def map_rooms(self) -> tuple[Room, ...]:
        """Return the rooms as entries of a map."""
        return tuple(_map_room(name, area) for name, area in self.rooms.items())

    def doorways(self) -> tuple[Doorway, ...]:
        """Return the doorways as entries of a map."""
        return tuple(
            Doorway(
                id=f"{border.rooms[0]}_{border.rooms[1]}_doorway",
                rooms=(border.rooms[0], border.rooms[1]),
                at=_rounded(border.middle_of_doorway),
                width=round(border.doorway[1], 2),
            )
            for border in self.borders
            if border.doorway is not None
        )

    def doorway_clearances(self) -> Iterator[Rectangle]:
        """Yield the floor to keep clear on both sides of every doorway."""
        for border in self.borders:
            if border.doorway is not None:
                half = (border.doorway[1] / 2 + DOORWAY.side_clearance, DOORWAY.front_clearance)
                dx, dy = half if border.along == 0 else half[::-1]
                x, y = border.middle_of_doorway
                yield Rectangle(min=(x - dx, y - dy), max=(x + dx, y + dy))


def sample_floor_plan(rng: np.random.Generator, rooms: int) -> FloorPlan:
    """Sample a floor plan in which every room can be reached from every other.

    Raises:
        NoSuchPlan: If there is no plan with that number of rooms.
    """
    if rooms not in PLANS:
        raise NoSuchPlan(rooms)
    plan = PLANS[rooms][rng.integers(len(PLANS[rooms]))]
    areas = sample_areas(rng, plan)
    inner = tuple(with_doorways(rng, inner_borders(areas), list(areas)))
    return FloorPlan(areas, inner + tuple(outer_borders(areas)))


def sample_areas(rng: np.random.Generator, plan: Plan) -> dict[str, Rectangle]:
    """Sample each room's floor; all columns are as deep as the deepest."""
    depths = [[_sample(rng, room_types()[name].depth) for name in column] for column in plan]
    deepest = max(sum(column) for column in depths)
    areas, x = {}, 0.0
    for column, sampled in zip(plan, depths, strict=True):
        east = round(x + max(_sample(rng, room_types()[name].width) for name in column), 2)
        tops = np.round(np.cumsum(sampled) * deepest / sum(sampled), 2)
        for name, low, high in zip(column, (0.0, *tops[:-1]), tops, strict=True):
            areas[name] = Rectangle(min=(x, float(low)), max=(east, float(high)))
        x = east
    return areas


def inner_borders(areas: dict[str, Rectangle]) -> Iterator[Border]:
    """Yield the border of every two rooms that touch."""
    for first, a in areas.items():
        for second, b in areas.items():
            for axis in (0, 1):
                low, high = max(a.min[1 - axis], b.min[1 - axis]), min(a.max[1 - axis], b.max[1 - axis])
                if a.max[axis] == b.min[axis] and high > low:
                    at = a.max[axis]
                    ends = ((at, low), (at, high)) if axis == 0 else ((low, at), (high, at))
                    yield Border((first, second), *ends)


def with_doorways(
    rng: np.random.Generator, borders: Iterator[Border], rooms: Sequence[str]
) -> Iterator[Border]:
    """Add doorways to just enough borders to connect all rooms."""
    group = {room: room for room in rooms}
    candidates = list(borders)
    for index in rng.permutation(len(candidates)):
        border = candidates[index]
        first, second = (group[room] for room in border.rooms)
        width = round(_sample(rng, DOORWAY.width), 2)
        length = border.end[border.along] - border.start[border.along]
        if first == second or length < width + 2 * DOORWAY.corner_distance:
            yield border
            continue
        group = {room: first if name == second else name for room, name in group.items()}
        low, high = DOORWAY.corner_distance, length - width - DOORWAY.corner_distance
        near = round(float(rng.uniform(low, high)), 2)
        yield Border(border.rooms, border.start, border.end, (near, width))


def outer_borders(areas: dict[str, Rectangle]) -> Iterator[Border]:
    """Yield each room's segments of the outer walls."""
    far = [max(area.max[axis] for area in areas.values()) for axis in (0, 1)]
    for name, area in areas.items():
        (x0, y0), (x1, y1) = area.min, area.max
        if y0 == 0.0:
            yield Border((name,), (x0, 0.0), (x1, 0.0))
        if y1 == far[1]:
            yield Border((name,), (x0, y1), (x1, y1))
        if x0 == 0.0:
            yield Border((name,), (0.0, y0), (0.0, y1))
        if x1 == far[0]:
            yield Border((name,), (x1, y0), (x1, y1))


def _map_room(name: str, area: Rectangle) -> Room:
    (x0, y0), (x1, y1) = area.min, area.max
    room_type = room_types()[name]
    polygon = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    return Room(id=name, name=room_type.name, aliases=room_type.aliases, polygon=polygon)


def _sample(rng: np.random.Generator, span: Span) -> float:
    return round(float(rng.uniform(*span)), 1)


def _rounded(point: tuple[float, float]) -> tuple[float, float]:
    return round(point[0], 3), round(point[1], 3)
