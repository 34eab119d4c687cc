"""Furniture drawn into rooms: backs to the walls, the floor before fronts and doorways kept free."""
# MERGED Furniture a home is drawn from: fixtures that have no place yet.
# MERGED The floor of a room while it is furnished: what stands on it and what must stay free.

from dataclasses import dataclass, field
from functools import cache
from math import pi

import numpy as np
from pydantic import NonNegativeFloat, PositiveFloat

from openral_core.documents import Document
from openral_core.home_map import Container, Fixture, Pose2, Rectangle, Surface
from openral_sim.assets.materials import LookName
from openral_sim.procedural.floor_plan import FloorPlan
from openral_sim.procedural.room_types import load_entries, room_types
from openral_sim.scene.schema import FurnitureStyle, Side


class Companion(Document):
    """A piece that goes with another, `at` a pose in the other's frame."""

    piece: str
    at: Pose2


class Piece(Document):
    """A fixture without its place.

    Attributes:
        kind: What builds it.
        size: Depth, width and height in [m].
        free: Floor kept free before its front in [m].
        beside: How much wider than the piece that floor is, to the side its door opens to, in [m];
            half of that to the other side.
        standoff: From its front to where the robot stands in [m]; 0 for one nobody stands before.
        hinge: The side its door is hinged on or slides to; drawn when not given.
        looks: Pairs of main and accent, one of which is drawn; none for a companion that takes the piece's.
        books: The ids of surfaces that are filled with books.
    """

    kind: str
    name: str
    aliases: tuple[str, ...] = ()
    size: tuple[PositiveFloat, PositiveFloat, PositiveFloat]
    surfaces: tuple[Surface, ...] = ()
    container: Container | None = None
    free: NonNegativeFloat = 0.0
    beside: NonNegativeFloat = 0.0
    standoff: NonNegativeFloat = 0.0
    hinge: Side | None = None
    looks: tuple[tuple[LookName, LookName], ...] = ()
    companions: tuple[Companion, ...] = ()
    books: tuple[str, ...] = ()

    @property
    def footprint(self) -> Rectangle:
        """The floor it stands on, in its own frame."""
        x, y = self.size[0] / 2, self.size[1] / 2
        return Rectangle(min=(-x, -y), max=(x, y))

    def kept_free(self, hinge: Side) -> Rectangle:
        """The floor before its front that nothing may stand on, in its own frame."""
        x, y = self.size[0] / 2, self.size[1] / 2
        less = self.beside / 2
        left, right = (self.beside, less) if hinge == "right" else (less, self.beside)
        return Rectangle(min=(x, -y - right), max=(x + self.free, y + left))

    def fixture(self, fixture_id: str, name: str, room: str, pose: Pose2) -> Fixture:
        """The fixture it is in a room."""
        depth, width, height = self.size
        return Fixture(
            id=fixture_id,
            kind=self.kind,
            name=name,
            aliases=self.aliases,
            room=room,
            pose=pose,
            depth=depth,
            width=width,
            height=height,
            surfaces=self.surfaces,
            container=self.container,
        )


@cache
def pieces() -> dict[str, Piece]:
    """Every piece by name."""
    return load_entries("pieces.yaml", Piece)


WALL = 0.05
"""Half of a wall's thickness, which it takes from the rooms on its sides, in [m]."""
_APART = 0.04


@dataclass
class FloorRegion:
    """One room's floor; all rectangles in map in [m]."""

    area: Rectangle
    taken: list[Rectangle] = field(default_factory=list)
    free: list[Rectangle] = field(default_factory=list)

    @property
    def inside(self) -> Rectangle:
        """The floor between the walls."""
        (x0, y0), (x1, y1) = self.area.min, self.area.max
        return Rectangle(min=(x0 + WALL, y0 + WALL), max=(x1 - WALL, y1 - WALL))

    def fits(self, footprint: Rectangle, kept_free: Rectangle) -> bool:
        """Whether something may stand here and keep that floor before it free."""
        return (
            _within(footprint, self.inside)
            and _within(kept_free, self.inside)
            and not any(overlap(footprint, other, _APART) for other in self.taken)
            and not any(overlap(footprint, other) for other in self.free)
            and not any(overlap(kept_free, other) for other in self.taken)
        )

    def take(self, footprint: Rectangle, kept_free: Rectangle) -> None:
        """Let something stand here."""
        self.taken.append(footprint)
        self.free.append(kept_free)

    def room_at(self, x: float, y: float) -> float:
        """Distance from a point to the nearest wall or piece of furniture in [m]."""
        (x0, y0), (x1, y1) = self.inside.min, self.inside.max
        to_walls = min(x - x0, x1 - x, y - y0, y1 - y)
        return min([to_walls, *(_distance(other, x, y) for other in self.taken)])


def moved(rectangle: Rectangle, pose: Pose2) -> Rectangle:
    """A rectangle of a frame turned by whole quarters, in the parent's frame."""
    corners = [pose.to_parent(*corner) for corner in (rectangle.min, rectangle.max)]
    xs, ys = zip(*corners, strict=True)
    return Rectangle(min=(min(xs), min(ys)), max=(max(xs), max(ys)))


def overlap(a: Rectangle, b: Rectangle, gap: float = 0.0) -> bool:
    """Whether two rectangles come nearer than ``gap`` [m]; touching ones do not overlap."""
    return all(
        a.min[axis] < b.max[axis] + gap - 1e-6 and b.min[axis] < a.max[axis] + gap - 1e-6 for axis in (0, 1)
    )


def hull(*rectangles: Rectangle) -> Rectangle:
    """The smallest rectangle around others."""
    return Rectangle(
        min=(min(each.min[0] for each in rectangles), min(each.min[1] for each in rectangles)),
        max=(max(each.max[0] for each in rectangles), max(each.max[1] for each in rectangles)),
    )


def _within(inner: Rectangle, outer: Rectangle) -> bool:
    return outer.contains(*inner.min, margin=-1e-6) and outer.contains(*inner.max, margin=-1e-6)


def _distance(rectangle: Rectangle, x: float, y: float) -> float:
    dx = max(rectangle.min[0] - x, 0.0, x - rectangle.max[0])
    dy = max(rectangle.min[1] - y, 0.0, y - rectangle.max[1])
    return float((dx * dx + dy * dy) ** 0.5)


_SIDES: tuple[Side, Side] = ("left", "right")
_TRIES = 80
_MAY_MISS = 0.15
_GRID = 0.05
_BEHIND = 0.02
_ORDER = ("kitchen", "studio", "living_room", "bedroom", "study")
"""What two rooms have is named plainly in the first of them."""
_QUARTERS = (0.0, round(pi / 2, 6), round(pi, 6), round(-pi / 2, 6))


@dataclass(frozen=True)
class FurnishingSampler:
    """A piece by its name, where it stands, and the looks it was given."""

    name: str
    piece: Piece
    fixture: Fixture
    style: FurnitureStyle


@dataclass
class FurnishedHome:
    """The furniture of a home and the floors it stands on, by room."""

    floors: dict[str, FloorRegion]
    furnishings: list[FurnishingSampler]

    def names(self) -> set[str]:
        """Every fixture's id."""
        return {each.fixture.id for each in self.furnishings}


def furnish(rng: np.random.Generator, layout: FloorPlan) -> FurnishedHome | None:
    """Draw the furniture of every room; None if what a room needs found no place."""
    home = FurnishedHome({room: FloorRegion(area) for room, area in layout.rooms.items()}, [])
    for floor in home.floors.values():
        floor.free += layout.before_doorways()
    for room in sorted(layout.rooms, key=_ORDER.index):
        programme = room_types()[room]
        if not all(_add(rng, home, room, name) for name in programme.needs):
            return None
        for name in programme.may:
            if rng.random() > _MAY_MISS:
                _add(rng, home, room, name)
    return home


def _add(rng: np.random.Generator, home: FurnishedHome, room: str, name: str) -> bool:
    """Stand a piece and its companions somewhere along the walls."""
    piece, floor = pieces()[name], home.floors[room]
    hinge = piece.hinge or _SIDES[rng.integers(2)]
    outline = hull(
        piece.footprint, *(moved(pieces()[each.piece].footprint, each.at) for each in piece.companions)
    )
    for _ in range(_TRIES):
        pose = _along_a_wall(rng, floor.inside, outline)
        footprint, free = moved(outline, pose), moved(piece.kept_free(hinge), pose)
        if floor.fits(footprint, free):
            floor.take(footprint, free)
            home.furnishings += _stood(rng, home.names(), room, name, pose, hinge)
            return True
    return False


def _along_a_wall(rng: np.random.Generator, inside: Rectangle, outline: Rectangle) -> Pose2:
    """A pose with the outline's back at a wall; it may stick out at the wall's ends."""
    yaw = _QUARTERS[rng.integers(4)]
    turned = moved(outline, Pose2(x=0.0, y=0.0, yaw=yaw))
    low = [inside.min[axis] - turned.min[axis] + _BEHIND for axis in (0, 1)]
    high = [inside.max[axis] - turned.max[axis] - _BEHIND for axis in (0, 1)]
    at = [
        low[axis] + _GRID * int(rng.integers(max(1, int((high[axis] - low[axis]) / _GRID))))
        for axis in (0, 1)
    ]
    across = 0 if yaw in (_QUARTERS[0], _QUARTERS[2]) else 1
    at[across] = low[across] if yaw in _QUARTERS[:2] else high[across]
    return Pose2(x=round(at[0], 3), y=round(at[1], 3), yaw=yaw)


def _stood(
    rng: np.random.Generator, known: set[str], room: str, name: str, pose: Pose2, hinge: Side
) -> list[FurnishingSampler]:
    """The furnishing, then its companions, in its look if they have none of their own."""
    piece = pieces()[name]
    look = piece.looks[rng.integers(len(piece.looks))]
    stood = [_furnishing(known, room, name, pose, (*look, hinge))]
    for companion in piece.companions:
        looks = pieces()[companion.piece].looks or (look,)
        beside = looks[rng.integers(len(looks))]
        taken = known | {each.fixture.id for each in stood}
        stood.append(
            _furnishing(taken, room, companion.piece, _composed(pose, companion.at), (*beside, hinge))
        )
    return stood


def _furnishing(
    known: set[str], room: str, name: str, pose: Pose2, look: tuple[LookName, LookName, Side]
) -> FurnishingSampler:
    """A piece at a pose; what one home has twice is named after its room."""
    ids = [name, f"{room}_{name}", *(f"{room}_{name}_{number}" for number in range(2, 9))]
    fixture_id = next(each for each in ids if each not in known)
    piece = pieces()[name]
    called = piece.name if fixture_id == name else f"{room_types()[room].name} {piece.name}"
    main, accent, hinge = look
    style = FurnitureStyle(main=main, accent=accent, hinge=hinge)
    return FurnishingSampler(name, piece, piece.fixture(fixture_id, called, room, pose), style)


def _composed(pose: Pose2, at: Pose2) -> Pose2:
    """A pose of another pose's frame, in the parent's."""
    x, y = pose.to_parent(at.x, at.y)
    yaw = (pose.yaw + at.yaw + pi) % (2 * pi) - pi
    return Pose2(x=round(x, 3), y=round(y, 3), yaw=round(yaw, 6))
