"""Poses of the robot and of people in a furnished home."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi

import numpy as np

from openral_core.home_map import Agent, Place, Pose2, Rectangle
from openral_sim.procedural.furniture_placement import FloorRegion, FurnishedHome, PlacedPiece
from openral_sim.procedural.room_types import Span, room_types


@dataclass(frozen=True)
class StandingConfig:
    """Settings for choosing where the robot and people stand.

    Attributes:
        grid: Distance between candidate points [m].
        robot_clearance: Wanted distance of the robot from walls and furniture [m].
        person_clearance: Wanted distance of a person from walls and furniture [m].
        person_half_width: Half of the floor a person occupies along each axis [m].
        person_distance: Smallest distance of a person from the middle of the room's free floor [m].
        centre_weight: Clearance given up per metre closer to the middle of the room [-].
        height: Bounds of a person's height [m].
    """

    grid: float = 0.1
    robot_clearance: float = 0.6
    person_clearance: float = 0.75
    person_half_width: float = 0.3
    person_distance: float = 1.3
    centre_weight: float = 0.25
    height: Span = (1.55, 1.85)


STANDING = StandingConfig()


def robot_places(home: FurnishedHome) -> Iterator[Place]:
    """Yield a place in front of every piece the robot works at, and one in the middle of every room."""
    for placed in home.pieces:
        if placed.piece.standoff > 0.0:
            yield _place_in_front(placed)
    for room, floor in home.floors.items():
        x, y = most_spacious_point(floor, STANDING.robot_clearance)
        first = next(placed.fixture.pose for placed in home.pieces if placed.fixture.room == room)
        yaw = round(float(np.arctan2(first.y - y, first.x - x)), 3)
        name = f"middle of the {room_types()[room].name}"
        yield Place(id=f"{room}_middle", name=name, room=room, pose=Pose2(x=x, y=y, yaw=yaw))


def _place_in_front(placed: PlacedPiece) -> Place:
    fixture = placed.fixture
    x, y = fixture.pose.to_parent(fixture.depth / 2 + placed.piece.standoff, 0.0)
    yaw = round((fixture.pose.yaw + 2 * pi) % (2 * pi) - pi, 6)
    return Place(
        id=f"at_{fixture.id}",
        name=f"in front of the {fixture.name}",
        room=fixture.room,
        pose=Pose2(x=round(x, 3), y=round(y, 3), yaw=yaw),
        looks_at=fixture.id,
    )


def most_spacious_point(
    floor: FloorRegion, clearance: float, avoid: tuple[float, float] | None = None
) -> tuple[float, float]:
    """Return the point nearest to a room's middle with enough clearance, else the one with the most.

    Args:
        floor: Floor of the room.
        clearance: Wanted distance to walls and furniture [m].
        avoid: Point to stay away from by `StandingConfig.person_distance`.
    """
    middle = np.add(floor.area.min, floor.area.max) / 2

    def score(point: tuple[float, float]) -> float:
        near = avoid is not None and float(np.hypot(*np.subtract(point, avoid))) < STANDING.person_distance
        away = float(np.hypot(*np.subtract(point, middle)))
        free = min(floor.distance_to_obstacle(*point), clearance)
        # Ten metres outweigh every clearance: a point near `avoid` is the last resort.
        return free - STANDING.centre_weight * away - 10.0 * near

    return max(_grid(floor.inside), key=score)


def sample_requester(rng: np.random.Generator, home: FurnishedHome) -> Agent:
    """Sample the person who gives tasks: in the living room if there is one, facing its free floor."""
    room = next(name for name in ("living_room", "studio", *home.floors) if name in home.floors)
    floor = home.floors[room]
    ahead = most_spacious_point(floor, STANDING.robot_clearance)
    x, y = most_spacious_point(floor, STANDING.person_clearance, avoid=ahead)
    yaw = float(np.arctan2(ahead[1] - y, ahead[0] - x)) + float(rng.uniform(-0.3, 0.3))
    height = round(float(rng.uniform(*STANDING.height)), 2)
    half = STANDING.person_half_width
    footprint = Rectangle(min=(x - half, y - half), max=(x + half, y + half))
    floor.occupy(footprint, footprint)
    return Agent(
        id="requester",
        name="requester",
        aliases=("me", "user", "person"),
        room=room,
        pose=Pose2(x=x, y=y, yaw=round(yaw, 3)),
        height=height,
    )


def _grid(inside: Rectangle) -> Iterator[tuple[float, float]]:
    step = STANDING.grid
    xs, ys = (np.round(np.arange(inside.min[axis] + step, inside.max[axis], step), 2) for axis in (0, 1))
    return ((float(x), float(y)) for x in xs for y in ys)
