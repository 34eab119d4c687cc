"""HomeAnnotations of a map: what they change, and what does not fit it."""

from pathlib import Path
from typing import Any

import pytest

from openral_core.documents import InvalidDocument, parse_document
from openral_core.home_map import Fixture, HomeMap, Place, Pose2, Room
from openral_mapping.home.annotations import HomeAnnotations, annotated, unnamed

FILE = Path("notes.yaml")
LEFT = Room(id="room_1", name="room 1", polygon=((0, 0), (4, 0), (4, 4), (0, 4)))
RIGHT = Room(id="room_2", name="room 2", polygon=((4, 0), (8, 0), (8, 4), (4, 4)))
BOX = Fixture(
    id="furniture_1",
    kind="furniture",
    name="furniture 1",
    room="room_1",
    pose=Pose2(x=1.0, y=0.3, yaw=1.57),
    depth=0.6,
    width=1.2,
    height=0.75,
)
MIDDLE = Place(id="room_1_middle", name="middle of the room 1", room="room_1", pose=Pose2(x=2, y=2))
HOME = HomeMap(name="home", rooms=(LEFT, RIGHT), places=(MIDDLE,), fixtures=(BOX,))


def apply(home: HomeMap = HOME, **content: Any) -> HomeMap:
    return annotated(home, parse_document(HomeAnnotations, content, FILE), FILE)


def test_a_room_gets_its_name_by_a_point_or_its_id_and_its_places_with_it() -> None:
    home = apply(rooms=[{"at": [1, 1], "name": "den", "aliases": ["lair"]}, {"id": "room_2", "name": "hall"}])
    assert [(room.id, room.name) for room in home.rooms] == [("room_1", "den"), ("room_2", "hall")]
    assert home.rooms[0].aliases == ("lair",)
    assert home.places[0].name == "middle of the den"


def test_furniture_at_a_point_is_named_keeps_its_size_and_names_its_room() -> None:
    piece = {
        "at": [1.3, 0.4],
        "kind": "fridge",
        "height": 1.7,
        "surfaces": [0.5],
        "container": {"opens": "hinge"},
    }
    home = apply(furniture=[piece])
    (fridge,) = home.fixtures
    assert (fridge.id, fridge.depth, fridge.width) == ("fridge", 0.6, 1.2)
    assert fridge.container is not None
    assert fridge.surfaces[0].z == 0.5
    assert unnamed(home) == []
    assert home.rooms[0].name == "kitchen"
    front = next(place for place in home.places if place.looks_at == "fridge")
    assert front.pose.y > 1.0


def test_furniture_that_the_map_lacks_is_added_with_its_size() -> None:
    home = apply(furniture=[{"at": [6, 2], "kind": "table", "depth": 0.8, "width": 1.4, "yaw": 0.5}])
    table = home.fixture("table")
    assert (table.room, table.pose) == ("room_2", Pose2(x=6, y=2, yaw=0.5))


def test_the_same_file_may_be_applied_again() -> None:
    content: dict[str, Any] = {
        "rooms": [{"at": [1, 1], "name": "den"}],
        "furniture": [{"at": [1, 0.3], "kind": "sofa"}],
        "places": [{"name": "by the window", "at": [2, 3]}],
        "people": [{"name": "requester", "at": [3, 3]}],
        "no_go": [{"name": "stairs", "polygon": [[0, 3], [1, 3], [1, 4]]}],
    }
    once = apply(**content)
    twice = apply(once, **content)
    assert {item.id for item in twice.places} == {item.id for item in once.places}
    assert (twice.fixtures, twice.agents, twice.no_go_zones) == (once.fixtures, once.agents, once.no_go_zones)


def test_what_does_not_exist_is_removed_with_the_place_before_it() -> None:
    home = apply(apply(furniture=[{"id": "furniture_1", "kind": "sofa"}]), remove=["sofa"])
    assert home.fixtures == ()
    assert [place.id for place in home.places] == ["room_1_middle"]


def test_every_problem_is_told_at_once() -> None:
    with pytest.raises(InvalidDocument) as caught:
        apply(
            rooms=[{"at": [9, 9], "name": "attic"}, {"id": "room_7", "name": "cellar"}],
            furniture=[{"id": "furniture_9", "kind": "bed"}, {"at": [6, 2], "kind": "desk"}],
            places=[{"name": "desk", "at": [1, 1], "looks_at": "desk"}],
            people=[{"name": "requester", "at": [-1, 0]}],
            remove=["piano"],
        )
    assert len(caught.value.problems) == 7
    assert "room_1 (room 1)" in str(caught.value)
    assert "furniture_1" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"rooms": [{"name": "den"}]}, "either id or at"),
        ({"furniture": [{"at": [1, 1], "kind": "bed", "depth": 2}]}, "depth and width together"),
        ({"furniture": [{"at": [1, 1], "kind": "bed", "surfaces": [2.0]}]}, "above height"),
        ({"no_go": [{"name": "x", "polygon": [[0, 0], [1, 1]]}]}, "at least 3 corners"),
        ({"walls": []}, "unknown key 'walls'"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused(content: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidDocument, match=problem):
        apply(**content)
