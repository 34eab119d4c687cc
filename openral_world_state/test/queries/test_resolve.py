"""Resolution of references: names before objects, ambiguity, and reasons for each refusal."""

import dataclasses
import math
from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.home_map import Fixture, HomeMap, Pose2, Room, load_map
from openral_core.spatial_memory import NodeKind, Presence, ResolveQuery, ResolveStatus, SceneNode
from openral_core.text import Thesaurus, UnreadableText
from openral_world_state.navigation import FloorGrid, Routes
from openral_world_state.queries.resolve import ReferenceNames, ResolveRequestHandler
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.static_map import static_map_from_home

THESAURUS = Thesaurus.load()
HOME = static_map_from_home(load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml"))
FLOOR = FloorGrid(HOME)
NAMES = ReferenceNames(HOME, THESAURUS)
BEFORE_MUG = Pose((2.0, 3.0, 0.0))


def handler(*records: ObjectRecord) -> ResolveRequestHandler:
    memory = SpatialMemory(None, THESAURUS)
    for record in records:
        memory.touch(record)
    return ResolveRequestHandler(
        HOME,
        memory,
        NAMES,
        FLOOR,
        Routes(FLOOR, HOME.base_poses),
        viewpoint=lambda _: BEFORE_MUG,
        last_pose_of=lambda _: None,
        default_agent="requester",
    )


def mug(name: str = "mug_1", **more: object) -> ObjectRecord:
    return ObjectRecord(name, "mug", Pose((2.0, 4.1, 0.95)), votes={"mug": 1.0}, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fridge", ["fridge"]),
        ("refrigerator", ["fridge"]),
        ("chair", ["left_chair", "right_chair"]),
        ("The Kitchen", ["kitchen"]),
        ("unicorn", []),
    ],
)
def test_names_match_by_label_alias_or_synonym(text: str, expected: list[str]) -> None:
    assert NAMES.matching(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("living room sofa", ["sofa"]),
        ("the sofa in the living room", ["sofa"]),
        ("table in the kitchen", ["dining_table"]),
        ("sofa in the kitchen", []),
        ("kitchen", ["kitchen"]),
    ],
)
def test_furniture_is_named_by_its_room(text: str, expected: list[str]) -> None:
    assert NAMES.matching(text) == expected


FOUND = ReferenceNames(
    static_map_from_home(
        HomeMap(
            name="found",
            rooms=(
                Room(id="room_1", name="study", polygon=((0, 0), (4, 0), (4, 4), (0, 4))),
                Room(id="room_2", name="room 2", polygon=((4, 0), (8, 0), (8, 4), (4, 4))),
            ),
            fixtures=tuple(
                Fixture(
                    id=name, kind=label.split()[0], name=label, room=room,
                    pose=Pose2(x=1.0, y=1.0), depth=0.4, width=0.8, height=1.0,
                )
                for name, label, room in (
                    ("shelf_2", "shelf 2", "room_1"),
                    ("shelf_4", "shelf 4", "room_2"),
                    ("fridge_3", "fridge 3", "room_2"),
                    ("furniture_8", "furniture 8", "room_2"),
                )
            ),
        )
    ),
    THESAURUS,
)  # fmt: skip


def test_numbered_furniture_of_a_found_home_is_known_by_its_kind() -> None:
    assert FOUND.matching("fridge") == ["fridge_3"]
    assert FOUND.matching("shelf") == ["shelf_2", "shelf_4"]
    assert FOUND.matching("shelf 4") == ["shelf_4"]


def test_a_bookshelf_may_be_known_as_a_shelf() -> None:
    assert FOUND.matching("bookshelf") == []
    assert FOUND.broader("bookshelf") == ["shelf_2", "shelf_4"]
    assert FOUND.matching("study bookshelf") == ["shelf_2"]
    assert FOUND.matching("bookshelf in the study") == ["shelf_2"]
    assert FOUND.broader("piano") == FOUND.broader("kitchen") == []


def test_a_name_that_names_nothing_is_unreadable() -> None:
    with pytest.raises(UnreadableText):
        NAMES.matching("?")


def test_similar_spellings_are_offered() -> None:
    assert "fridge" in NAMES.nearest("frige")


@pytest.mark.parametrize("reference", ["me", "ME", "myself", "requester", "where I am"])
def test_the_speaker_is_approached_from_the_front(reference: str) -> None:
    found = handler().handle(ResolveQuery(reference))
    assert (found.status, found.node_id, found.kind) == (ResolveStatus.FOUND, "requester", "agent")
    agent = HOME.nodes["requester"].pose
    assert found.goal_pose is not None
    bearing = math.atan2(
        found.goal_pose.position[1] - agent.position[1], found.goal_pose.position[0] - agent.position[0]
    )
    assert math.cos(bearing - agent.yaw) > 0.7


def test_the_pose_at_the_last_message_comes_before_the_speakers_own() -> None:
    node = SceneNode("requester", NodeKind.PLACE, "where the robot stood", Pose((3.0, 2.0, 0.0)))
    made = dataclasses.replace(handler(), last_pose_of=lambda _: node)
    assert made.handle(ResolveQuery("where I was")).goal_pose == node.pose
    assert made.handle(ResolveQuery("me")).goal_pose != node.pose


def test_an_object_is_resolved_by_label_and_by_id() -> None:
    for reference in ("mug", "mug_1"):
        found = handler(mug()).handle(ResolveQuery(reference, start=(2.0, 2.2, 0.0)))
        assert (found.status, found.node_id, found.goal_pose) == (ResolveStatus.FOUND, "mug_1", BEFORE_MUG)
        assert found.target_pose == mug().pose
        assert found.path_length > 0.0


def test_several_fits_are_ambiguous_and_listed() -> None:
    found = handler(mug("mug_1"), mug("mug_2")).handle(ResolveQuery("mug"))
    assert (found.status, set(found.candidates)) == (ResolveStatus.AMBIGUOUS, {"mug_1", "mug_2"})
    assert handler().handle(ResolveQuery("chair")).candidates == ("left_chair", "right_chair")


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (mug(presence=Presence.GONE), "its last known place was seen empty"),
        (mug(map_epoch=3), "last seen in map epoch 3, and the current one is 0"),
    ],
)
def test_an_id_without_a_usable_pose_is_not_found_with_the_reason(record: ObjectRecord, words: str) -> None:
    found = handler(record).handle(ResolveQuery("mug_1"))
    assert (found.status, found.goal_pose) == (ResolveStatus.NOT_FOUND, None)
    assert words in found.message
    assert handler(record).handle(ResolveQuery("mug")).node_id == ""


@pytest.mark.parametrize(
    ("query", "words"),
    [(ResolveQuery("?"), "'?'"), (ResolveQuery("fridge", start=(math.inf, 0.0, 0.0)), "invalid start")],
)
def test_an_invalid_query_is_refused_with_the_reason(query: ResolveQuery, words: str) -> None:
    found = handler().handle(query)
    assert found.status is ResolveStatus.BAD_QUERY
    assert words in found.message


def test_a_start_without_a_path_makes_the_goal_unreachable() -> None:
    found = handler().handle(ResolveQuery("fridge", start=(50.0, 50.0, 0.0)))
    assert (found.status, found.goal_pose) == (ResolveStatus.UNREACHABLE, None)
    assert "no path from the start" in found.message


def test_an_object_without_a_viewpoint_is_unreachable() -> None:
    made = dataclasses.replace(handler(mug()), viewpoint=lambda _: None)
    assert made.handle(ResolveQuery("mug")).status is ResolveStatus.UNREACHABLE


def test_a_room_is_entered_at_its_free_spot() -> None:
    for room in ("kitchen", "living_room"):
        found = handler().handle(ResolveQuery(room))
        assert found.goal_pose == HOME.base_poses[f"{room}_middle"]


def test_a_route_ends_at_the_place_of_the_goal() -> None:
    found = handler().handle(ResolveQuery("sofa", start=(2.0, 2.2, 0.0)))
    assert found.path[-1] == "sofa"
