"""References of a goal, and what they mean in the evidence and the home."""

import pytest

from openral_core.spatial_memory import NodeKind
from openral_core.text.terms import answers
from openral_reasoner.evidence import Answered, Evidence, Fact, Node, Referred, Same, Source
from openral_reasoner.palette.entries import PlaceEntry
from openral_reasoner.success.case import Case, KnownHome

TABLE = Node("table_1", "dining table", "place", "living_room")
HOME = KnownHome(
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
    return Case(Evidence(facts), HOME)


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
    assert case().matches_reference(TABLE, "table")
    assert not case(Referred("table", ("counter_1",))).matches_reference(TABLE, "table")


def test_me_is_the_requester() -> None:
    assert case().matches_reference(Node("ana"), "me")
    assert not case().matches_reference(TABLE, "me")


@pytest.mark.parametrize(
    ("where", "expected"),
    [("table", True), ("living room", True), ("counter", False), ("kitchen", False)],
)
def test_an_object_is_in_its_place_and_in_the_room_of_that_place(where: str, expected: bool) -> None:
    assert case().is_within(mug("mug_1", "table_1"), where) is expected


def test_two_ids_that_are_one_object_are_the_same_in_both_directions() -> None:
    joined = case(Same("seen_7", "mug_1"))
    assert joined.is_same_object("seen_7", "mug_1")
    assert joined.is_same_object("mug_1", "seen_7")
    assert not joined.is_same_object("mug_1", "mug_2")


def test_an_object_is_the_wrong_one_if_another_one_is_at_the_stated_place() -> None:
    nodes = (mug("mug_1", "table_1"), mug("mug_2", "counter_1"))
    seen = case(Answered(Source.LOOK, "mug", nodes))
    assert seen.is_wrong_one("mug_1", "mug", "counter")
    assert not seen.is_wrong_one("mug_2", "mug", "counter")
    assert not seen.is_wrong_one("mug_1", "mug", "")
    assert not seen.is_wrong_one("mug_1", "bread", "counter")


def test_an_unknown_id_is_a_node_without_a_name() -> None:
    assert HOME.node("narnia") == Node("narnia")
    assert HOME.node("table_1") == TABLE
