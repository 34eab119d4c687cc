"""Rooms side by side, the walls around them and the doorways between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from openral_core.errors import OpenRALError
from openral_core.home_map import Doorway, Rectangle, Room
from openral_sim.procedural.room_types import Span, room_types

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
_DOORWAY: Span = (1.25, 1.45)
_FROM_CORNER = 0.45
_BESIDE_DOORWAY, _BEFORE_DOORWAY = 0.1, 1.1


class NoSuchPlan(OpenRALError):
    """A number of rooms that no plan has."""

    def __init__(self, rooms: int) -> None:
        super().__init__(f"no plan has {rooms} rooms; plans have: {', '.join(map(str, PLANS))}")


@dataclass(frozen=True)
class Border:
    """A wall two rooms share, or that a room shares with the outside, and the doorway in it.

    Attributes:
        rooms: The ids of the rooms on its two sides; one where the other side is outside.
        start: One end in map in [m].
        end: The other end, further along x or y.
        doorway: Where its doorway begins, from the start, and how wide it is in [m].
    """

    rooms: tuple[str, ...]
    start: tuple[float, float]
    end: tuple[float, float]
    doorway: Span | None = None

    @property
    def along(self) -> int:
        """The axis it runs along: 0 for x, 1 for y."""
        return 0 if self.start[1] == self.end[1] else 1

    @property
    def middle_of_doorway(self) -> tuple[float, float]:
        """The middle of the doorway in map in [m]; of the border where there is none."""
        near, width = self.doorway or (0.0, self.end[self.along] - self.start[self.along])
        centre = self.start[self.along] + near + width / 2
        return (centre, self.start[1]) if self.along == 0 else (self.start[0], centre)


@dataclass(frozen=True)
class FloorPlan:
    """The floor plan of a home, its south-west corner at the origin."""

    rooms: dict[str, Rectangle]
    borders: tuple[Border, ...]

    @property
    def size(self) -> tuple[float, float]:
        """Extent along x and y in [m]."""
        corners = [room.max for room in self.rooms.values()]
        return max(x for x, _ in corners), max(y for _, y in corners)

    def map_rooms(self) -> tuple[Room, ...]:
        """The rooms as the map has them."""
        return tuple(_map_room(name, area) for name, area in self.rooms.items())

    def doorways(self) -> tuple[Doorway, ...]:
        """The doorways as the map has them."""
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

    def before_doorways(self) -> Iterator[Rectangle]:
        """The floor on both sides of every doorway."""
        for border in self.borders:
            if border.doorway is not None:
                half = (border.doorway[1] / 2 + _BESIDE_DOORWAY, _BEFORE_DOORWAY)
                dx, dy = half if border.along == 0 else half[::-1]
                x, y = border.middle_of_doorway
                yield Rectangle(min=(x - dx, y - dy), max=(x + dx, y + dy))


def sample_floor_plan(rng: np.random.Generator, rooms: int) -> FloorPlan:
    """Draw a floor plan in which every room can be reached from every other.

    Raises:
        NoSuchPlan: If no plan has that many rooms.
    """
    if rooms not in PLANS:
        raise NoSuchPlan(rooms)
    plan = PLANS[rooms][rng.integers(len(PLANS[rooms]))]
    areas = _areas(rng, plan)
    return FloorPlan(areas, tuple(_with_doorways(rng, _shared(areas), list(areas))) + tuple(_outside(areas)))


def _areas(rng: np.random.Generator, plan: Plan) -> dict[str, Rectangle]:
    """Each room's floor; all columns are as deep as the deepest."""
    depths = [[_drawn(rng, room_types()[name].depth) for name in column] for column in plan]
    deepest = max(sum(column) for column in depths)
    areas, x = {}, 0.0
    for column, drawn in zip(plan, depths, strict=True):
        east = round(x + max(_drawn(rng, room_types()[name].width) for name in column), 2)
        tops = np.round(np.cumsum(drawn) * deepest / sum(drawn), 2)
        for name, low, high in zip(column, (0.0, *tops[:-1]), tops, strict=True):
            areas[name] = Rectangle(min=(x, float(low)), max=(east, float(high)))
        x = east
    return areas


def _shared(areas: dict[str, Rectangle]) -> Iterator[Border]:
    """The border of every two rooms that touch."""
    for first, a in areas.items():
        for second, b in areas.items():
            for axis in (0, 1):
                low, high = max(a.min[1 - axis], b.min[1 - axis]), min(a.max[1 - axis], b.max[1 - axis])
                if a.max[axis] == b.min[axis] and high > low:
                    at = a.max[axis]
                    ends = ((at, low), (at, high)) if axis == 0 else ((low, at), (high, at))
                    yield Border((first, second), *ends)


def _with_doorways(
    rng: np.random.Generator, borders: Iterator[Border], rooms: Sequence[str]
) -> Iterator[Border]:
    """Doorways in just enough borders to join all rooms."""
    group = {room: room for room in rooms}
    drawn = list(borders)
    for index in rng.permutation(len(drawn)):
        border = drawn[index]
        first, second = (group[room] for room in border.rooms)
        width = round(_drawn(rng, _DOORWAY), 2)
        length = border.end[border.along] - border.start[border.along]
        if first == second or length < width + 2 * _FROM_CORNER:
            yield border
            continue
        group = {room: first if name == second else name for room, name in group.items()}
        near = round(float(rng.uniform(_FROM_CORNER, length - width - _FROM_CORNER)), 2)
        yield Border(border.rooms, border.start, border.end, (near, width))


def _outside(areas: dict[str, Rectangle]) -> Iterator[Border]:
    """The outer walls; each room's own stretch of them."""
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
    programme = room_types()[name]
    polygon = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    return Room(id=name, name=programme.name, aliases=programme.aliases, polygon=polygon)


def _drawn(rng: np.random.Generator, span: Span) -> float:
    return round(float(rng.uniform(*span)), 1)


def _rounded(point: tuple[float, float]) -> tuple[float, float]:
    return round(point[0], 3), round(point[1], 3)
