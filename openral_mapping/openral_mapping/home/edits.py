"""Edits of a home that a robot found: kept beside its map, and applied to every map that is built of it."""

from collections.abc import Iterator, Sequence
from math import dist
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, TypeAdapter

from openral_core.documents import Document
from openral_core.errors import OpenRALError, format_choices
from openral_core.files import read_bytes, replace_file
from openral_core.home_edits import HomeEdits, Name
from openral_core.home_map import Agent, Fixture, HomeMap, NoGoZone, Place, Point2, Polygon, Pose2, Room
from openral_core.parsing import MAX_JSON
from openral_mapping.home.annotations import (
    HomeAnnotations,
    NoGoAnnotation,
    PlaceAnnotation,
    RoomAnnotation,
    annotated,
    slug,
)
from openral_mapping.home.room_names import renamed

MAX_EDITS = 500
"""Most names, places, zones and pieces of each sort that are kept [1]."""
SAME_PIECE = 0.5
"""Distance within which a piece of the same kind is the one that was accepted or rejected [m]."""
_WHERE = Path("edit")


class InvalidEdit(OpenRALError):
    """An edit that does not fit the map."""


class NameRoom(Document):
    """Names a room."""

    operation: Literal["name_room"] = "name_room"
    id: str
    name: Name


class NameFurniture(Document):
    """Names a piece of furniture."""

    operation: Literal["name_furniture"] = "name_furniture"
    id: str
    name: Name


class AddPlace(Document):
    """Adds a named base pose, or moves the one of this name."""

    operation: Literal["add_place"] = "add_place"
    name: Name
    at: Point2
    yaw: FiniteFloat = 0.0


class RemovePlace(Document):
    """Removes a place that was added."""

    operation: Literal["remove_place"] = "remove_place"
    id: str


class AddZone(Document):
    """Adds an area that the base must not enter, or changes the one of this name."""

    operation: Literal["add_zone"] = "add_zone"
    name: Name
    polygon: Polygon


class RemoveZone(Document):
    """Removes a no-go zone that was added."""

    operation: Literal["remove_zone"] = "remove_zone"
    id: str


class AcceptFurniture(Document):
    """Keeps a piece in the map, though later images may not show it."""

    operation: Literal["accept"] = "accept"
    id: str


class RejectFurniture(Document):
    """Leaves a piece out of the map: it does not exist, or is no furniture."""

    operation: Literal["reject"] = "reject"
    id: str


class RestoreFurniture(Document):
    """Takes an acceptance or a rejection back."""

    operation: Literal["restore"] = "restore"
    id: str


Edit = (
    NameRoom | NameFurniture | AddPlace | RemovePlace | AddZone | RemoveZone | AcceptFurniture
    | RejectFurniture | RestoreFurniture
)  # fmt: skip
EDIT: TypeAdapter[Edit] = TypeAdapter(Annotated[Edit, Field(discriminator="operation")])


def with_edits(home: HomeMap, edits: HomeEdits) -> HomeMap:
    """Return a home with the edits; those of what it lacks wait until that is found."""
    rooms = {room.id for room in home.rooms}
    named = renamed(home, {key: name for key, name in edits.room_names.items() if key in rooms})
    fixtures = [_named(edits, item) for item in home.fixtures if not _is_among(item, edits.rejected)]
    fixtures += [
        _named(edits, item)
        for item in edits.accepted
        if item.room in rooms and not _is_among(item, fixtures) and item.id not in {f.id for f in fixtures}
    ]
    names = {item.id: item.name for item in fixtures}
    places = [
        place if place.looks_at is None else place.model_copy(update={"name": names[place.looks_at]})
        for place in named.places
        if place.looks_at is None or place.looks_at in names
    ]
    taken = {place.id for place in edits.places}
    return named.model_copy(
        update={
            "fixtures": tuple(fixtures),
            "places": (
                *(place for place in places if place.id not in taken),
                *_in_rooms(edits.places, named),
            ),
            "no_go_zones": (*named.no_go_zones, *edits.no_go_zones),
        }
    )


def edits_after(edits: HomeEdits, edit: Edit, home: HomeMap) -> HomeEdits:
    """Return the edits with one more.

    Args:
        edits: The edits so far.
        home: The home as it is shown, with the edits so far.

    Raises:
        InvalidEdit: If it does not fit the home; a name has to be free, a place in a room.
        InvalidDocument: See `annotated`, by which what a file may say is checked too.
    """
    match edit:
        case NameRoom(id=key, name=name):
            annotated(home, HomeAnnotations(rooms=(RoomAnnotation(id=key, name=name),)), _WHERE)
            _check_free(home, name, key)
            return _changed(edits, room_names={**edits.room_names, key: name})
        case NameFurniture(id=key, name=name):
            _fixture(home.fixtures, key)
            _check_free(home, name, key)
            return _changed(edits, furniture_names={**edits.furniture_names, key: name})
        case AddPlace() | AddZone():
            return _added(edits, edit, home)
        case RemovePlace(id=key) | RemoveZone(id=key):
            return _removed(edits, key)
        case AcceptFurniture(id=key) | RejectFurniture(id=key) | RestoreFurniture(id=key):
            return _judged(edits, edit, key, home)


def _added(edits: HomeEdits, edit: AddPlace | AddZone, home: HomeMap) -> HomeEdits:
    key = slug(edit.name)
    before: tuple[Place | NoGoZone, ...] = edits.places if isinstance(edit, AddPlace) else edits.no_go_zones
    _check_free(home, edit.name, key if key in {item.id for item in before} else "")
    if isinstance(edit, AddPlace):
        place = PlaceAnnotation(name=edit.name, at=edit.at, yaw=edit.yaw)
        changed = annotated(home, HomeAnnotations(places=(place,)), _WHERE)
        made = next(each for each in changed.places if each.id == key)
        return _changed(edits, places=(*(each for each in edits.places if each.id != key), made))
    zone = NoGoAnnotation(name=edit.name, polygon=edit.polygon)
    annotated(home, HomeAnnotations(no_go=(zone,)), _WHERE)
    zones = (each for each in edits.no_go_zones if each.id != key)
    return _changed(edits, no_go_zones=(*zones, NoGoZone(id=key, name=edit.name, polygon=edit.polygon)))


def _removed(edits: HomeEdits, key: str) -> HomeEdits:
    added = [*(place.id for place in edits.places), *(zone.id for zone in edits.no_go_zones)]
    if key not in added:
        raise InvalidEdit(f"no place or zone {key!r} was added; added: {format_choices(added)}")
    return _changed(
        edits,
        places=tuple(item for item in edits.places if item.id != key),
        no_go_zones=tuple(item for item in edits.no_go_zones if item.id != key),
    )


def _judged(
    edits: HomeEdits, edit: AcceptFurniture | RejectFurniture | RestoreFurniture, key: str, home: HomeMap
) -> HomeEdits:
    judged = (*edits.accepted, *edits.rejected)
    piece = _fixture(judged if isinstance(edit, RestoreFurniture) else home.fixtures, key)
    accepted = tuple(item for item in edits.accepted if item.id != key)
    rejected = tuple(item for item in edits.rejected if item.id != key)
    if isinstance(edit, AcceptFurniture):
        accepted = (*accepted, piece)
    elif isinstance(edit, RejectFurniture):
        rejected = (*rejected, piece)
    return _changed(edits, accepted=accepted, rejected=rejected)


def _named(edits: HomeEdits, fixture: Fixture) -> Fixture:
    name = edits.furniture_names.get(fixture.id)
    return fixture if name is None else fixture.model_copy(update={"name": name})


def _changed(edits: HomeEdits, **parts: object) -> HomeEdits:
    changed = edits.model_copy(update=parts)
    if any(len(getattr(changed, field)) > MAX_EDITS for field in type(edits).model_fields):
        raise InvalidEdit(f"at most {MAX_EDITS} edits of a sort are kept: remove some first")
    return changed


def _is_among(fixture: Fixture, others: Sequence[Fixture]) -> bool:
    """Test if a piece is one of some others: the same kind at the same spot."""
    return any(
        item.kind == fixture.kind and _distance(item.pose, fixture.pose) <= SAME_PIECE for item in others
    )


def _distance(pose: Pose2, other: Pose2) -> float:
    return dist((pose.x, pose.y), (other.x, other.y))


def _in_rooms(places: tuple[Place, ...], home: HomeMap) -> Iterator[Place]:
    for place in places:
        room = home.room_at(place.pose.x, place.pose.y)
        if room is not None:
            yield place.model_copy(update={"room": room.id})


def _fixture(fixtures: tuple[Fixture, ...], key: str) -> Fixture:
    by_id = {item.id: item for item in fixtures}
    if key not in by_id:
        raise InvalidEdit(f"no furniture has the id {key!r}; known: {format_choices(by_id)}")
    return by_id[key]


def _check_free(home: HomeMap, name: str, own: str) -> None:
    """Check that nothing else has a name, or the id that is made of it.

    Raises:
        InvalidEdit: If something has.
    """
    places = (place for place in home.places if place.looks_at is None)
    items: tuple[Room | Fixture | Agent | NoGoZone | Place, ...] = (
        *home.rooms,
        *home.fixtures,
        *home.agents,
        *home.no_go_zones,
        *places,
    )
    for item in items:
        if item.id != own and (item.name.casefold() == name.casefold() or item.id == slug(name)):
            raise InvalidEdit(f"{name!r} is the name of {item.id} already; choose another one")


def load_edits(path: Path) -> HomeEdits:
    """Read edits; none if there is no file.

    Raises:
        InvalidEdit: If the file cannot be read.
    """
    try:
        return HomeEdits.model_validate_json(read_bytes(path, MAX_JSON)) if path.exists() else HomeEdits()
    except (OSError, ValueError) as error:
        raise InvalidEdit(f"{path} has no edits of a home: {error}") from error


def save_edits(path: Path, edits: HomeEdits) -> None:
    """Write edits; a crash or a loss of power leaves the file that was there.

    Raises:
        OSError: If the disk refuses.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, edits.model_dump_json(indent=1))


def edits_path(map_path: Path) -> Path:
    """Path of the edits' file beside that of the floor or the furniture."""
    return map_path.with_name(f"{map_path.stem}.edits.json")
