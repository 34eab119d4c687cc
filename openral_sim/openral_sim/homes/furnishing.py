"""Furniture drawn into rooms: backs to the walls, the floor before fronts and doorways kept free."""

from dataclasses import dataclass
from math import pi

import numpy as np

from openral_core.maps import Fixture, Pose2, Rectangle
from openral_sim.homes.floors import Floor, hull, moved
from openral_sim.homes.layouts import Layout
from openral_sim.homes.pieces import Piece, pieces
from openral_sim.homes.programmes import programmes
from openral_sim.materials import LookName
from openral_sim.scenes import FurnitureStyle
from openral_sim.scenes.styles import Side

_SIDES: tuple[Side, Side] = ("left", "right")
_TRIES = 80
_MAY_MISS = 0.15
_GRID = 0.05
_BEHIND = 0.02
_ORDER = ("kitchen", "studio", "living_room", "bedroom", "study")
"""What two rooms have is named plainly in the first of them."""
_QUARTERS = (0.0, round(pi / 2, 6), round(pi, 6), round(-pi / 2, 6))


@dataclass(frozen=True)
class Furnishing:
    """A piece by its name, where it stands, and the looks it was given."""

    name: str
    piece: Piece
    fixture: Fixture
    style: FurnitureStyle


@dataclass
class FurnishedHome:
    """The furniture of a home and the floors it stands on, by room."""

    floors: dict[str, Floor]
    furnishings: list[Furnishing]

    def names(self) -> set[str]:
        """Every fixture's id."""
        return {each.fixture.id for each in self.furnishings}


def furnish(rng: np.random.Generator, layout: Layout) -> FurnishedHome | None:
    """Draw the furniture of every room; None if what a room needs found no place."""
    home = FurnishedHome({room: Floor(area) for room, area in layout.rooms.items()}, [])
    for floor in home.floors.values():
        floor.free += layout.before_doorways()
    for room in sorted(layout.rooms, key=_ORDER.index):
        programme = programmes()[room]
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
) -> list[Furnishing]:
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
) -> Furnishing:
    """A piece at a pose; what one home has twice is named after its room."""
    ids = [name, f"{room}_{name}", *(f"{room}_{name}_{number}" for number in range(2, 9))]
    fixture_id = next(each for each in ids if each not in known)
    piece = pieces()[name]
    called = piece.name if fixture_id == name else f"{programmes()[room].name} {piece.name}"
    main, accent, hinge = look
    style = FurnitureStyle(main=main, accent=accent, hinge=hinge)
    return Furnishing(name, piece, piece.fixture(fixture_id, called, room, pose), style)


def _composed(pose: Pose2, at: Pose2) -> Pose2:
    """A pose of another pose's frame, in the parent's."""
    x, y = pose.to_parent(at.x, at.y)
    yaw = (pose.yaw + at.yaw + pi) % (2 * pi) - pi
    return Pose2(x=round(x, 3), y=round(y, 3), yaw=round(yaw, 6))
