"""Procedural homes, sampled from a seed.

A sampled home has the same structure as a scene and a map that are read from YAML. The robot and people stand
at the most spacious points of its rooms.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi

import numpy as np

from openral_core.errors import OpenRALError
from openral_core.home_map import Agent, HomeMap, Place, Pose2, Rectangle
from openral_sim.assets.materials import AppearanceName, Side
from openral_sim.scene.scene import Scene
from openral_sim.scene.schema import CameraStyle, SceneDocument, ScenePerson
from openral_training.homes.appearance import sample_floors, sample_lights, sample_trims, sample_walls
from openral_training.homes.floor_plan import PLANS, FloorPlan, sample_floor_plan
from openral_training.homes.furniture_placement import (
    FloorRegion,
    FurnishedHome,
    PlacedPiece,
    place_furniture,
)
from openral_training.homes.object_placement import ObjectChoice, place_objects
from openral_training.homes.room_types import Span, room_types
from openral_training.homes.validation import all_places_reachable


@dataclass(frozen=True)
class StandingConfig:
    """Settings for choosing where the robot and people stand."""

    grid: float = 0.1  # Distance between candidate points [m].
    robot_clearance: float = 0.6  # Wanted distance of the robot from walls and furniture [m].
    person_clearance: float = 0.75  # Wanted distance of a person from walls and furniture [m].
    person_half_width: float = 0.3  # Half of the floor a person occupies along each axis [m].
    # Smallest distance of a person from the middle of the room's free floor [m].
    person_distance: float = 1.3
    centre_weight: float = 0.25  # Clearance given up per metre closer to the middle of the room [-].
    height: Span = (1.55, 1.85)  # Bounds of a person's height [m].


STANDING = StandingConfig()


def robot_places(home: FurnishedHome) -> Iterator[Place]:
    """Yield a place in front of every piece the robot works at, and one in the middle of every room."""
    for placed in home.pieces:
        if placed.piece.standoff > 0.0:
            yield place_in_front(placed)
    for room, floor in home.floors.items():
        x, y = most_spacious_point(floor, STANDING.robot_clearance)
        first = next(placed.fixture.pose for placed in home.pieces if placed.fixture.room == room)
        yaw = round(float(np.arctan2(first.y - y, first.x - x)), 3)
        name = f"middle of the {room_types()[room].name}"
        yield Place(id=f"{room}_middle", name=name, room=room, pose=Pose2(x=x, y=y, yaw=yaw))


def place_in_front(placed: PlacedPiece) -> Place:
    """Return the place in front of a piece of furniture, facing it."""
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


MAX_ATTEMPTS = 60
"""Number of homes sampled for a seed before giving up."""
BASE_OBJECTS, OBJECTS_PER_ROOM = 16, 4
"""Number of objects in any home, and added for each of its rooms."""
_CAMERAS = {
    "head": CameraStyle(width=640, height=480, fovy=58.0, rate=5.0),
    "wrist": CameraStyle(width=320, height=240, fovy=60.0, rate=5.0),
}
_SIDES: tuple[Side, Side] = ("left", "right")
_SHIRTS: tuple[AppearanceName, ...] = ("shirt", "green_shirt", "blue_shirt")
_TROUSERS: tuple[AppearanceName, ...] = ("denim", "grey_trousers")


class NoValidHome(OpenRALError):
    """A seed gave no home in which every place can be reached."""

    def __init__(self, seed: int, rooms: int) -> None:
        super().__init__(
            f"seed {seed} gave no valid home of {rooms} rooms in {MAX_ATTEMPTS} attempts; try another seed"
        )


def sample_home(
    seed: int, rooms: int | None = None, name: str | None = None, choice: ObjectChoice | None = None
) -> Scene:
    """Sample a home; the same arguments always give the same home.

    Args:
        seed: Seed of everything in it.
        rooms: Number of rooms; sampled if None.
        name: Name of the home; ``generated_<seed>`` if None.
        choice: Deviations from its usual objects, if any.

    Raises:
        NoSuchPlan: If there is no plan with that number of rooms.
        NoValidHome: If no sampled home was valid.
    """
    first = np.random.default_rng(seed)
    count = int(first.choice(sorted(PLANS))) if rooms is None else rooms
    for attempt in range(MAX_ATTEMPTS):
        rng = np.random.default_rng([seed, attempt])
        scene = _sample(rng, count, name or f"generated_{seed}", choice)
        if scene is not None and all_places_reachable(scene):
            return scene
    raise NoValidHome(seed, count)


def _sample(rng: np.random.Generator, rooms: int, name: str, choice: ObjectChoice | None) -> Scene | None:
    """Sample one home; None if a required piece of furniture does not fit."""
    plan = sample_floor_plan(rng, rooms)
    furnished = place_furniture(rng, plan)
    if furnished is None:
        return None
    # The person reserves floor, which moves the robot's places.
    agent = sample_requester(rng, furnished)
    home = HomeMap(
        name=name,
        rooms=plan.map_rooms(),
        doorways=plan.doorways(),
        places=tuple(robot_places(furnished)),
        fixtures=tuple(placed.fixture for placed in furnished.pieces),
        agents=(agent,),
    )
    robot = next(place for place in home.places if place.looks_at is None).pose
    return Scene(_sample_document(rng, plan, furnished, home, robot, choice), home)


def _sample_document(
    rng: np.random.Generator,
    plan: FloorPlan,
    furnished: FurnishedHome,
    home: HomeMap,
    robot: Pose2,
    choice: ObjectChoice | None,
) -> SceneDocument:
    max_objects = BASE_OBJECTS + OBJECTS_PER_ROOM * len(plan.rooms)
    return SceneDocument(
        name=home.name,
        map=f"../maps/{home.name}.yaml",
        robot=robot,
        floors=sample_floors(rng, plan),
        walls=tuple(sample_walls(rng, plan)),
        furniture={placed.fixture.id: placed.style for placed in furnished.pieces},
        trims=tuple(sample_trims(rng, plan, furnished)),
        objects=place_objects(rng, furnished.pieces, max_objects, choice),
        people={agent.id: _sample_person(rng) for agent in home.agents},
        cameras=_CAMERAS,
        lights=sample_lights(rng, plan),
    )


def _sample_person(rng: np.random.Generator) -> ScenePerson:
    return ScenePerson(
        shirt=_SHIRTS[rng.integers(len(_SHIRTS))],
        trousers=_TROUSERS[rng.integers(len(_TROUSERS))],
        hand=_SIDES[rng.integers(2)],
    )
