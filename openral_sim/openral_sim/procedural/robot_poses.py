"""Where the robot and people stand in a furnished home."""

from collections.abc import Iterator
from math import pi

import numpy as np

from openral_core.home_map import Agent, Place, Pose2, Rectangle
from openral_sim.procedural.furniture_placement import FloorRegion, FurnishedHome, FurnishingSampler
from openral_sim.procedural.room_types import room_types

_STEP = 0.1
_ROOM_FOR_ROBOT, _ROOM_FOR_PERSON = 0.6, 0.75
_TOWARDS_MIDDLE = 0.25
_APART = 1.3


def places(home: FurnishedHome) -> Iterator[Place]:
    """A place before every piece the robot works at, and one in the middle of every room."""
    for each in home.furnishings:
        if each.piece.standoff > 0.0:
            yield _before(each)
    for room, floor in home.floors.items():
        x, y = roomiest(floor, _ROOM_FOR_ROBOT)
        first = next(each.fixture.pose for each in home.furnishings if each.fixture.room == room)
        yaw = round(float(np.arctan2(first.y - y, first.x - x)), 3)
        name = f"middle of the {room_types()[room].name}"
        yield Place(id=f"{room}_middle", name=name, room=room, pose=Pose2(x=x, y=y, yaw=yaw))


def _before(furnishing: FurnishingSampler) -> Place:
    fixture = furnishing.fixture
    x, y = fixture.pose.to_parent(fixture.depth / 2 + furnishing.piece.standoff, 0.0)
    yaw = round((fixture.pose.yaw + 2 * pi) % (2 * pi) - pi, 6)
    return Place(
        id=f"at_{fixture.id}",
        name=f"in front of the {fixture.name}",
        room=fixture.room,
        pose=Pose2(x=round(x, 3), y=round(y, 3), yaw=yaw),
        looks_at=fixture.id,
    )


def roomiest(
    floor: FloorRegion, enough: float, avoid: tuple[float, float] | None = None
) -> tuple[float, float]:
    """The point nearest to a room's middle with enough room around it in [m], else the one with most.

    Args:
        floor: The room's floor.
        enough: Wanted distance to anything in [m].
        avoid: A point to stay away from.
    """
    middle = np.add(floor.area.min, floor.area.max) / 2

    def worth(point: tuple[float, float]) -> float:
        near = avoid is not None and float(np.hypot(*np.subtract(point, avoid))) < _APART
        away = float(np.hypot(*np.subtract(point, middle)))
        return min(floor.room_at(*point), enough) - _TOWARDS_MIDDLE * away - 10.0 * near

    return max(_grid(floor.inside), key=worth)


def requester(rng: np.random.Generator, home: FurnishedHome) -> Agent:
    """The person who asks for things, standing in the room meant for company, facing its roomiest part."""
    room = next(name for name in ("living_room", "studio", *home.floors) if name in home.floors)
    floor = home.floors[room]
    ahead = roomiest(floor, _ROOM_FOR_ROBOT)
    x, y = roomiest(floor, _ROOM_FOR_PERSON, avoid=ahead)
    yaw = float(np.arctan2(ahead[1] - y, ahead[0] - x)) + float(rng.uniform(-0.3, 0.3))
    height = round(float(rng.uniform(1.55, 1.85)), 2)
    floor.take(_around(x, y, 0.3), _around(x, y, 0.3))
    return Agent(
        id="requester",
        name="requester",
        aliases=("me", "user", "person"),
        room=room,
        pose=Pose2(x=x, y=y, yaw=round(yaw, 3)),
        height=height,
    )


def _around(x: float, y: float, half: float) -> Rectangle:
    return Rectangle(min=(x - half, y - half), max=(x + half, y + half))


def _grid(inside: Rectangle) -> Iterator[tuple[float, float]]:
    xs, ys = (np.round(np.arange(inside.min[axis] + _STEP, inside.max[axis], _STEP), 2) for axis in (0, 1))
    return ((float(x), float(y)) for x in xs for y in ys)
