"""Furniture of a home as fixtures of its map: front, surfaces, container, and where to stand before it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import atan2, cos, pi, sin

import numpy as np

from openral_core.arrays import Array
from openral_core.floor_map import FREE, OCCUPIED, FloorMap
from openral_core.home_map import (
    UNNAMED,
    Box3,
    Container,
    Fixture,
    HomeMap,
    Place,
    Pose2,
    Rectangle,
    Surface,
)
from openral_mapping.furniture.fit import FloorRectangle, HorizontalSurface, levels_of
from openral_mapping.furniture.kinds import furniture_kinds, is_part
from openral_mapping.furniture.tracks import FurnitureTrack

_REACHES = (0.15, 0.3, 0.45)
"""Distances at which a room is looked for around a piece whose middle is in none [m]."""
_BEARINGS = tuple(number * pi / 4.0 for number in range(8))
_STRIP = (0.1, 0.9)
"""Distances from a side within which its floor tells if it is the front [m]."""
_SEEN_FROM = 0.3
"""Weight of the side from which a piece was seen, beside the floor before it [1]."""
_WALL = 0.03
"""Thickness of a container's walls, which are not seen [m]."""
_WHOLE = 0.6
"""Share of the footprint from which its highest surface is its top [1]."""
_STANDOFF = (0.45, 0.55, 0.65, 0.8, 1.0)
"""Distances from a front at which a robot may stand [m], the best first."""
_OPENING = 0.85
"""Distance from the front of a container that its door needs [m]."""
_CLEARANCE = 0.33
"""Clearance of the base where it stands [m]."""
_UNKNOWN_MARGIN = 0.18
"""Distance by which unknown floor may be closer than an obstacle [m]."""


@dataclass(frozen=True)
class MappedPiece:
    """A piece of furniture that was seen.

    Args:
        id: Stays while it is seen.
        kind: The likeliest kind.
        pose: On the floor at the middle of its footprint, x out of its front.
        depth: Size along x [m].
        width: Size along y [m].
        bottom: Height of its lowest part, of a part of another piece [m]; 0 of all others.
        height: Of its top [m].
        levels: Horizontal surfaces, in its frame.
        views: Images that show it.
    """

    id: str
    kind: str
    pose: Pose2
    depth: float
    width: float
    bottom: float
    height: float
    levels: tuple[HorizontalSurface, ...]
    views: int


def mapped_furniture(tracks: Iterable[FurnitureTrack], floor: FloorMap) -> list[MappedPiece]:
    """Describe pieces whose footprint is known, with their fronts chosen by the floor before them."""
    return [_piece(track, footprint, floor) for track in tracks if (footprint := track.footprint) is not None]


def _piece(track: FurnitureTrack, footprint: FloorRectangle, floor: FloorMap) -> MappedPiece:
    side = max(range(4), key=lambda number: _frontness(number, track, footprint, floor))
    yaw = footprint.yaw + side * pi / 2.0
    depth, width = footprint.size if side % 2 == 0 else footprint.size[::-1]
    levels = [_turned(level, side) for level in levels_of(track.voxels, footprint)]
    height = footprint.high
    area = footprint.size[0] * footprint.size[1]
    if levels and furniture_kinds()[track.kind].supports and _area(levels[-1]) >= _WHOLE * area:
        height = levels[-1].height
    x, y = footprint.centre.tolist()
    pose = Pose2(x=x, y=y, yaw=atan2(np.sin(yaw), np.cos(yaw)))
    bottom = footprint.low if is_part(track.kind) else 0.0
    return MappedPiece(track.id, track.kind, pose, depth, width, bottom, height, tuple(levels), track.views)


def _area(level: HorizontalSurface) -> float:
    return float((level.high[0] - level.low[0]) * (level.high[1] - level.low[1]))


def _turned(level: HorizontalSurface, side: int) -> HorizontalSurface:
    """Turn a surface from the footprint's frame into that of the piece, whose x leaves the given side."""
    turn = np.array([[1.0, 0.0], [0.0, 1.0]])
    for _ in range(side):
        turn = np.array([[0.0, 1.0], [-1.0, 0.0]]) @ turn
    corners = np.array([level.low, level.high]) @ turn.T
    (x0, y0), (x1, y1) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return HorizontalSurface(level.height, (x0, y0), (x1, y1))


def _frontness(side: int, track: FurnitureTrack, footprint: FloorRectangle, floor: FloorMap) -> float:
    """Rate a side as the front: by free floor before it, where it was seen from, and its length."""
    normal = footprint.axes[side % 2] * (1.0 if side < 2 else -1.0)
    along = footprint.axes[1 - side % 2]
    depth, width = footprint.size if side % 2 == 0 else footprint.size[::-1]
    distances = np.arange(*_STRIP, 0.1) + depth / 2.0
    offsets = np.linspace(-0.3, 0.3, 5) * width
    points = (footprint.centre + distances[:, None, None] * normal + offsets[None, :, None] * along).reshape(
        -1, 2
    )
    cells = np.array([floor.value_at(x, y) for x, y in points.tolist()])
    free = float((cells == FREE).mean() - (cells == OCCUPIED).mean())
    facing = float(track.towards @ normal) / max(float(np.linalg.norm(track.towards)), 1e-9)
    is_long = furniture_kinds()[track.kind].long_front
    fits = is_long is None or abs(depth - width) < 0.1 * max(depth, width) or (depth < width) == is_long
    return free + _SEEN_FROM * facing - (0.0 if fits else 1.0)


def with_furniture(home: HomeMap, pieces: Sequence[MappedPiece], floor: FloorMap) -> HomeMap:
    """Add pieces to a map of a home, each with a place before it; obstacles without a name give way to them.

    A piece gives way to furniture of the map that has a name, which a person or an earlier map gave. One that
    is in no room, such as a chair seen through a doorway, is left out until its room is known.
    """
    clearance = floor.clearance(_UNKNOWN_MARGIN)
    named = [fixture for fixture in home.fixtures if fixture.kind != UNNAMED]
    added = [
        (piece, room)
        for piece in pieces
        if not any(_covers(fixture, piece.pose) for fixture in named)
        and (room := _room_near(home, piece.pose))
    ]
    fixtures, places = list(named), list(home.places)
    for piece, room in added:
        fixtures.append(_fixture(piece, room))
        stand = standing_pose(piece, floor, clearance)
        if stand is not None:
            places.append(
                Place(
                    id=f"at_{piece.id}",
                    name=_name(piece),
                    room=_room_at(home, stand) or room,
                    pose=stand,
                    looks_at=piece.id,
                )
            )
    rest = [
        fixture
        for fixture in home.fixtures
        if fixture.kind == UNNAMED and not any(_hides(piece, fixture) for piece, _ in added)
    ]
    return home.model_copy(update={"fixtures": (*fixtures, *rest), "places": tuple(places)})


def standing_pose(piece: MappedPiece, floor: FloorMap, clearance: Array) -> Pose2 | None:
    """Pose on free floor, as near before the front as its use allows, facing it; None if there is none."""
    least = _OPENING if furniture_kinds()[piece.kind].opens else 0.0
    for distance in sorted(_STANDOFF, key=lambda d: (d < least, d)):
        for offset in (0.0, 0.25, -0.25):
            x, y = piece.pose.to_parent(piece.depth / 2.0 + distance, offset * piece.width)
            row, column = floor.cell(np.array([x, y])).tolist()
            height, width = floor.cells.shape
            if 0 <= row < height and 0 <= column < width and clearance[row, column] >= _CLEARANCE:
                return Pose2(x=x, y=y, yaw=atan2(piece.pose.y - y, piece.pose.x - x))
    return None


def _name(piece: MappedPiece) -> str:
    number = piece.id.rpartition("_")[2]
    return piece.kind if number == "1" else f"{piece.kind} {number}"


def _fixture(piece: MappedPiece, room: str) -> Fixture:
    kind = furniture_kinds()[piece.kind]
    height = max(piece.height, 0.05)
    return Fixture(
        id=piece.id,
        kind=piece.kind,
        name=_name(piece),
        room=room,
        pose=piece.pose,
        depth=piece.depth,
        width=piece.width,
        height=height,
        surfaces=tuple(_surfaces(piece, height)) if kind.supports else (),
        container=_container(piece, height),
    )


def _surfaces(piece: MappedPiece, height: float) -> Iterator[Surface]:
    for number, level in enumerate(piece.levels, start=1):
        if level.height <= height:
            yield Surface(id=f"level_{number}", z=level.height, area=Rectangle(min=level.low, max=level.high))


def _container(piece: MappedPiece, height: float) -> Container | None:
    opens = furniture_kinds()[piece.kind].opens
    x, y = piece.depth / 2.0 - _WALL, piece.width / 2.0 - _WALL
    if opens is None or min(x, y) <= 0.0 or height - piece.bottom <= 3.0 * _WALL:
        return None
    interior = Box3(min=(-x, -y, piece.bottom + _WALL), max=(x, y, height - _WALL))
    return Container(interior=interior, occludes_contents=True, opens=opens)


def _room_at(home: HomeMap, pose: Pose2) -> str:
    return next((room.id for room in home.rooms if room.contains(pose.x, pose.y)), "")


def _room_near(home: HomeMap, pose: Pose2) -> str:
    """Room of a pose or, if it lies in a wall or just outside, the nearest; "" if none is near."""
    reaches = [(reach * cos(angle), reach * sin(angle)) for reach in _REACHES for angle in _BEARINGS]
    around = (Pose2(x=pose.x + x, y=pose.y + y) for x, y in ((0.0, 0.0), *reaches))
    return next((room for at in around if (room := _room_at(home, at))), "")


def _covers(fixture: Fixture, pose: Pose2) -> bool:
    return fixture.footprint.contains(*fixture.pose.to_local(pose.x, pose.y))


def _hides(piece: MappedPiece, fixture: Fixture) -> bool:
    x, y = piece.pose.to_local(fixture.pose.x, fixture.pose.y)
    return abs(x) <= piece.depth / 2.0 + 0.1 and abs(y) <= piece.width / 2.0 + 0.1
