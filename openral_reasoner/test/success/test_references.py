"""References of a goal: the objects and places that its words mean."""

import pytest

from openral_core.spatial_memory import NodeKind
from openral_reasoner.palette.entries import PlaceEntry
from openral_reasoner.success.evidence import Answered, Evidence, Fact, Node, Referred, Same, Source
from openral_reasoner.success.references import Case, Setting, answers
from openral_reasoner.success.skill_effects import Course

TABLE = Node("table_1", "dining table", "place", "living_room")
SETTING = Setting(
    requester="ana",
    places=(
        PlaceEntry(
            id="table_1", label="dining table", kind=NodeKind.PLACE, room="living_room", aliases=("table",)
        ),
        PlaceEntry(id="counter_1", label="counter", kind=NodeKind.PLACE, room="kitchen"),
        PlaceEntry(id="living_room", label="living room", kind=NodeKind.ROOM),
        PlaceEntry(id="kitchen", label="kitchen", kind=NodeKind.ROOM),
        PlaceEntry(id="ana", label="Ana", kind=NodeKind.AGENT),
    ),
)


def mug(node_id: str, place: str, room: str = "") -> Node:
    return Node(node_id, "mug", "object", room, (place,))


def case(*facts: Fact) -> Case:
    evidence = Evidence(facts)
    return Case(evidence, SETTING, Course())


@pytest.mark.parametrize(
    ("asked", "name", "expected"),
    [
        ("mug", "the mug", True),
        ("mug", "red mug", True),
        ("red mug", "mug", False),
        ("mug", "bread", False),
        ("", "mug", False),
    ],
)
def test_a_name_answers_what_was_asked_if_every_meaning_of_it_does(
    asked: str, name: str, expected: bool
) -> None:
    assert answers(asked, name) is expected


def test_memorys_answer_has_priority_over_a_name() -> None:
    assert case().means(TABLE, "table")
    assert not case(Referred("table", ("counter_1",))).means(TABLE, "table")


def test_me_is_the_requester() -> None:
    assert case().means(Node("ana"), "me")
    assert not case().means(TABLE, "me")


@pytest.mark.parametrize(
    ("where", "expected"),
    [("table", True), ("living room", True), ("counter", False), ("kitchen", False)],
)
def test_an_object_is_in_its_place_and_in_the_room_of_that_place(where: str, expected: bool) -> None:
    assert case().is_in(mug("mug_1", "table_1"), where) is expected


def test_two_ids_that_are_one_object_are_the_same_in_both_directions() -> None:
    joined = case(Same("seen_7", "mug_1"))
    assert joined.same("seen_7", "mug_1")
    assert joined.same("mug_1", "seen_7")
    assert not joined.same("mug_1", "mug_2")


def test_another_object_at_the_stated_place_is_named_if_this_one_is_elsewhere() -> None:
    nodes = (mug("mug_1", "table_1"), mug("mug_2", "counter_1"))
    seen = case(Answered(Source.LOOK, "mug", nodes))
    assert seen.elsewhere("mug_1", "mug", "counter") == "mug_2"
    assert seen.elsewhere("mug_2", "mug", "counter") == ""
    assert seen.elsewhere("mug_1", "mug", "") == ""
    assert seen.elsewhere("mug_1", "bread", "counter") == ""


def test_an_unknown_id_is_a_node_without_a_name() -> None:
    assert SETTING.node("narnia") == Node("narnia")
    assert SETTING.node("table_1") == TABLE
