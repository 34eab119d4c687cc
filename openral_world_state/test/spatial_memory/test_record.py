"""Records of objects, and the table of their numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Opening, Presence, SceneNode
from openral_world_state.spatial_memory.record import PRESENCES, ObjectRecord, ObjectTable, record_from_node

NODES = st.builds(
    SceneNode,
    id=st.text(min_size=1),
    kind=st.just(NodeKind.OBJECT),
    label=st.text(min_size=1),
    pose=st.builds(Pose, st.tuples(*[st.floats(-9.0, 9.0)] * 3)),
    size=st.tuples(*[st.floats(0.0, 2.0)] * 3),
    aliases=st.lists(st.text()).map(tuple),
    votes=st.dictionaries(st.text(), st.floats(0.1, 9.0), min_size=1),
    covariance=st.tuples(*[st.floats(0.0, 1.0)] * 9),
    confidence=st.floats(0.0, 1.0),
    presence=st.sampled_from(Presence),
    is_container=st.booleans(),
    occludes_contents=st.booleans(),
    opening=st.sampled_from(Opening),
    first_seen=st.floats(0.0, 9.0),
    last_seen=st.floats(0.0, 9.0),
    observations=st.integers(0, 9),
    source=st.text(),
    map_epoch=st.integers(0, 9),
)


def record(name: str, x: float = 0.0) -> ObjectRecord:
    return ObjectRecord(name, "mug", Pose((x, 0.0, 1.0)), last_seen=x)


@given(NODES)
def test_a_node_survives_the_conversion_to_a_record_and_back(node: SceneNode) -> None:
    assert record_from_node(node).node() == node


def test_a_node_without_votes_votes_for_its_label() -> None:
    node = SceneNode("mug_1", NodeKind.OBJECT, "mug", Pose())
    assert record_from_node(node).votes == {"mug": 1.0}


def test_vote_fractions_are_relative_to_the_strongest_label_and_an_alias_counts_fully() -> None:
    made = ObjectRecord("a", "mug", Pose(), votes={"mug": 4.0, "cup": 1.0}, aliases=("my favourite",))
    assert made.vote_fractions == {"mug": 1.0, "cup": 0.25, "my favourite": 1.0}
    assert made.names == ("mug", "cup", "my favourite")


@pytest.mark.parametrize(
    ("misses", "presence", "carried", "missing"),
    [
        (0, Presence.PRESENT, False, False),
        (1, Presence.PRESENT, False, True),
        (0, Presence.STALE, False, True),
        (0, Presence.GONE, False, True),
        (3, Presence.GONE, True, False),
    ],
)
def test_an_object_is_missing_if_its_place_was_seen_empty_and_it_is_not_carried(
    misses: int, presence: Presence, carried: bool, missing: bool
) -> None:
    made = ObjectRecord("a", "mug", Pose(), misses=misses, presence=presence, carried=carried)
    assert made.is_missing is missing


def test_the_table_grows_and_keeps_every_records_numbers() -> None:
    table, records = ObjectTable(capacity=2), [record(f"mug_{x}", float(x)) for x in range(9)]
    slots = [table.put(made) for made in records]
    assert [table.record(slot) for slot in slots] == records
    assert table.position[slots, 0].tolist() == table.last_seen[slots].tolist() == list(range(9))


def test_putting_a_record_again_updates_its_slot() -> None:
    table, made = ObjectTable(), record("mug_1")
    slot = table.put(made)
    made.presence, made.map_epoch = Presence.GONE, 3
    assert table.put(made) == slot
    assert PRESENCES[table.presence[slot]] is Presence.GONE
    assert table.map_epoch[slot] == 3


def test_a_removed_records_slot_is_empty_and_used_again() -> None:
    table = ObjectTable()
    slot = table.put(record("mug_1"))
    table.remove("mug_1")
    table.remove("never there")
    with pytest.raises(IndexError):
        table.record(slot)
    assert table.put(record("mug_2")) == slot
