"""Placement of furniture: backs to the walls, with the floor in front of it and at doorways kept clear.

`Piece` is a fixture without a pose, read from `pieces.yaml`; `FloorRegion` is the floor of a room while it is
being furnished; `place_furniture` samples the furniture of a whole home.
"""

from dataclasses import dataclass, field
from functools import cache
from math import pi

import numpy as np
from pydantic import NonNegativeFloat, PositiveFloat

from openral_core.documents import Document
from openral_core.home_map import Appliance, Container, Fixture, Pose2, Rectangle, Surface
from openral_sim.assets.furniture.builder import FurnitureStyle
from openral_sim.assets.materials import AppearanceName, Side
from openral_training.homes.floor_plan import FloorPlan
from openral_training.homes.room_types import load_entries, room_types


@dataclass(frozen=True)
class FurniturePlacementConfig:
    """Settings of the placement of furniture."""

    attempts: int = 80  # Number of poses tried for a piece before it is left out.
    omit_probability: float = 0.15  # Probability of leaving out an optional piece [-].
    grid: float = 0.05  # Distance between candidate positions along a wall [m].
    wall_gap: float = 0.02  # Distance of a piece from the wall behind it [m].
    piece_gap: float = 0.04  # Smallest distance between two pieces [m].


PLACEMENT = FurniturePlacementConfig()
HALF_WALL = 0.05
"""Half of a wall's thickness [m], which it takes from the rooms on both sides."""
_SIDES: tuple[Side, Side] = ("left", "right")
_ROOM_ORDER = ("kitchen", "studio", "living_room", "bedroom", "study")
"""A piece that two rooms have gets the plain name in the first of them."""
_QUARTER_TURNS = (0.0, round(pi / 2, 6), round(pi, 6), round(-pi / 2, 6))


class Companion(Document):
    """A piece that goes with another, `at` a pose in the other's frame."""

    piece: str
    at: Pose2


class Piece(Document):
    """A fixture without a pose."""

    kind: str  # Kind of furniture.
    name: str
    aliases: tuple[str, ...] = ()
    size: tuple[PositiveFloat, PositiveFloat, PositiveFloat]  # Depth, width and height [m].
    surfaces: tuple[Surface, ...] = ()
    container: Container | None = None
    free: NonNegativeFloat = 0.0  # Depth of the floor kept clear in front of it [m].
    # Extra width of that floor on the side to which its door opens [m]; half of it on the other.
    beside: NonNegativeFloat = 0.0
    # Distance of the robot in front of it [m]; 0 for a piece the robot does not work at.
    standoff: NonNegativeFloat = 0.0
    hinge: Side | None = None  # Side on which its door is hinged, or to which it slides; sampled if None.
    # Pairs of main and accent appearance to choose from; empty for a companion that matches its piece.
    looks: tuple[tuple[AppearanceName, AppearanceName], ...] = ()
    companions: tuple[Companion, ...] = ()
    books: tuple[str, ...] = ()  # Ids of the surfaces that are filled with books.
    # Lamps and screens, named as those of the first such piece of a home.
    appliances: tuple[Appliance, ...] = ()

    @property
    def footprint(self) -> Rectangle:
        """Floor it covers, in its own frame [m]."""
        x, y = self.size[0] / 2, self.size[1] / 2
        return Rectangle(min=(-x, -y), max=(x, y))

    def clearance(self, hinge: Side) -> Rectangle:
        """Return the floor to keep clear in front of it, in its own frame [m]."""
        x, y = self.size[0] / 2, self.size[1] / 2
        narrow = self.beside / 2
        on_left, on_right = (self.beside, narrow) if hinge == "right" else (narrow, self.beside)
        return Rectangle(min=(x, -y - on_right), max=(x + self.free, y + on_left))

    def fixture(self, fixture_id: str, name: str, room: str, pose: Pose2) -> Fixture:
        """Return the fixture it becomes in a room."""
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
            appliances=tuple(self._appliance(each, fixture_id, name) for each in self.appliances),
        )

    def _appliance(self, first: Appliance, fixture_id: str, name: str) -> Appliance:
        """Return an appliance of a piece that may not be the first: named as the piece is, "study TV"."""
        own = self.name.replace(" ", "_")
        control = first.control.model_copy(
            update={
                "id": fixture_id.replace(own, first.control.id),
                "name": name.replace(self.name, first.control.name),
            }
        )
        names = {"id": fixture_id.replace(own, first.id), "name": name.replace(self.name, first.name)}
        return first.model_copy(update={**names, "control": control})


@cache
def pieces() -> dict[str, Piece]:
    """Return every piece by name."""
    return load_entries("pieces.yaml", Piece)


@dataclass
class FloorRegion:
    """Floor of one room while it is furnished; all rectangles in map [m]."""

    area: Rectangle
    taken: list[Rectangle] = field(default_factory=list)
    free: list[Rectangle] = field(default_factory=list)

    @property
    def inside(self) -> Rectangle:
        """Floor between the walls."""
        (x0, y0), (x1, y1) = self.area.min, self.area.max
        return Rectangle(min=(x0 + HALF_WALL, y0 + HALF_WALL), max=(x1 - HALF_WALL, y1 - HALF_WALL))

    def fits(self, footprint: Rectangle, clearance: Rectangle) -> bool:
        """Return True if a piece with this footprint and clearance fits here."""
        return (
            is_within(footprint, self.inside)
            and is_within(clearance, self.inside)
            and not any(overlap(footprint, other, PLACEMENT.piece_gap) for other in self.taken)
            and not any(overlap(footprint, other) for other in self.free)
            and not any(overlap(clearance, other) for other in self.taken)
        )

    def occupy(self, footprint: Rectangle, clearance: Rectangle) -> None:
        """Reserve the footprint of a piece and the floor in front of it."""
        self.taken.append(footprint)
        self.free.append(clearance)

    def distance_to_obstacle(self, x: float, y: float) -> float:
        """Return the distance from a point to the nearest wall or piece of furniture [m]."""
        (x0, y0), (x1, y1) = self.inside.min, self.inside.max
        to_walls = min(x - x0, x1 - x, y - y0, y1 - y)
        offsets = (
            (max(other.min[0] - x, 0.0, x - other.max[0]), max(other.min[1] - y, 0.0, y - other.max[1]))
            for other in self.taken
        )
        return min([to_walls, *(float((dx * dx + dy * dy) ** 0.5) for dx, dy in offsets)])


def transformed(rectangle: Rectangle, pose: Pose2) -> Rectangle:
    """Transform a rectangle to the parent frame of a pose whose yaw is a multiple of 90 degrees."""
    corners = [pose.to_parent(*corner) for corner in (rectangle.min, rectangle.max)]
    xs, ys = zip(*corners, strict=True)
    return Rectangle(min=(min(xs), min(ys)), max=(max(xs), max(ys)))


def overlap(a: Rectangle, b: Rectangle, gap: float = 0.0) -> bool:
    """Return True if two rectangles are closer than ``gap`` [m]; touching ones do not overlap."""
    return all(
        a.min[axis] < b.max[axis] + gap - 1e-6 and b.min[axis] < a.max[axis] + gap - 1e-6 for axis in (0, 1)
    )


def hull(*rectangles: Rectangle) -> Rectangle:
    """Return the smallest rectangle around others."""
    return Rectangle(
        min=(min(part.min[0] for part in rectangles), min(part.min[1] for part in rectangles)),
        max=(max(part.max[0] for part in rectangles), max(part.max[1] for part in rectangles)),
    )


def is_within(inner: Rectangle, outer: Rectangle) -> bool:
    """Return True if a rectangle lies in another."""
    return outer.contains(*inner.min, margin=-1e-6) and outer.contains(*inner.max, margin=-1e-6)


@dataclass(frozen=True)
class PlacedPiece:
    """A piece by its name, the fixture it became, and its appearance."""

    name: str
    piece: Piece
    fixture: Fixture
    style: FurnitureStyle


@dataclass
class FurnishedHome:
    """The furniture of a home and the floors it stands on, by room."""

    floors: dict[str, FloorRegion]
    pieces: list[PlacedPiece]

    def ids(self) -> set[str]:
        """Return every fixture's id."""
        return {placed.fixture.id for placed in self.pieces}


def place_furniture(rng: np.random.Generator, plan: FloorPlan) -> FurnishedHome | None:
    """Sample the furniture of every room; None if a required piece does not fit."""
    home = FurnishedHome({room: FloorRegion(area) for room, area in plan.rooms.items()}, [])
    for floor in home.floors.values():
        floor.free += plan.doorway_clearances()
    for room in sorted(plan.rooms, key=_ROOM_ORDER.index):
        room_type = room_types()[room]
        if not all(_place(rng, home, room, name) for name in room_type.needs):
            return None
        for name in room_type.may:
            if rng.random() > PLACEMENT.omit_probability:
                _place(rng, home, room, name)
    return home


def _place(rng: np.random.Generator, home: FurnishedHome, room: str, name: str) -> bool:
    """Place a piece and its companions along the walls; return False if they do not fit."""
    piece, floor = pieces()[name], home.floors[room]
    hinge = piece.hinge or _SIDES[rng.integers(2)]
    outline = hull(
        piece.footprint,
        *(transformed(pieces()[other.piece].footprint, other.at) for other in piece.companions),
    )
    for _ in range(PLACEMENT.attempts):
        pose = sample_pose_at_wall(rng, floor.inside, outline)
        footprint, clearance = transformed(outline, pose), transformed(piece.clearance(hinge), pose)
        if floor.fits(footprint, clearance):
            floor.occupy(footprint, clearance)
            home.pieces += _with_companions(rng, home.ids(), room, name, pose, hinge)
            return True
    return False


def sample_pose_at_wall(rng: np.random.Generator, inside: Rectangle, outline: Rectangle) -> Pose2:
    """Sample a pose with the outline's back at a wall; it may stick out at the wall's ends."""
    yaw = _QUARTER_TURNS[rng.integers(4)]
    turned = transformed(outline, Pose2(x=0.0, y=0.0, yaw=yaw))
    low = [inside.min[axis] - turned.min[axis] + PLACEMENT.wall_gap for axis in (0, 1)]
    high = [inside.max[axis] - turned.max[axis] - PLACEMENT.wall_gap for axis in (0, 1)]
    grid = PLACEMENT.grid
    at = [
        low[axis] + grid * int(rng.integers(max(1, int((high[axis] - low[axis]) / grid)))) for axis in (0, 1)
    ]
    across = 0 if yaw in (_QUARTER_TURNS[0], _QUARTER_TURNS[2]) else 1
    at[across] = low[across] if yaw in _QUARTER_TURNS[:2] else high[across]
    return Pose2(x=round(at[0], 3), y=round(at[1], 3), yaw=yaw)


def _with_companions(
    rng: np.random.Generator, home_ids: set[str], room: str, name: str, pose: Pose2, hinge: Side
) -> list[PlacedPiece]:
    """Return the piece, then its companions, in its appearance unless they have their own."""
    piece = pieces()[name]
    look = piece.looks[rng.integers(len(piece.looks))]
    placed = [_placed_piece(home_ids, room, name, pose, (*look, hinge))]
    for companion in piece.companions:
        looks = pieces()[companion.piece].looks or (look,)
        companion_look = looks[rng.integers(len(looks))]
        taken = home_ids | {other.fixture.id for other in placed}
        companion_pose = composed_pose(pose, companion.at)
        placed.append(_placed_piece(taken, room, companion.piece, companion_pose, (*companion_look, hinge)))
    return placed


def _placed_piece(
    taken: set[str], room: str, name: str, pose: Pose2, look: tuple[AppearanceName, AppearanceName, Side]
) -> PlacedPiece:
    """Return a piece at a pose; the second one of its kind in a home is named after its room."""
    ids = [name, f"{room}_{name}", *(f"{room}_{name}_{number}" for number in range(2, 9))]
    fixture_id = next(candidate for candidate in ids if candidate not in taken)
    piece = pieces()[name]
    phrase = piece.name if fixture_id == name else f"{room_types()[room].name} {piece.name}"
    main, accent, hinge = look
    style = FurnitureStyle(main=main, accent=accent, hinge=hinge)
    return PlacedPiece(name, piece, piece.fixture(fixture_id, phrase, room, pose), style)


def composed_pose(pose: Pose2, at: Pose2) -> Pose2:
    """Transform a pose from another pose's frame to its parent frame."""
    x, y = pose.to_parent(at.x, at.y)
    yaw = (pose.yaw + at.yaw + pi) % (2 * pi) - pi
    return Pose2(x=round(x, 3), y=round(y, 3), yaw=round(yaw, 6))
