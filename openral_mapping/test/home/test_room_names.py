"""Ids of rooms that stay, and names from what is in them."""

from itertools import pairwise

import numpy as np
import pytest

from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap
from openral_core.home_map import Fixture, HomeMap, Pose2, Room
from openral_mapping.home.from_floor import home_from_floor
from openral_mapping.home.room_names import keep_ids, new_ids, room_use, with_names
from openral_mapping.home.rooms import segment_rooms


def apartment(known_columns: int = 200) -> FloorMap:
    """Three rooms of 3 m in a row with doors; what is right of a column is not seen yet."""
    cells = np.full((64, 190), OCCUPIED, np.int8)
    for room in range(3):
        cells[2:62, 2 + 62 * room : 62 + 62 * room] = FREE
        cells[20:38, 62 + 62 * room : 64 + 62 * room] = FREE if room < 2 else OCCUPIED
    cells[:, known_columns:] = UNKNOWN
    return FloorMap(cells, 0.05)


def test_ids_stay_while_the_map_grows() -> None:
    home = None
    seen: list[dict[str, tuple[float, float]]] = []
    for columns in (70, 110, 150, 190):
        home = home_from_floor(apartment(columns), "home", home)
        seen.append({room.id: np.mean(room.polygon, axis=0).round(1)[0] for room in home.rooms})
    assert [len(rooms) for rooms in seen] == [1, 2, 3, 3]
    for earlier, later in pairwise(seen):
        assert set(earlier) <= set(later)
        assert all(abs(later[name] - at) < 1.2 for name, at in earlier.items())


def test_the_word_of_the_operator_stays_when_the_map_is_built_again() -> None:
    home = home_from_floor(apartment(), "home")
    named = home.model_copy(
        update={"rooms": tuple(room.model_copy(update={"name": f"den {room.id}"}) for room in home.rooms)}
    )
    again = home_from_floor(apartment(), "home", named)
    assert {room.id: room.name for room in again.rooms} == {room.id: room.name for room in named.rooms}


def test_of_two_rooms_that_grew_together_the_larger_one_stays() -> None:
    whole = Room(id="room_7", name="hall", polygon=((0.1, 0.1), (2.9, 0.1), (2.9, 3.1), (0.1, 3.1)))
    corner = Room(id="room_8", name="niche", polygon=((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)))
    floor = apartment(62)
    kept = keep_ids(floor, segment_rooms(floor), (corner, whole))
    assert [room.id for room in kept.values()] == ["room_7"]


def test_numbers_go_on_after_the_highest() -> None:
    assert new_ids(["room_2", "kitchen", "room_11"], 2) == ["room_12", "room_13"]


@pytest.mark.parametrize(
    ("names", "use"),
    [
        (["fridge", "kitchen counter"], "kitchen"),
        (["refrigerator", "table"], "kitchen"),
        (["double bed"], "bedroom"),
        (["sofa", "sideboard", "bookshelf"], "living room"),
        (["desk", "bookshelf"], "study"),
        (["plant", "table", "furniture 3"], ""),
        ([], ""),
        (["!?"], ""),
    ],
)
def test_a_room_is_named_for_what_is_in_it(names: list[str], use: str) -> None:
    assert room_use(names) == use


def fixture(name: str, room: str) -> Fixture:
    pose = Pose2(x=0.0, y=0.0)
    return Fixture(
        id=f"{name}_{room}", kind=name, name=name, room=room, pose=pose, depth=1, width=1, height=1
    )


def test_two_rooms_of_one_use_have_different_names_and_given_names_stay() -> None:
    square = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))
    rooms = [Room(id=f"room_{n}", name=f"room {n}", polygon=square) for n in (1, 2, 3)]
    rooms[2] = rooms[2].model_copy(update={"name": "the den"})
    home = HomeMap(
        name="home", rooms=tuple(rooms), fixtures=tuple(fixture("bed", f"room_{n}") for n in (1, 2, 3))
    )
    assert [room.name for room in with_names(home).rooms] == ["bedroom", "bedroom 2", "the den"]
