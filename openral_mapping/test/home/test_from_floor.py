"""The map of a home from the occupancy of its floor."""

import numpy as np
import pytest

from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap
from openral_core.home_map import UNNAMED, Agent, Fixture, NoGoZone, Place, Pose2
from openral_mapping.home.from_floor import NoRooms, home_from_floor, outline_of

FLOOR = np.full((84, 166), OCCUPIED, np.int8)
FLOOR[2:82, 2:82] = FLOOR[2:82, 84:164] = FREE
FLOOR[30:48, 82:84] = FREE
FLOOR[2:14, 20:50] = OCCUPIED
"""A counter of 1.5 m x 0.6 m at the lower wall of the left room."""
ORIGIN = Pose2(x=-3.0, y=2.0, yaw=0.5)


def flat(origin: Pose2 = ORIGIN) -> FloorMap:
    return FloorMap(FLOOR, 0.05, origin)


def test_rooms_doorway_places_and_furniture_are_where_they_are_drawn() -> None:
    home = home_from_floor(flat(), "flat")
    (doorway,) = home.doorways
    assert doorway.at == pytest.approx(ORIGIN.to_parent(4.15, 1.95), abs=0.06)
    for place in home.places:
        room = home.room_at(place.pose.x, place.pose.y)
        assert room is not None
        assert room.id == place.room
    (counter,) = home.fixtures
    assert counter.kind == UNNAMED
    assert (counter.pose.x, counter.pose.y) == pytest.approx(ORIGIN.to_parent(1.75, 0.4), abs=0.06)
    assert (counter.depth, counter.width) == pytest.approx((0.6, 1.5), abs=0.11)
    assert counter.pose.yaw == pytest.approx(0.5 + np.pi / 2, abs=0.01)


def test_outlines_of_neighbours_meet_in_the_doorway() -> None:
    home = home_from_floor(flat(Pose2(x=0.0, y=0.0)), "flat")
    (doorway,) = home.doorways
    for x in (doorway.at[0] - 0.03, doorway.at[0] + 0.03):
        assert home.room_at(x, doorway.at[1]) is not None


def test_what_people_said_stays_when_the_map_is_built_again() -> None:
    home = home_from_floor(flat(), "flat")
    here = Pose2(x=ORIGIN.to_parent(1.0, 2.0)[0], y=ORIGIN.to_parent(1.0, 2.0)[1])
    (counter,) = home.fixtures
    known = home.model_copy(
        update={
            "fixtures": (counter.model_copy(update={"kind": "counter", "name": "worktop"}),),
            "places": (*home.places, Place(id="window", name="window", room="room_1", pose=here)),
            "agents": (Agent(id="requester", name="requester", room="room_1", pose=here),),
            "no_go_zones": (NoGoZone(id="stairs", name="stairs", polygon=((0, 0), (1, 0), (1, 1))),),
        }
    )
    again = home_from_floor(flat(), "flat", known)
    assert [item.name for item in again.fixtures] == ["worktop"]
    assert "window" in [place.id for place in again.places]
    assert [agent.id for agent in again.agents] == ["requester"]
    assert again.no_go_zones == known.no_go_zones


def test_a_doorway_stays_while_its_door_is_shut_and_one_that_is_none_does_not() -> None:
    home = home_from_floor(flat(), "flat")
    shut = FLOOR.copy()
    shut[30:48, 82:84] = OCCUPIED
    on_free_floor = home.doorways[0].model_copy(update={"id": "none", "at": ORIGIN.to_parent(6.0, 2.0)})
    before = home.model_copy(update={"doorways": (*home.doorways, on_free_floor)})
    again = home_from_floor(FloorMap(shut, 0.05, ORIGIN), "flat", before)
    assert again.doorways == home.doorways
    assert home_from_floor(FloorMap(shut, 0.05, ORIGIN), "flat").doorways == ()


def test_named_furniture_outside_the_rooms_is_left_out() -> None:
    home = home_from_floor(flat(), "flat")
    far = Fixture(
        id="f", kind="sofa", name="sofa", room="room_1", pose=Pose2(x=90, y=0), depth=1, width=1, height=1
    )
    again = home_from_floor(flat(), "flat", home.model_copy(update={"fixtures": (far,)}))
    assert "sofa" not in [item.name for item in again.fixtures]


def test_a_map_without_floor_says_what_to_check() -> None:
    with pytest.raises(NoRooms, match="negate"):
        home_from_floor(FloorMap(np.full((50, 50), UNKNOWN, np.int8), 0.05), "none")


def test_the_outline_of_cells_that_touch_at_a_corner_is_that_of_the_larger_part() -> None:
    region = np.zeros((5, 5), bool)
    region[0:3, 0:3] = region[3, 3] = True
    assert sorted(outline_of(region)) == [(0, 0), (0, 3), (3, 0), (3, 3)]
