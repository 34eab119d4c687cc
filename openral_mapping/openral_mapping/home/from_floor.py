"""Map of a home from the occupancy of its floor: rooms, doorways, places, and furniture without a name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import dist
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from openral_core.arrays import Array, Indices, Mask
from openral_core.errors import OpenRALError
from openral_core.floor_map import FloorMap
from openral_core.home_map import UNNAMED, Agent, Doorway, Fixture, HomeMap, Place, Pose2, Room
from openral_mapping.home.room_names import keep_ids, new_ids
from openral_mapping.home.rooms import CONFIG, RoomConfig, RoomSegments, segment_rooms

AnyLocated = TypeVar("AnyLocated", Place, Fixture, Agent)
_SMOOTHING = 3
"""Side of the square over which outlines are smoothed [cells]."""
_OUTSIDE_WEIGHT = 0.75
"""Weight of cells outside all rooms in that square [1]: corners of rooms, 4 of 9 cells, stay."""
_SPACIOUS = 0.6
"""Clearance that a place in a room should have [m]; more is no better."""
_CENTRE_WEIGHT = 0.25
"""Clearance given up per metre closer to the middle of the room [1]."""
_MIN_FURNITURE = 0.06
"""Smallest area of a piece of furniture [m^2]; a floor lamp's foot."""
_FILLED = 0.25
"""Distance of an obstacle from the middle of a doorway that it fills [m]; the thickness of a wall."""
ASSUMED_HEIGHT = 0.75
"""Height of furniture in a map without heights [m]; that of a table."""


class NoRooms(OpenRALError):
    """A map whose free floor has no room."""

    def __init__(self, free: float, least: float) -> None:
        super().__init__(
            f"the map has no room: its free floor is {free:.1f} m^2, and a room needs {least:g} m^2 in one "
            "piece; check resolution, thresholds and 'negate'"
        )


@dataclass(frozen=True)
class RoomShape:
    """Outline of a segment in the map [m], its area [m^2], and a spacious point near its middle [m]."""

    label: int
    polygon: tuple[tuple[float, float], ...]
    area: float
    middle: tuple[float, float]


def home_from_floor(
    floor_map: FloorMap,
    name: str,
    earlier: HomeMap | None = None,
    walls: FloorMap | None = None,
    config: RoomConfig = CONFIG,
) -> HomeMap:
    """Build the map of a home: numbered rooms from the largest, with their doorways, places and furniture.

    Args:
        floor_map: Occupancy of its floor.
        name: Name of the home.
        earlier: Earlier map: its rooms keep their ids and names; its named furniture, places and people stay.
        walls: Tall obstacles alone, as of `segment_rooms`.
        config: Of the segmentation.

    Raises:
        NoRooms: If there is no floor as large as a room.
    """
    segments = segment_rooms(floor_map, walls, config)
    shapes = sorted(room_shapes(floor_map, segments), key=lambda shape: -shape.area)
    if not shapes:
        free = float(floor_map.free.sum()) * floor_map.resolution**2
        raise NoRooms(free, config.min_area)
    before = earlier or HomeMap(name=name, rooms=())
    room_of = keep_ids(floor_map, segments, before.rooms)
    fresh = iter(new_ids((room.id for room in before.rooms), len(shapes)))
    rooms = tuple(_room(shape, room_of.get(shape.label), fresh) for shape in shapes)
    ids = {shape.label: room.id for shape, room in zip(shapes, rooms, strict=True)}
    home = HomeMap(
        name=name,
        rooms=rooms,
        doorways=with_shut(floor_map, tuple(doorways(segments, ids)), rooms, before.doorways),
        places=tuple(middle_of(room, shape.middle) for room, shape in zip(rooms, shapes, strict=True)),
        fixtures=tuple(furniture(floor_map, segments, ids)),
    )
    return with_known(home, before)


def _room(shape: RoomShape, earlier: Room | None, fresh: Iterator[str]) -> Room:
    if earlier is not None:
        return earlier.model_copy(update={"polygon": shape.polygon})
    name = next(fresh)
    return Room(id=name, name=name.replace("_", " "), polygon=shape.polygon)


def with_known(home: HomeMap, before: HomeMap) -> HomeMap:
    """Add what an earlier map knew besides its rooms; of furniture at one spot, what has a name stays."""
    named = [fixture for fixture in before.fixtures if fixture.kind != UNNAMED]
    new = [item for item in home.fixtures if not any(_is_within(item.pose, old, 0.1) for old in named)]
    unnamed = [
        item.model_copy(update={"id": f"{UNNAMED}_{number}", "name": f"{UNNAMED} {number}"})
        for number, item in enumerate(new, start=1)
    ]
    places = [*home.places, *(place for place in before.places if not place.id.endswith("_middle"))]

    def placed(item: AnyLocated) -> AnyLocated | None:
        room = home.room_at(item.pose.x, item.pose.y)
        return None if room is None else item.model_copy(update={"room": room.id})

    return home.model_copy(
        update={
            "fixtures": tuple(filter(None, map(placed, [*named, *unnamed]))),
            "places": tuple(filter(None, map(placed, places))),
            "agents": tuple(filter(None, map(placed, before.agents))),
            "no_go_zones": before.no_go_zones,
        }
    )


def _is_within(pose: Pose2, fixture: Fixture, margin: float) -> bool:
    """Test if a point is on a fixture's footprint, or at most ``margin`` [m] beside it."""
    return fixture.footprint.contains(*fixture.pose.to_local(pose.x, pose.y), margin=-margin)


def middle_of(room: Room, at: tuple[float, float]) -> Place:
    """Return the place in the middle of a room."""
    pose = Pose2(x=round(at[0], 3), y=round(at[1], 3))
    return Place(id=f"{room.id}_middle", name=f"middle of the {room.name}", room=room.id, pose=pose)


def doorways(segments: RoomSegments, ids: dict[int, str]) -> Iterator[Doorway]:
    """Yield the doorways between rooms; several between two rooms are numbered."""
    used: dict[str, int] = {}
    for passage in segments.passages:
        if not all(label in ids for label in passage.labels):
            continue
        first, second = sorted(ids[label] for label in passage.labels)
        name = f"{first}_{second}_doorway"
        used[name] = used.get(name, 0) + 1
        number = f"_{used[name]}" if used[name] > 1 else ""
        at = (round(passage.at[0], 3), round(passage.at[1], 3))
        yield Doorway(id=name + number, rooms=(first, second), at=at, width=passage.width)


def with_shut(
    floor_map: FloorMap, now: tuple[Doorway, ...], rooms: Sequence[Room], before: Sequence[Doorway]
) -> tuple[Doorway, ...]:
    """Add the doorways of an earlier map that an obstacle, such as a shut door, fills now."""
    ids, open_ids = {room.id for room in rooms}, {doorway.id for doorway in now}
    shut = (
        doorway
        for doorway in before
        if ids.issuperset(doorway.rooms)
        and doorway.id not in open_ids
        and not any(_is_same(doorway, other) for other in now)
        and _is_filled(floor_map, doorway)
    )
    return (*now, *shut)


def _is_same(doorway: Doorway, other: Doorway) -> bool:
    return set(doorway.rooms) == set(other.rooms) and dist(doorway.at, other.at) <= doorway.width


def _is_filled(floor_map: FloorMap, doorway: Doorway) -> bool:
    """Test if an obstacle is near the middle of a doorway."""
    rows, columns = np.nonzero(floor_map.occupied)
    away = np.linalg.norm(floor_map.centres(rows, columns) - doorway.at, axis=1)
    return bool((away <= _FILLED).any())


def room_shapes(floor_map: FloorMap, segments: RoomSegments) -> Iterator[RoomShape]:
    """Yield the outline of each room."""
    clearance = ndimage.distance_transform_edt(np.pad(floor_map.free, 1))[1:-1, 1:-1] * floor_map.resolution
    smooth = smoothed(segments)
    for label in range(1, segments.count + 1):
        region = _largest_part(smooth == label)
        loop = outline_of(region)
        if len(loop) < 4:
            continue
        points = floor_map.to_frame(np.array(loop, float)).round(3).tolist()
        own = region & (segments.floor == label) & floor_map.free
        yield RoomShape(
            label,
            tuple((x, y) for x, y in points),
            float(region.sum()) * floor_map.resolution**2,
            _middle(floor_map, clearance, own if own.any() else region),
        )


def _middle(floor_map: FloorMap, clearance: Array, region: Mask) -> tuple[float, float]:
    rows, columns = np.nonzero(region)
    points = floor_map.centres(rows, columns)
    away = np.linalg.norm(points - points.mean(axis=0), axis=1)
    score = np.minimum(clearance[rows, columns], _SPACIOUS) - _CENTRE_WEIGHT * away
    x, y = points[int(score.argmax())].tolist()
    return x, y


def smoothed(segments: RoomSegments) -> NDArray[np.int32]:
    """Return the regions with every cell given to the label that most cells around it have."""
    shares = [
        ndimage.uniform_filter((segments.regions == label).astype(np.float32), _SMOOTHING, mode="constant")
        for label in range(segments.count + 1)
    ]
    shares[0] *= _OUTSIDE_WEIGHT
    return np.asarray(np.argmax(np.stack(shares), axis=0), np.int32)


def _largest_part(region: Mask) -> Mask:
    labels, count = ndimage.label(region)
    if count == 0:
        return region
    sizes = np.bincount(labels.ravel())
    return np.asarray(ndimage.binary_fill_holes(labels == int(sizes[1:].argmax()) + 1))


def outline_of(region: Mask) -> list[tuple[int, int]]:
    """Trace the outer border of the largest part of a region along the edges of its cells.

    Returns:
        Corners (column, row), counter-clockwise for a row axis that points up; straight runs have two.
    """
    # OpenCV traces the middles of cells: of cells of twice the resolution, each corner has its own.
    doubled = np.pad(_largest_part(region), 1).repeat(2, axis=0).repeat(2, axis=1).astype(np.uint8)
    borders, _ = cv2.findContours(doubled, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not borders:
        return []
    corners = (max(borders, key=cv2.contourArea)[::-1, 0] + 1) // 2 - 1
    corners = corners[(corners != np.roll(corners, 1, axis=0)).any(axis=1)]
    x, y = (corners - np.roll(corners, 1, axis=0)).T
    turns = x * np.roll(y, -1) != y * np.roll(x, -1)
    return [(column, row) for column, row in corners[turns].tolist()]


def furniture(floor_map: FloorMap, segments: RoomSegments, ids: dict[int, str]) -> Iterator[Fixture]:
    """Yield the obstacles within rooms as furniture without a name, as rectangles on the floor."""
    cell = floor_map.resolution
    number = 0
    for label, room in sorted(ids.items(), key=lambda item: item[1]):
        blocked = ndimage.binary_opening((segments.regions == label) & ~floor_map.free, np.ones((3, 3)))
        parts, count = ndimage.label(blocked)
        for part in range(1, count + 1):
            rows, columns = np.nonzero(parts == part)
            if len(rows) * cell**2 < _MIN_FURNITURE:
                continue
            number += 1
            yield _piece(floor_map, rows, columns, room, number)


def _piece(floor_map: FloorMap, rows: Indices, columns: Indices, room: str, number: int) -> Fixture:
    """Return the rectangle around cells; its back is at a wall, its front faces free floor."""
    corners = np.concatenate([np.column_stack((columns + dx, rows + dy)) for dx in (0, 1) for dy in (0, 1)])
    (x, y), (width, depth), angle = cv2.minAreaRect(corners.astype(np.float32))
    middle = floor_map.to_frame(np.array([x, y]))
    sides = [np.deg2rad(angle) + floor_map.origin.yaw + quarter * np.pi / 2.0 for quarter in range(4)]
    reach = np.arange(1, 21) * floor_map.resolution
    size = {0: (width, depth), 1: (depth, width)}
    open_cells = []
    for quarter, yaw in enumerate(sides):
        along = size[quarter % 2][0] * floor_map.resolution / 2.0 + reach
        points = middle + along[:, None] * (np.cos(yaw), np.sin(yaw))
        open_cells.append(sum(floor_map.value_at(*point) == 0 for point in points.tolist()))
    front = max(range(4), key=lambda side: open_cells[side] - open_cells[side - 2])
    length, breadth = (side * floor_map.resolution for side in size[front % 2])
    yaw = float((sides[front] + np.pi) % (2.0 * np.pi) - np.pi)
    return Fixture(
        id=f"{UNNAMED}_{number}",
        kind=UNNAMED,
        name=f"{UNNAMED} {number}",
        room=room,
        pose=Pose2(x=round(float(middle[0]), 3), y=round(float(middle[1]), 3), yaw=round(yaw, 4)),
        depth=round(float(length), 3),
        width=round(float(breadth), 3),
        height=ASSUMED_HEIGHT,
    )
