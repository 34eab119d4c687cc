"""The static map of a home: rooms, doorways, places, fixtures and people, with unique ids.

Lengths are in [m], angles in [rad]; the map frame has z up. Geometry first, then the parts, then the map.
"""

from collections.abc import Iterable, Iterator
from math import cos, sin
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, FiniteFloat, PositiveFloat, model_validator

from openral_core.documents import Document, load_document
from openral_core.errors import OpenRALError, format_choices

Point2 = tuple[FiniteFloat, FiniteFloat]
Point3 = tuple[FiniteFloat, FiniteFloat, FiniteFloat]
UNNAMED = "furniture"
"""Kind of furniture that nothing has named."""


class Pose2(Document):
    """A planar pose: position [m] and heading [rad], counter-clockwise from +x."""

    x: FiniteFloat
    y: FiniteFloat
    yaw: FiniteFloat = 0.0

    def to_parent(self, x: float, y: float) -> tuple[float, float]:
        """Transform a point [m] of this pose's frame into the parent frame."""
        c, s = cos(self.yaw), sin(self.yaw)
        return self.x + c * x - s * y, self.y + s * x + c * y

    def to_local(self, x: float, y: float) -> tuple[float, float]:
        """Transform a point [m] of the parent frame into this pose's frame."""
        c, s = cos(self.yaw), sin(self.yaw)
        dx, dy = x - self.x, y - self.y
        return c * dx + s * dy, -s * dx + c * dy


class Rectangle(Document):
    """An axis-aligned rectangle between two corners [m]."""

    min: Point2
    max: Point2

    def contains(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Test if a point lies inside, at least `margin` [m] from the edge."""
        return all(
            lo + margin <= value <= hi - margin
            for value, lo, hi in zip((x, y), self.min, self.max, strict=True)
        )


class Box3(Document):
    """An axis-aligned box between two corners [m]."""

    min: Point3
    max: Point3

    def contains(self, x: float, y: float, z: float) -> bool:
        """Test if a point lies inside."""
        return all(lo <= value <= hi for value, lo, hi in zip((x, y, z), self.min, self.max, strict=True))


def _polygon(points: tuple[Point2, ...]) -> tuple[Point2, ...]:
    if len(points) < 3:
        raise ValueError(f"a polygon needs at least 3 corners, found {len(points)}")
    return points


Polygon = Annotated[tuple[Point2, ...], AfterValidator(_polygon)]


def _is_inside(polygon: Polygon, x: float, y: float) -> bool:
    """Test if a point lies inside an outline, by the even-odd rule."""
    inside = False
    for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            inside = not inside
    return inside


class Room(Document):
    """A room: its outline in the map frame [m]."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    polygon: Polygon

    def contains(self, x: float, y: float) -> bool:
        """Test if a map point [m] lies inside the outline."""
        return _is_inside(self.polygon, x, y)


class Doorway(Document):
    """An opening in the wall two rooms share: its middle in the map frame and its width [m]."""

    id: str
    rooms: tuple[str, str]
    at: Point2
    width: PositiveFloat


class NoGoZone(Document):
    """An area that the robot's base must not enter, in the map frame [m]."""

    id: str
    name: str
    polygon: Polygon

    def contains(self, x: float, y: float) -> bool:
        """Test if a map point [m] lies inside the outline."""
        return _is_inside(self.polygon, x, y)


class Place(Document):
    """A named base pose of the robot in the map frame, and the fixture it faces."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    room: str
    pose: Pose2
    looks_at: str | None = None


class Agent(Document):
    """A person: initial pose in the map frame, facing its +x, and height [m].

    What may hurt a ``child`` is handed over only after a question.
    """

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    room: str
    pose: Pose2
    height: PositiveFloat = 1.7
    child: bool = False


class Surface(Document):
    """A horizontal area that holds objects, in the fixture's frame [m]."""

    id: str
    z: float
    area: Rectangle


Opens = Literal["hinge", "aside", "out"]
"""Mechanism of a container: a hinged door, a sliding door (``aside``) or a drawer (``out``)."""

_DRAWER_OVERLAP = 0.08
"""Length of a drawer that stays inside its chest when fully open [m]."""


class Container(Document):
    """The volume inside a fixture, in its frame [m]; an occluding one must be opened to see its contents."""

    interior: Box3
    occludes_contents: bool
    opens: Opens = "hinge"

    @property
    def drawer_travel(self) -> float:
        """Distance that the contents travel when a drawer is fully open [m]; 0 for doors."""
        depth = self.interior.max[0] - self.interior.min[0]
        return max(0.0, depth - _DRAWER_OVERLAP) if self.opens == "out" else 0.0


ControlKind = Literal["switch", "button", "knob"]
"""Mechanism of a control: a rocker with an upper half for on, a button that springs back, or a knob."""


ApplianceKind = Literal["lamp", "screen"]


class Control(Document):
    """A part of a fixture that a fingertip works: the middle of its face in the fixture's frame [m].

    The face looks along the fixture's x axis turned by `yaw` [rad].
    """

    id: str
    kind: ControlKind
    name: str
    aliases: tuple[str, ...] = ()
    at: Point3
    yaw: FiniteFloat = 0.0


class Appliance(Document):
    """A lamp or screen that a control of its fixture turns on and off.

    It may be the fixture itself, whose id it then has. `lit` is the part that shows its state, in the
    fixture's frame [m].
    """

    id: str
    kind: ApplianceKind
    name: str
    aliases: tuple[str, ...] = ()
    lit: Box3
    control: Control


class Fixture(Document):
    """A piece of furniture; its frame is on the floor at the centre of the footprint, x out of the front."""

    id: str
    kind: str
    name: str
    aliases: tuple[str, ...] = ()
    room: str
    pose: Pose2
    depth: PositiveFloat
    width: PositiveFloat
    height: PositiveFloat
    surfaces: tuple[Surface, ...] = ()
    container: Container | None = None
    appliances: tuple[Appliance, ...] = ()

    @property
    def footprint(self) -> Rectangle:
        """The floor area it covers, in its own frame [m]."""
        x, y = self.depth / 2, self.width / 2
        return Rectangle(min=(-x, -y), max=(x, y))

    def corners(self, margin: float = 0.0) -> tuple[Point2, ...]:
        """Return the corners of its footprint, larger by a margin on each side, in map [m]."""
        x, y = self.depth / 2 + margin, self.width / 2 + margin
        return tuple(self.pose.to_parent(*corner) for corner in ((-x, -y), (x, -y), (x, y), (-x, y)))

    def surface(self, surface_id: str) -> Surface:
        """Return the surface with this id.

        Raises:
            KeyError: If the fixture has no such surface.
        """
        return {surface.id: surface for surface in self.surfaces}[surface_id]

    @model_validator(mode="after")
    def _surfaces_lie_within(self) -> "Fixture":
        for surface in self.surfaces:
            corners = (surface.area.min, surface.area.max)
            if not all(self.footprint.contains(*corner, margin=-1e-6) for corner in corners):
                raise ValueError(f"surface '{surface.id}' reaches outside the footprint of '{self.id}'")
            if not 0 <= surface.z <= self.height:
                raise ValueError(f"surface '{surface.id}' is not between 0 and {self.height} m high")
        return self


def _parts(fixture: Fixture) -> Iterator[str]:
    """Yield the ids of a fixture's controls, and of the appliances that are not the fixture itself."""
    for appliance in fixture.appliances:
        yield appliance.control.id
        if appliance.id != fixture.id:
            yield appliance.id


class UnknownMapId(OpenRALError):
    """An id that the map does not have."""

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        super().__init__(f"the map has no {kind} '{name}'; it has: {format_choices(valid)}")


class HomeMap(Document):
    """Everything static in a home, in the `map` frame.

    If doorways are given, they are the only passages between rooms; without any, all rooms are open.
    """

    name: str
    rooms: tuple[Room, ...]
    doorways: tuple[Doorway, ...] = ()
    places: tuple[Place, ...] = ()
    fixtures: tuple[Fixture, ...] = ()
    agents: tuple[Agent, ...] = ()
    no_go_zones: tuple[NoGoZone, ...] = ()

    def fixture(self, fixture_id: str) -> Fixture:
        """Return the fixture with this id.

        Raises:
            UnknownMapId: If there is none.
        """
        for fixture in self.fixtures:
            if fixture.id == fixture_id:
                return fixture
        raise UnknownMapId("fixture", fixture_id, (fixture.id for fixture in self.fixtures))

    def agent(self, agent_id: str) -> Agent:
        """Return the agent with this id.

        Raises:
            UnknownMapId: If there is none.
        """
        for agent in self.agents:
            if agent.id == agent_id:
                return agent
        raise UnknownMapId("agent", agent_id, (agent.id for agent in self.agents))

    def room_at(self, x: float, y: float) -> Room | None:
        """Return the room that contains a map point [m], or None."""
        return next((room for room in self.rooms if room.contains(x, y)), None)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> "HomeMap":
        ids: set[str] = set()
        items: tuple[Room | Doorway | Place | Fixture | Agent | NoGoZone, ...] = (
            *self.rooms,
            *self.doorways,
            *self.places,
            *self.fixtures,
            *self.agents,
            *self.no_go_zones,
        )
        parts = (part for fixture in self.fixtures for part in _parts(fixture))
        for item_id in (*(item.id for item in items), *parts):
            if item_id in ids:
                raise ValueError(f"duplicate id '{item_id}'")
            ids.add(item_id)
        return self

    @model_validator(mode="after")
    def _references_exist(self) -> "HomeMap":
        rooms = [room.id for room in self.rooms]
        fixtures = [fixture.id for fixture in self.fixtures]
        located: tuple[Place | Fixture | Agent, ...] = (*self.places, *self.fixtures, *self.agents)
        for item in located:
            if item.room not in rooms:
                raise ValueError(f"'{item.id}' is in unknown room '{item.room}'; rooms: {', '.join(rooms)}")
        for doorway in self.doorways:
            if unknown := [room for room in doorway.rooms if room not in rooms]:
                raise ValueError(
                    f"'{doorway.id}' joins unknown room '{unknown[0]}'; rooms: {', '.join(rooms)}"
                )
        for place in self.places:
            if place.looks_at is not None and place.looks_at not in fixtures:
                raise ValueError(
                    f"place '{place.id}' looks at unknown fixture '{place.looks_at}'; "
                    f"fixtures: {', '.join(fixtures)}"
                )
        return self


def load_map(path: Path) -> HomeMap:
    """Load the map in a YAML file.

    Raises:
        InvalidDocument: If the file is missing or is not a valid map.
    """
    return load_document(HomeMap, path)
