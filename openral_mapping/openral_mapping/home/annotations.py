"""Annotations of a home's map: names, furniture, places, people and no-go zones, from a YAML file."""

import re
from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Self

from pydantic import FiniteFloat, PositiveFloat, model_validator

from openral_core.documents import Document, InvalidDocument
from openral_core.home_map import (
    UNNAMED,
    Agent,
    Box3,
    Container,
    Fixture,
    HomeMap,
    NoGoZone,
    Opens,
    Place,
    Point2,
    Polygon,
    Pose2,
    Rectangle,
    Room,
    Surface,
)
from openral_mapping.home.from_floor import ASSUMED_HEIGHT
from openral_mapping.home.room_names import renamed, with_names

STANDOFF = 0.8
"""Distance of the robot's base from the front of furniture that it faces [m]; an arm's reach."""
BOARD = 0.02
"""Thickness of the boards around surfaces and containers [m]."""
_REACH = 0.3
"""Distance from a piece of furniture at which a point still names it [m]."""


class RoomAnnotation(Document):
    """Names a room, by its id or a point in it."""

    id: str = ""
    at: Point2 | None = None
    name: str
    aliases: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _is_found(self) -> Self:
        if bool(self.id) == (self.at is not None):
            raise ValueError("give either id or at")
        return self


class ContainerAnnotation(Document):
    """A door or drawer in the front of furniture."""

    opens: Opens = "hinge"
    occludes_contents: bool = True


class FurnitureAnnotation(Document):
    """Names the furniture at a point, or adds furniture there if width and depth are given.

    ``yaw`` is the direction out of its front [rad]; ``surfaces`` are heights of tops and shelves [m].
    """

    id: str = ""
    at: Point2 | None = None
    kind: str
    name: str = ""
    aliases: tuple[str, ...] = ()
    yaw: FiniteFloat | None = None
    depth: PositiveFloat | None = None
    width: PositiveFloat | None = None
    height: PositiveFloat = ASSUMED_HEIGHT
    surfaces: tuple[PositiveFloat, ...] = ()
    container: ContainerAnnotation | None = None

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if bool(self.id) == (self.at is not None):
            raise ValueError("give either id or at")
        if (self.depth is None) != (self.width is None):
            raise ValueError("give depth and width together")
        if any(z > self.height for z in self.surfaces):
            raise ValueError(f"surfaces {self.surfaces} must not be above height {self.height:g}")
        return self


class PlaceAnnotation(Document):
    """A named base pose."""

    name: str
    aliases: tuple[str, ...] = ()
    at: Point2
    yaw: FiniteFloat = 0.0
    looks_at: str | None = None


class PersonAnnotation(Document):
    """A person where they usually are."""

    name: str
    aliases: tuple[str, ...] = ()
    at: Point2
    yaw: FiniteFloat = 0.0
    height: PositiveFloat = 1.7


class NoGoAnnotation(Document):
    """An area that the robot must not enter."""

    name: str
    polygon: Polygon


class HomeAnnotations(Document):
    """Everything that people add to a map; ``remove`` lists ids of furniture and places that do not exist."""

    rooms: tuple[RoomAnnotation, ...] = ()
    furniture: tuple[FurnitureAnnotation, ...] = ()
    places: tuple[PlaceAnnotation, ...] = ()
    people: tuple[PersonAnnotation, ...] = ()
    no_go: tuple[NoGoAnnotation, ...] = ()
    remove: tuple[str, ...] = ()


def annotated(home: HomeMap, annotations: HomeAnnotations, path: Path) -> HomeMap:
    """Apply annotations; rooms without a name are then named for their furniture.

    Args:
        annotations: What to add; what has been added before is replaced, so a file may be applied again.
        path: Their file, for messages.

    Raises:
        InvalidDocument: Naming every annotation that does not fit the map.
    """
    editor = _Editor(home)
    for annotation in annotations.rooms:
        editor.name_room(annotation)
    editor.remove(annotations.remove)
    for piece in annotations.furniture:
        editor.add_furniture(piece)
    for place in annotations.places:
        editor.add_place(place)
    for person in annotations.people:
        editor.add_person(person)
    zones = {z.id: z for z in home.no_go_zones}
    zones |= {
        slug(z.name): NoGoZone(id=slug(z.name), name=z.name, polygon=z.polygon) for z in annotations.no_go
    }
    if editor.problems:
        raise InvalidDocument(path, editor.problems)
    content = {**editor.home.model_dump(), "no_go_zones": [zone.model_dump() for zone in zones.values()]}
    try:
        return with_names(HomeMap.model_validate(content))
    except ValueError as error:
        raise InvalidDocument(path, [str(error)]) from error


def slug(name: str) -> str:
    """Return the id for a name: lower case, with underscores."""
    return re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_") or "unnamed"


@dataclass
class _Editor:
    """A map under change; ``problems`` collects what does not fit it."""

    home: HomeMap

    def __post_init__(self) -> None:
        self.problems: list[str] = []

    def _replace(self, **parts: object) -> None:
        self.home = self.home.model_copy(update=parts)

    def _room_at(self, at: Point2, what: str) -> Room | None:
        room = self.home.room_at(*at)
        if room is None:
            self.problems.append(f"{what}: {at} is in no room; rooms: {self._rooms()}")
        return room

    def _rooms(self) -> str:
        return ", ".join(f"{room.id} ({room.name})" for room in self.home.rooms)

    def name_room(self, annotation: RoomAnnotation) -> None:
        """Give a room its name and aliases."""
        what = f"room {annotation.name!r}"
        if annotation.at is not None:
            room = self._room_at(annotation.at, what)
        else:
            room = next((room for room in self.home.rooms if room.id == annotation.id), None)
            if room is None:
                self.problems.append(f"{what}: no room has the id {annotation.id!r}; rooms: {self._rooms()}")
        if room is None:
            return
        named = room.model_copy(update={"aliases": annotation.aliases})
        self._replace(rooms=tuple(named if item.id == room.id else item for item in self.home.rooms))
        self.home = renamed(self.home, {room.id: annotation.name})

    def remove(self, ids: tuple[str, ...]) -> None:
        """Remove furniture and places."""
        ids_in_use = [*(f.id for f in self.home.fixtures), *(p.id for p in self.home.places)]
        self.problems += [f"remove: nothing has the id {name!r}" for name in ids if name not in ids_in_use]
        self._replace(
            fixtures=tuple(item for item in self.home.fixtures if item.id not in ids),
            places=tuple(p for p in self.home.places if p.id not in ids and p.looks_at not in ids),
        )

    def add_furniture(self, annotation: FurnitureAnnotation) -> None:
        """Name a piece or add one, with the place in front of it."""
        name = annotation.name or annotation.kind
        old = self._piece(annotation)
        if old is None:
            if annotation.at is None or annotation.depth is None:
                self.problems.append(
                    f"furniture {name!r}: nothing is at {annotation.id or annotation.at}; give at, depth and "
                    f"width, or one of: {', '.join(item.id for item in self.home.fixtures) or 'none'}"
                )
                return
            room = self._room_at(annotation.at, f"furniture {name!r}")
        else:
            room = next(room for room in self.home.rooms if room.id == old.room)
        if room is not None:
            self._put(fixture_of(annotation, old, room.id, self._free_id(slug(name), old)), old)

    def _put(self, fixture: Fixture, old: Fixture | None) -> None:
        """Add a piece in place of an older one, and the place in front of it."""
        gone = old.id if old else ""
        x, y = fixture.pose.to_parent(fixture.depth / 2.0 + STANDOFF, 0.0)
        yaw = (fixture.pose.yaw + 2.0 * pi) % (2.0 * pi) - pi
        front = Place(
            id=f"at_{fixture.id}",
            name=f"in front of the {fixture.name}",
            room=fixture.room,
            pose=Pose2(x=round(x, 3), y=round(y, 3), yaw=round(yaw, 4)),
            looks_at=fixture.id,
        )
        self._replace(
            fixtures=(*(item for item in self.home.fixtures if item.id != gone), fixture),
            places=(*(p for p in self.home.places if p.looks_at is None or p.looks_at != gone), front),
        )

    def _piece(self, annotation: FurnitureAnnotation) -> Fixture | None:
        if annotation.at is None:
            return next((item for item in self.home.fixtures if item.id == annotation.id), None)
        at = annotation.at
        near = [
            item
            for item in self.home.fixtures
            if item.footprint.contains(*item.pose.to_local(*at), margin=-_REACH)
        ]
        return min(near, key=lambda item: abs(item.pose.x - at[0]) + abs(item.pose.y - at[1]), default=None)

    def _free_id(self, stem: str, old: Fixture | None) -> str:
        home = self.home
        taken = {
            *(room.id for room in home.rooms),
            *(place.id for place in home.places),
            *(agent.id for agent in home.agents),
            *(item.id for item in home.fixtures if old is None or item.id != old.id),
        }
        number, candidate = 1, stem
        while candidate in taken:
            number += 1
            candidate = f"{stem}_{number}"
        return candidate

    def add_place(self, annotation: PlaceAnnotation) -> None:
        """Add a place, or move the one of this name."""
        room = self._room_at(annotation.at, f"place {annotation.name!r}")
        fixtures = [item.id for item in self.home.fixtures]
        if annotation.looks_at is not None and annotation.looks_at not in fixtures:
            ids = ", ".join(fixtures) or "none"
            self.problems.append(
                f"place {annotation.name!r}: looks_at {annotation.looks_at!r} is no furniture; known: {ids}"
            )
        elif room is not None:
            place = Place(
                id=slug(annotation.name),
                name=annotation.name,
                aliases=annotation.aliases,
                room=room.id,
                pose=Pose2(x=annotation.at[0], y=annotation.at[1], yaw=annotation.yaw),
                looks_at=annotation.looks_at,
            )
            self._replace(places=(*(p for p in self.home.places if p.id != place.id), place))

    def add_person(self, annotation: PersonAnnotation) -> None:
        """Add a person, or move the one of this name."""
        room = self._room_at(annotation.at, f"person {annotation.name!r}")
        if room is not None:
            agent = Agent(
                id=slug(annotation.name),
                name=annotation.name,
                aliases=annotation.aliases,
                room=room.id,
                pose=Pose2(x=annotation.at[0], y=annotation.at[1], yaw=annotation.yaw),
                height=annotation.height,
            )
            self._replace(agents=(*(a for a in self.home.agents if a.id != agent.id), agent))


def fixture_of(annotation: FurnitureAnnotation, old: Fixture | None, room: str, name: str) -> Fixture:
    """Return the piece that an annotation describes; what it leaves out is as it was."""
    at = annotation.at or (0.0, 0.0)
    pose = (
        Pose2(x=at[0], y=at[1])
        if old is None or (annotation.depth is not None and annotation.at)
        else old.pose
    )
    if annotation.yaw is not None:
        pose = pose.model_copy(update={"yaw": annotation.yaw})
    depth = annotation.depth or (old.depth if old else BOARD)
    width = annotation.width or (old.width if old else BOARD)
    x, y = round(max(depth / 2.0 - BOARD, 0.0), 3), round(max(width / 2.0 - BOARD, 0.0), 3)
    inner = Rectangle(min=(-x, -y), max=(x, y))
    surfaces = tuple(
        Surface(id=f"surface_{number}", z=z, area=inner)
        for number, z in enumerate(annotation.surfaces, start=1)
    )
    return Fixture(
        id=name,
        kind=annotation.kind,
        name=annotation.name or annotation.kind,
        aliases=annotation.aliases,
        room=room,
        pose=pose,
        depth=depth,
        width=width,
        height=annotation.height,
        surfaces=surfaces,
        container=_container(annotation, inner),
    )


def _container(annotation: FurnitureAnnotation, inner: Rectangle) -> Container | None:
    if annotation.container is None:
        return None
    interior = Box3(min=(*inner.min, BOARD), max=(*inner.max, annotation.height - BOARD))
    return Container(
        interior=interior,
        occludes_contents=annotation.container.occludes_contents,
        opens=annotation.container.opens,
    )


def unnamed(home: HomeMap) -> list[str]:
    """Return the ids of furniture that nothing has named."""
    return [item.id for item in home.fixtures if item.kind == UNNAMED]
