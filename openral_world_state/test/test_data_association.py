"""Association of observations with objects in memory."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.consent.identities import labels_of
from openral_core.geometry import Pose
from openral_core.spatial_memory import Presence
from openral_core.text import Thesaurus
from openral_world_state.data_association import (
    AssociationGates,
    DataAssociator,
    merge_records,
    reappeared_as,
)
from openral_world_state.lifting import AmbiguousDepth
from openral_world_state.observation import Observation
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import OPERATOR_LABEL_WEIGHT, ObjectRecord
from openral_world_state.tracking import newest_labels

THESAURUS = Thesaurus.load()
SURE = (1e-5, 0.0, 0.0, 0.0, 1e-5, 0.0, 0.0, 0.0, 1e-5)
EYE = (0.0, 0.0, 1.4)

POSITIONS = st.tuples(*[st.floats(-3.0, 3.0)] * 3)
LABELS = st.sampled_from(["mug", "cup", "bread", "baguette", "apple", "zorb", "red mug", "wine bottle"])
SIDES = st.floats(0.01, 0.6)


def seen(label: str, x: float = 0.0, y: float = 0.0, stamp: float = 1.0, **more: object) -> Observation:
    made = Observation(label, 0.9, Pose((x, y, 0.8)), (0.08, 0.08, 0.1), SURE, stamp, "detector")
    return replace(made, **more)  # type: ignore[arg-type]


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    size = (draw(SIDES), draw(SIDES), draw(SIDES))
    score, stamp = draw(st.floats(0.0, 1.0)), draw(st.floats(0.0, 100.0))
    source = draw(st.sampled_from(["one", "two"]))
    return Observation(draw(LABELS), score, Pose(draw(POSITIONS)), size, SURE, stamp, source)


SNAPSHOTS = st.lists(st.lists(observations(), max_size=5), max_size=5)


def fresh() -> tuple[SpatialMemory, DataAssociator]:
    memory = SpatialMemory(None, THESAURUS)
    return memory, DataAssociator(memory, THESAURUS, AssociationGates(), 0)


def taken(associator: DataAssociator, snapshot: Sequence[Observation]) -> list[ObjectRecord]:
    return associator.associate(tuple(snapshot), EYE)


def state(memory: SpatialMemory) -> list[object]:
    return [record.node() for record in sorted(memory, key=lambda record: record.id)]


@given(SNAPSHOTS)
def test_replaying_a_stream_gives_the_same_memory(snapshots: list[list[Observation]]) -> None:
    memories = []
    for _ in range(2):
        memory, associator = fresh()
        for snapshot in snapshots:
            taken(associator, snapshot)
        memories.append(state(memory))
    assert memories[0] == memories[1]


@given(st.lists(observations(), min_size=2, max_size=6), st.randoms())
def test_the_order_within_a_snapshot_does_not_matter(snapshot: list[Observation], rng: object) -> None:
    shuffled = list(snapshot)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    states = []
    for item in (snapshot, shuffled):
        memory, associator = fresh()
        taken(associator, item)
        taken(associator, item)
        states.append(state(memory))
    assert states[0] == states[1]


@given(SNAPSHOTS)
def test_two_of_one_snapshot_are_never_one_object(snapshots: list[list[Observation]]) -> None:
    _, associator = fresh()
    for snapshot in snapshots:
        ids = [record.id for record in taken(associator, snapshot)]
        assert len(ids) == len(set(ids))


@given(SNAPSHOTS)
def test_no_stream_makes_numbers_or_names_that_are_none(snapshots: list[list[Observation]]) -> None:
    memory, associator = fresh()
    for snapshot in snapshots:
        taken(associator, snapshot)
    for record in memory:
        assert record.label.strip()
        assert record.label in record.votes
        assert all(map(math.isfinite, (*record.pose.position, *record.size, *record.covariance)))
        assert 0.0 <= record.confidence <= 1.0


def test_two_mugs_fifteen_centimetres_apart_stay_two() -> None:
    memory, associator = fresh()
    for stamp in range(20):
        wobble = 0.01 * (-1) ** stamp
        taken(associator, [seen("mug", wobble, stamp=stamp), seen("mug", 0.15 - wobble, stamp=stamp)])
    assert len(memory) == 2


def test_one_hidden_behind_the_other_makes_no_third() -> None:
    memory, associator = fresh()
    taken(associator, [seen("mug", 0.0), seen("mug", 0.15)])
    for _ in range(5):
        taken(associator, [seen("mug", 0.14)])
    assert len(memory) == 2


def test_detectors_that_disagree_speak_of_one_object() -> None:
    memory, associator = fresh()
    for _ in range(30):
        taken(associator, [seen("bread", source="stream")])
    (record,) = taken(associator, [seen("baguette", 0.01, source="locator", from_query=True)])
    assert len(memory) == 1
    assert set(record.votes) == {"bread", "baguette"}
    assert record.label == "baguette"


def test_no_query_hides_what_a_detector_reported_unasked() -> None:
    memory, associator = fresh()
    (record,) = taken(associator, [seen("mug", source="locator", from_query=True)])
    assert record.unprompted == ()
    taken(associator, [seen("knife", source="stream", alternatives=(("fork", 0.2),))])
    for name in ("cup", "bread", "baguette", "apple", "zorb", "red mug", "wine bottle", "jug", "pan"):
        taken(associator, [seen(name, source="locator", from_query=True)])
    (record,) = memory
    assert record.unprompted == ("fork", "knife")
    assert "knife" in labels_of(record.node())


def test_the_newest_unprompted_labels_are_kept() -> None:
    assert newest_labels(("jug", "mug"), ("mug", "cup")) == ("jug", "mug", "cup")
    labels = tuple(f"thing {number}" for number in range(12))
    assert newest_labels(labels, ("mug",)) == (*labels[-7:], "mug")


def test_a_slip_of_a_detector_names_nothing() -> None:
    _, associator = fresh()
    for _ in range(30):
        taken(associator, [seen("bread")])
    (record,) = taken(associator, [seen("vase")])
    assert record.label == "bread"


def test_a_small_thing_in_a_large_one_is_its_own() -> None:
    memory, associator = fresh()
    taken(associator, [seen("bowl", size=(0.3, 0.3, 0.1))])
    taken(associator, [seen("apple", 0.02)])
    assert len(memory) == 2


def test_what_was_carried_off_is_moved_and_not_new() -> None:
    memory, associator = fresh()
    (record,) = taken(associator, [seen("mug")])
    record.presence, record.misses = Presence.STALE, 3
    memory.touch(record)
    (again,) = taken(associator, [seen("mug", 5.0, stamp=9.0)])
    assert again is record
    assert len(memory) == 1
    assert record.pose.position[0] == 5.0
    assert record.presence is Presence.PRESENT


def test_what_is_still_there_is_not_moved() -> None:
    memory, associator = fresh()
    taken(associator, [seen("mug")])
    taken(associator, [seen("mug", 5.0)])
    assert len(memory) == 2


def test_one_seen_elsewhere_before_it_was_missed_is_the_same() -> None:
    memory, associator = fresh()
    (old,) = taken(associator, [seen("mug", stamp=1.0)])
    (new,) = taken(associator, [seen("mug", 5.0, stamp=9.0)])
    old.presence = Presence.STALE
    assert reappeared_as(old, memory, THESAURUS) is new
    merge_records(old, new)
    memory.forget(new.id, merged_into=old.id)
    assert memory.get(new.id) is old
    assert old.pose.position[0] == 5.0


def test_what_is_held_is_not_found_anew_in_the_hand() -> None:
    memory, associator = fresh()
    (held,) = taken(associator, [seen("bread")])
    held.pose = Pose((3.0, 0.0, 0.8))
    memory.touch(held)
    (again,) = associator.associate((seen("baguette", 3.2),), EYE, held.id)
    assert again is held
    assert len(memory) == 1


@pytest.mark.parametrize(("truncated", "length"), [(True, 0.5), (False, 0.2)])
def test_what_the_border_cuts_does_not_shrink(truncated: bool, length: float) -> None:
    _, associator = fresh()
    taken(associator, [seen("baguette", size=(0.5, 0.06, 0.06))])
    (record,) = taken(associator, [seen("baguette", 0.1, size=(0.2, 0.06, 0.06), truncated=truncated)])
    assert record.size[0] == pytest.approx(length)


@pytest.mark.parametrize("name", ["", "granny's heirloom"])
def test_a_misdetection_relates_no_two_objects(name: str) -> None:
    memory, associator = fresh()
    (first,) = taken(associator, [seen("chair", size=(0.5, 0.5, 0.5))])
    first.votes = {"chair": 9.0, "table": 0.5} | ({name: OPERATOR_LABEL_WEIGHT} if name else {})
    memory.touch(first)
    taken(associator, [seen("table", x=0.3, stamp=2.0, size=(1.2, 0.8, 0.7))])
    assert len(memory) == 2
    (again,) = taken(associator, [seen("chair", x=0.02, stamp=3.0, size=(0.5, 0.5, 0.5))])
    assert again.id == first.id


@pytest.mark.parametrize(("more", "length"), [({}, 0.58), ({"cut": True}, 0.7), ({"ambiguous": True}, 0.7)])
def test_only_whole_views_make_an_object_shorter(more: dict[str, bool], length: float) -> None:
    _, associator = fresh()
    (record,) = taken(associator, [seen("chair", size=(0.5, 0.7, 0.9))])
    record.covariance = tuple(0.1 * value for value in record.covariance)
    turned = Pose.planar(0.0, 0.0, math.pi / 2.0, 0.8)
    for stamp in range(2, 42):
        taken(associator, [seen("chair", stamp=float(stamp), size=(0.5, 0.5, 0.9), pose=turned, **more)])
    assert record.size == pytest.approx((0.5, length, 0.9), abs=0.02)


def test_a_table_that_is_never_seen_whole_is_one_and_as_long_as_it_is() -> None:
    memory, associator = fresh()
    for view in range(41):
        table = seen("table", x=-0.7 + 0.035 * view, stamp=1.0 + view, size=(0.8, 0.9, 0.1), truncated=True)
        taken(associator, [table])
    (record,) = memory
    assert record.size == pytest.approx((2.2, 0.9, 0.1), rel=0.15)
    assert record.pose.position[0] == pytest.approx(0.0, abs=0.15)


def test_the_back_of_a_chair_seen_beside_the_chair_is_no_other_chair() -> None:
    memory, associator = fresh()
    chair, back = seen("chair", size=(0.5, 0.5, 0.9)), seen("chair", 0.2, size=(0.1, 0.5, 0.4))
    for _ in range(2):
        taken(associator, [chair, back])
    taken(associator, [chair])
    assert len(memory) == 1


def test_a_better_look_corrects_a_worse_one() -> None:
    _, associator = fresh()
    poor = tuple(400.0 * value for value in SURE)
    for _ in range(50):
        taken(associator, [seen("mug", 0.05, covariance=poor)])
    (record,) = taken(associator, [seen("mug", 0.0)])
    assert abs(record.pose.position[0]) < 0.01


PERSON = (0.6, 0.6, 1.7)


@pytest.mark.parametrize("offset", [(0.2, 0.1, 0.7), (0.0, -0.25, -0.6)])
def test_the_visible_part_of_an_object_is_not_another_one(offset: tuple[float, float, float]) -> None:
    memory, associator = fresh()
    (whole,) = taken(associator, [seen("person", size=PERSON)])
    before = whole.pose
    part = Pose((offset[0], offset[1], 0.8 + offset[2]))
    (again,) = taken(associator, [seen("person", size=(0.2, 0.2, 0.25), pose=part)])
    assert again is whole
    assert len(memory) == 1
    assert whole.size == PERSON
    assert whole.pose.distance(before) < 0.05


def test_parts_seen_first_are_merged_into_the_whole() -> None:
    memory, associator = fresh()
    taken(associator, [seen("person", size=(0.1, 0.1, 0.3), pose=Pose((0.1, 0.0, 0.15)))])
    taken(associator, [seen("person", size=(0.2, 0.2, 0.3), pose=Pose((0.0, 0.0, 1.5)))])
    assert len(memory) == 2
    (whole,) = taken(associator, [seen("person", size=PERSON)])
    assert [record.id for record in memory] == [whole.id]
    assert whole.observations == 3
    assert whole.size == PERSON


def test_objects_of_one_kind_that_were_seen_together_are_not_merged() -> None:
    memory, associator = fresh()
    plates = [seen("plate", size=(0.24, 0.24, 0.02)), seen("plate", 0.02, size=(0.2, 0.2, 0.02))]
    taken(associator, plates)
    taken(associator, plates[:1])
    assert len(memory) == 2


def test_a_small_object_of_another_kind_is_not_a_part() -> None:
    memory, associator = fresh()
    taken(associator, [seen("person", size=PERSON)])
    taken(associator, [seen("mug", 0.1)])
    taken(associator, [seen("person", size=PERSON)])
    assert len(memory) == 2


@pytest.mark.parametrize(("first", "then"), [("person", "mug"), ("mug", "person"), ("chair", "woman")])
def test_a_person_and_a_thing_in_the_same_space_stay_two(first: str, then: str) -> None:
    memory, associator = fresh()
    (one,) = taken(associator, [seen(first, size=PERSON)])
    (other,) = taken(associator, [seen(then, size=PERSON)])
    assert one is not other
    assert {record.label for record in memory} == {first, then}


def test_a_box_that_is_also_called_a_person_confirms_the_person() -> None:
    memory, associator = fresh()
    (one,) = taken(associator, [seen("person", size=PERSON)])
    box = replace(seen("fridge", size=PERSON, score=0.5), alternatives=(("person", 0.4),))
    assert taken(associator, [box]) == [one]
    assert one.label == "person"
    assert len(memory) == 1


def test_what_reappears_under_a_broader_label_has_moved() -> None:
    memory, associator = fresh()
    (old,) = taken(associator, [seen("baguette", stamp=1.0)])
    (new,) = taken(associator, [seen("bread", 5.0, stamp=9.0)])
    old.presence = Presence.STALE
    assert reappeared_as(old, memory, THESAURUS) is new


def test_an_ambiguous_depth_confirms_an_object_but_makes_none() -> None:
    memory, associator = fresh()
    (known,) = taken(associator, [seen("mug")])
    outcomes = associator.associate(
        (seen("mug", 3.0, ambiguous=True), seen("mug", 0.05, ambiguous=True)), EYE
    )
    assert isinstance(outcomes[0], AmbiguousDepth)
    assert outcomes[1] is known
    assert len(memory) == 1
    (asked,) = taken(associator, [seen("mug", 3.0, ambiguous=True, from_query=True)])
    assert asked is not known


def person_at(x: float, y: float, stamp: float) -> Observation:
    return seen("person", x, y, stamp, size=(0.5, 0.5, 1.7))


def test_a_person_who_walks_stays_one_record_although_they_are_not_always_in_view() -> None:
    memory, associator = fresh()
    (first,) = taken(associator, [person_at(0.0, 0.0, 1.0)])
    for number in range(1, 8):
        (record,) = taken(associator, [person_at(0.4 * number, 0.0, 1.0 + 0.5 * number)])
        assert record.id == first.id
    (later,) = taken(associator, [person_at(7.0, 2.0, 12.0)])
    assert later.id == first.id, "they had seven seconds to get there"
    assert (len(memory), later.pose.position[:2]) == (1, (7.0, 2.0))


@pytest.mark.parametrize(
    ("x", "stamp"), [pytest.param(9.0, 2.0, id="nobody walks that fast"), pytest.param(3.0, 1.0, id="both")]
)
def test_another_person_has_a_record_of_their_own(x: float, stamp: float) -> None:
    memory, associator = fresh()
    taken(associator, [person_at(0.0, 0.0, 1.0)])
    others = [person_at(x, 0.0, stamp)]
    taken(associator, [person_at(0.0, 0.0, stamp), *others] if stamp == 1.0 else others)
    assert len(memory) == 2
    taken(associator, [person_at(x - 2.0, 3.0, 30.0)])
    assert len(memory) == 3, "which of the two it is cannot be told"
