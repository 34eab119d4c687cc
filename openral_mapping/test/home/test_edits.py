"""Edits of a home that the robot found."""

from pathlib import Path

import pytest

from openral_core.documents import InvalidDocument
from openral_core.home_edits import HomeEdits
from openral_core.home_map import Fixture, HomeMap, Place, Pose2, Room
from openral_mapping.home.edits import (
    EDIT,
    AcceptFurniture,
    AddPlace,
    AddZone,
    Edit,
    InvalidEdit,
    NameFurniture,
    NameRoom,
    RejectFurniture,
    RemovePlace,
    RemoveZone,
    RestoreFurniture,
    edits_after,
    edits_path,
    load_edits,
    save_edits,
    with_edits,
)

SQUARE = ((1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0))


def piece(key: str, kind: str, x: float, y: float) -> Fixture:
    pose = Pose2(x=x, y=y)
    return Fixture(id=key, kind=kind, name=kind, room="room_1", pose=pose, depth=0.6, width=1.0, height=0.8)


def found(*pieces: Fixture) -> HomeMap:
    """A home as the mapper builds it: no edit is in it."""
    rooms = tuple(
        Room(id=key, name=key.replace("_", " "), polygon=((x, 0), (x + 4, 0), (x + 4, 4), (x, 4)))
        for key, x in (("room_1", 0.0), ("room_2", 4.2))
    )
    fronts = tuple(
        Place(id=f"at_{item.id}", name=item.name, room="room_1", pose=Pose2(x=3, y=3), looks_at=item.id)
        for item in pieces
    )
    middles = tuple(
        Place(id=f"{room.id}_middle", name=f"middle of the {room.name}", room=room.id, pose=Pose2(x=x, y=2))
        for room, x in zip(rooms, (2.0, 6.2), strict=True)
    )
    return HomeMap(name="perceived", rooms=rooms, places=(*middles, *fronts), fixtures=pieces)


HOME = found(piece("table_1", "table", 2.0, 2.0), piece("plant_1", "plant", 3.5, 0.5))


def edited(*edits: Edit, home: HomeMap = HOME) -> HomeEdits:
    kept = HomeEdits()
    for edit in edits:
        kept = edits_after(kept, edit, with_edits(home, kept))
    return kept


def test_names_places_and_zones_stay_when_the_map_is_built_again() -> None:
    kept = edited(
        NameRoom(id="room_2", name="study"),
        NameFurniture(id="table_1", name="desk"),
        AddPlace(name="charger", at=(5.0, 1.0), yaw=1.0),
        AddZone(name="cat tray", polygon=SQUARE),
    )
    again = with_edits(found(piece("table_1", "table", 2.3, 2.0)), kept)
    assert [room.name for room in again.rooms] == ["room 1", "study"]
    assert again.fixture("table_1").name == "desk"
    assert {place.id: place.name for place in again.places} == {
        "room_1_middle": "middle of the room 1",
        "room_2_middle": "middle of the study",
        "at_table_1": "desk",
        "charger": "charger",
    }
    assert next(place.room for place in again.places if place.id == "charger") == "room_2"
    assert [zone.polygon for zone in again.no_go_zones] == [SQUARE]
    HomeMap.model_validate(again.model_dump())


def test_what_was_added_is_removed_and_nothing_else_can_be() -> None:
    kept = edited(
        AddPlace(name="charger", at=(5.0, 1.0)),
        AddZone(name="cat tray", polygon=SQUARE),
        RemovePlace(id="charger"),
        RemoveZone(id="cat_tray"),
    )
    assert with_edits(HOME, kept) == HOME
    with pytest.raises(InvalidEdit, match="room_1_middle"):
        edited(RemovePlace(id="room_1_middle"))


def test_a_rejected_piece_stays_out_also_under_another_id_until_it_is_restored() -> None:
    kept = edited(RejectFurniture(id="plant_1"))
    again = found(piece("table_1", "table", 2.0, 2.0), piece("plant_2", "plant", 3.4, 0.6))
    assert [item.id for item in with_edits(again, kept).fixtures] == ["table_1"]
    assert "at_plant_2" not in [place.id for place in with_edits(again, kept).places]
    restored = edits_after(kept, RestoreFurniture(id="plant_1"), with_edits(HOME, kept))
    assert len(with_edits(again, restored).fixtures) == 2


def test_an_accepted_piece_stays_though_it_is_not_seen_and_is_there_once() -> None:
    kept = edited(AcceptFurniture(id="plant_1"))
    assert [item.id for item in with_edits(found(), kept).fixtures] == ["plant_1"]
    assert len(with_edits(HOME, kept).fixtures) == 2
    assert len(with_edits(found(piece("plant_2", "plant", 3.4, 0.6)), kept).fixtures) == 1


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (NameRoom(id="attic", name="attic"), "no room has the id 'attic'"),
        (NameRoom(id="room_2", name="Room 1"), "the name of room_1 already"),
        (NameFurniture(id="sofa_1", name="sofa"), "no furniture has the id 'sofa_1'"),
        (NameFurniture(id="table_1", name="plant"), "the name of plant_1 already"),
        (AddPlace(name="balcony", at=(9.0, 9.0)), "is in no room"),
        (AddPlace(name="table 1", at=(1.0, 1.0)), "the name of table_1 already"),
        (AddZone(name="room 1", polygon=SQUARE), "the name of room_1 already"),
        (RejectFurniture(id="sofa_1"), "no furniture"),
        (RestoreFurniture(id="table_1"), "no furniture"),
    ],
)
def test_an_edit_that_does_not_fit_says_why(edit: Edit, problem: str) -> None:
    with pytest.raises((InvalidEdit, InvalidDocument), match=problem):
        edited(edit)


@pytest.mark.parametrize(
    "text",
    [
        '{"operation": "drive"}',
        '{"operation": "name_room", "id": "room_1", "name": "  "}',
        '{"operation": "add_zone", "name": "x", "polygon": [[0, 0], [1, 1]]}',
        '{"operation": "add_place", "name": "x", "at": [0, 1e999]}',
        '{"operation": "accept", "id": "a", "drive": true}',
    ],
)
def test_a_request_that_is_no_edit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"validation error"):
        EDIT.validate_json(text)


def test_edits_outlast_a_restart(tmp_path: Path) -> None:
    path = edits_path(tmp_path / "home.floor.npz")
    assert load_edits(path) == HomeEdits()
    kept = edited(NameRoom(id="room_2", name="study"), RejectFurniture(id="plant_1"))
    save_edits(path, kept)
    assert load_edits(path) == kept
    path.write_text("no edits")
    with pytest.raises(InvalidEdit, match=r"home\.floor\.edits\.json"):
        load_edits(path)
