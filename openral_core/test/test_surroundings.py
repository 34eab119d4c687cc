"""Causes of a blocked way between two rooms: floor map, map of the home and people in memory decide."""

from dataclasses import replace

import numpy as np
import pytest

from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap
from openral_core.geometry import Pose
from openral_core.home_map import Doorway, Fixture, HomeMap, NoGoZone, Pose2, Room
from openral_core.obstructions import ObstacleKind, Obstruction
from openral_core.skills import SkillResult, SkillStatus
from openral_core.spatial_memory import NodeKind, Presence, SceneGraph, SceneNode
from openral_core.surroundings import Surroundings, explained, find_obstruction

HERE, BEYOND, DOORWAY = (1.0, 2.0), (7.0, 2.0), (4.15, 1.95)
LEAF = (slice(30, 48), slice(82, 84))
"""Cells of the doorway, 0.9 m wide, in the wall between two rooms of 4 m x 4 m."""


def cells() -> np.ndarray:
    floor = np.full((84, 166), OCCUPIED, np.int8)
    floor[2:82, 2:82] = floor[2:82, 84:164] = FREE
    floor[LEAF] = FREE
    return floor


def room(name: str, x: float) -> Room:
    return Room(id=name, name=name, polygon=((x, 0.1), (x + 4.0, 0.1), (x + 4.0, 4.1), (x, 4.1)))


HOME = HomeMap(
    name="flat",
    rooms=(room("kitchen", 0.1), room("hallway", 4.2)),
    doorways=(Doorway(id="door", rooms=("hallway", "kitchen"), at=DOORWAY, width=0.9),),
)


def blocked_by(rows: slice, columns: slice, home: HomeMap = HOME, *people: SceneNode) -> Surroundings:
    floor = cells()
    floor[rows, columns] = OCCUPIED
    return Surroundings.of(FloorMap(floor, 0.05), home, SceneGraph(people))


def person(x: float, y: float, label: str = "Anna", presence: Presence = Presence.PRESENT) -> SceneNode:
    return SceneNode("p1", NodeKind.AGENT, label, Pose.planar(x, y, 0.0, 1.0), presence=presence)


IN_DOORWAY = (slice(33, 45), slice(78, 88))
"""Cells that a person in the doorway covers."""


def test_nothing_blocks_a_free_way() -> None:
    free = Surroundings(FloorMap(cells(), 0.05), HOME, (person(*DOORWAY),))
    assert find_obstruction(HERE, BEYOND, 0.45, free) is None


def test_a_person_in_the_doorway_is_named_with_both_rooms() -> None:
    found = find_obstruction(HERE, BEYOND, 0.45, blocked_by(*IN_DOORWAY, HOME, person(4.2, 2.0)))
    assert found is not None
    assert found.kind is ObstacleKind.PERSON
    assert found.sentence == "Anna stands in the doorway between the hallway and the kitchen"


def test_a_person_without_a_name_is_a_person() -> None:
    found = find_obstruction(HERE, BEYOND, 0.45, blocked_by(*IN_DOORWAY, HOME, person(4.2, 2.0, "person")))
    assert found is not None
    assert found.sentence.startswith("a person stands in the doorway")


@pytest.mark.parametrize(
    "people",
    [(), (person(1.0, 3.0),), (person(*DOORWAY, presence=Presence.GONE),)],
    ids=["none", "elsewhere", "gone"],
)
def test_what_fills_part_of_a_doorway_and_is_in_no_memory_is_unknown(people: tuple[SceneNode, ...]) -> None:
    found = find_obstruction(HERE, BEYOND, 0.45, blocked_by(*IN_DOORWAY, HOME, *people))
    assert found is not None
    assert found.kind is ObstacleKind.UNKNOWN
    assert "in the doorway between the kitchen and the hallway" in found.sentence


@pytest.mark.parametrize(("start", "goal", "rooms"), [(HERE, BEYOND, 0), (BEYOND, HERE, 1)])
def test_a_shut_door_is_told_from_the_robots_side(
    start: tuple[float, float], goal: tuple[float, float], rooms: int
) -> None:
    found = find_obstruction(start, goal, 0.45, blocked_by(*LEAF))
    assert found is not None
    names = ("the kitchen", "the hallway")
    assert found.sentence == f"the door from {names[rooms]} to {names[1 - rooms]} is shut"


def test_a_person_beside_a_wall_does_not_explain_a_shut_door() -> None:
    found = find_obstruction(HERE, BEYOND, 0.45, blocked_by(*LEAF, HOME, person(3.9, 0.8)))
    assert found is not None
    assert found.kind is ObstacleKind.SHUT_DOOR


@pytest.mark.parametrize(("before", "moved"), [((3.6, 1.95), False), ((1.0, 3.5), True)])
def test_furniture_in_the_way_is_named_and_said_to_be_moved_if_it_was(
    before: tuple[float, float], moved: bool
) -> None:
    table = Fixture(
        id="table", kind="table", name="dining table", room="kitchen", pose=Pose2(x=3.6, y=1.95),
        depth=0.8, width=1.4, height=0.75,
    )  # fmt: skip
    home = HOME.model_copy(update={"fixtures": (table,)})
    seen = replace(
        blocked_by(slice(25, 53), slice(64, 80), home), earlier={"table": Pose2(x=before[0], y=before[1])}
    )
    found = find_obstruction(HERE, BEYOND, 0.45, seen)
    assert found is not None
    assert (found.kind, found.id, found.moved) == (ObstacleKind.FURNITURE, "table", moved)
    stands = "was moved and now stands" if moved else "stands"
    assert found.sentence == f"the dining table {stands} in the doorway between the hallway and the kitchen"


def test_a_no_go_zone_over_the_only_way_is_named() -> None:
    zone = NoGoZone(id="cat", name="cat tray", polygon=((3.0, 0.0), (4.0, 0.0), (4.0, 4.2), (3.0, 4.2)))
    home = HOME.model_copy(update={"no_go_zones": (zone,)})
    found = find_obstruction(HERE, BEYOND, 0.45, Surroundings(FloorMap(cells(), 0.05), home))
    assert found is not None
    assert (found.kind, found.id) == (ObstacleKind.NO_GO_ZONE, "cat")
    assert "the no-go zone 'cat tray' covers the only way" in found.sentence


def test_floor_that_was_not_seen_is_told() -> None:
    floor = cells()
    floor[:, 90:140] = UNKNOWN
    found = find_obstruction(HERE, BEYOND, 0.45, Surroundings(FloorMap(floor, 0.05), HOME))
    assert found is not None
    assert found.kind is ObstacleKind.UNKNOWN_FLOOR


def test_of_two_shut_doors_on_the_way_the_nearer_is_told() -> None:
    floor = np.concatenate([cells(), cells()[:, 84:]], axis=1)
    floor[LEAF[0], 164:166] = OCCUPIED
    floor[LEAF] = OCCUPIED
    home = HOME.model_copy(
        update={
            "rooms": (*HOME.rooms, room("bedroom", 8.3)),
            "doorways": (
                Doorway(id="far", rooms=("bedroom", "hallway"), at=(8.25, 1.95), width=0.9),
                *HOME.doorways,
            ),
        }
    )
    found = find_obstruction(HERE, (11.0, 2.0), 0.45, Surroundings(FloorMap(floor, 0.05), home))
    assert found is not None
    assert (found.kind, found.id) == (ObstacleKind.SHUT_DOOR, "door")


@pytest.mark.parametrize(("people", "kind"), [((person(2.0, 2.2),), "person"), ((), "unknown")])
def test_what_stopped_the_base_is_a_person_only_if_memory_has_one_there(
    people: tuple[SceneNode, ...], kind: str
) -> None:
    result = SkillResult(
        SkillStatus.BLOCKED, "stopped", {"x": 1.0, "y": 2.0, "obstacle_x": 2.0, "obstacle_y": 2.0}
    )
    told = explained(result, {"goal": Pose.planar(3.0, 2.0, 0.0)}, Surroundings(None, HOME, people))
    assert told.evidence["obstacle"] == kind
    assert told.message.startswith("stopped: ")
    assert Obstruction.of(told.evidence) is not None


def test_only_failures_to_get_somewhere_are_explained() -> None:
    shut = blocked_by(*LEAF)
    goal = {"goal": Pose.planar(*BEYOND, 0.0)}
    reached = SkillResult(SkillStatus.SUCCEEDED, "arrived", {"x": 1.0, "y": 2.0})
    assert explained(reached, goal, shut) == reached
    failed = SkillResult(SkillStatus.NOT_REACHABLE, "no way", {"x": 1.0, "y": 2.0})
    assert explained(failed, goal, shut).evidence["obstacle"] == "shut_door"
    assert explained(failed, {}, shut) == failed
