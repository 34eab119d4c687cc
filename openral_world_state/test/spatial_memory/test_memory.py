"""Spatial index: the same answers as a search through every id."""

import math
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.spatial_memory import Opening, Presence
from openral_core.text import TermRelation, Thesaurus
from openral_world_state.spatial_memory.errors import MemoryInUse, NewerMemory, UnreadableMemory
from openral_world_state.spatial_memory.memory import Point, SpatialIndex, SpatialMemory, UnknownObject
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.spatial_memory.sqlite_store import APPLICATION, MIGRATIONS

COORDINATE = st.floats(-3.0, 3.0)
POINT = st.tuples(COORDINATE, COORDINATE, COORDINATE)
CHANGES = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.none() | POINT), max_size=40)


def index_of(points: dict[str, Point]) -> SpatialIndex:
    index = SpatialIndex()
    for name, point in points.items():
        index.put(name, point)
    return index


@given(CHANGES, POINT, st.floats(0.0, 4.0))
def test_finds_what_a_search_through_all_ids_finds(
    changes: list[tuple[str, Point | None]], center: Point, radius: float
) -> None:
    index, kept = SpatialIndex(), dict[str, Point]()
    for name, point in changes:
        if point is None:
            index.remove(name)
            kept.pop(name, None)
        else:
            index.put(name, point)
            kept[name] = point
    expected = {name: math.dist(center, point) for name, point in kept.items()}
    assert dict(index.within(center, radius)) == {n: d for n, d in expected.items() if d <= radius}
    assert len(index) == len(kept)


def test_counts_the_ids_of_one_cell_only() -> None:
    index = index_of({"a": (0.1, 0.1, 0.1), "b": (0.4, 0.4, 0.4), "c": (0.6, 0.1, 0.1)})
    assert [index.count(point) for point in ((0.2, 0.2, 0.2), (0.9, 0.2, 0.2), (5.0, 5.0, 5.0))] == [2, 1, 0]


def test_a_moved_id_is_no_longer_found_at_its_old_position() -> None:
    index = index_of({"mug_1": (0.0, 0.0, 0.0)})
    index.put("mug_1", (4.0, 0.0, 0.0))
    assert not list(index.within((0.0, 0.0, 0.0), 1.0))
    assert list(index.within((4.0, 0.0, 0.0), 1.0)) == [("mug_1", 0.0)]


def test_coordinates_too_large_for_a_cell_number_are_still_found() -> None:
    far = (1e300, 0.0, 0.0)
    assert list(index_of({"far": far}).within(far, 1.0)) == [("far", 0.0)]


THESAURUS = Thesaurus.load()
NUMBERS = st.floats(-1e6, 1e6)
TRIPLES = st.tuples(NUMBERS, NUMBERS, NUMBERS)
LABELS = st.sampled_from(["mug", "wine bottle", "zorb", "čaj", "red mug"])


@st.composite
def records(draw: st.DrawFn) -> ObjectRecord:
    label = draw(LABELS)
    return ObjectRecord(
        id=draw(st.text("abc_123", min_size=1, max_size=6)),
        label=label,
        pose=Pose(draw(TRIPLES)),
        size=draw(TRIPLES),
        votes={label: 1.0, draw(LABELS): draw(st.floats(0.0, 10.0))},
        covariance=tuple(draw(st.lists(NUMBERS, min_size=9, max_size=9))),
        confidence=draw(st.floats(0.0, 1.0)),
        presence=draw(st.sampled_from(Presence)),
        first_seen=draw(NUMBERS),
        last_seen=draw(NUMBERS),
        observations=draw(st.integers(0, 10**9)),
        source=draw(st.text(max_size=5)),
        map_epoch=draw(st.integers(0, 10**6)),
        aliases=tuple(draw(st.lists(LABELS, max_size=2))),
        misses=draw(st.integers(0, 100)),
        last_checked=draw(NUMBERS),
        viewpoint=draw(st.none() | TRIPLES),
        carried=draw(st.booleans()),
        is_container=draw(st.booleans()),
        occludes_contents=draw(st.booleans()),
        opening=draw(st.sampled_from(Opening)),
    )


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    return tmp_path / "memory.sqlite"


def mug(name: str = "mug_1", x: float = 0.0) -> ObjectRecord:
    return ObjectRecord(id=name, label="mug", pose=Pose((x, 0.0, 0.0)), votes={"mug": 1.0})


@settings(max_examples=25)
@given(st.lists(records(), max_size=4, unique_by=lambda record: record.id))
def test_what_was_committed_comes_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, kept: list[ObjectRecord]
) -> None:
    path = tmp_path_factory.mktemp("memory") / "memory.sqlite"
    memory = SpatialMemory(path, THESAURUS)
    for record in kept:
        memory.touch(record)
    memory.close()
    again = SpatialMemory(path, THESAURUS)
    assert {record.id: record for record in again} == {record.id: record for record in kept}
    again.close()


def test_what_was_not_committed_does_not(path: Path) -> None:
    memory = SpatialMemory(path, THESAURUS)
    memory.touch(mug())
    memory.commit()
    memory.touch(mug("mug_2"))
    memory._store.close()
    again = SpatialMemory(path, THESAURUS)
    assert [record.id for record in again] == ["mug_1"]
    again.close()


def test_the_revision_grows_with_each_change_and_survives(path: Path) -> None:
    memory = SpatialMemory(path, THESAURUS)
    memory.touch(mug())
    assert memory.commit()
    assert not memory.commit()
    memory.close()
    again = SpatialMemory(path, THESAURUS)
    assert again.revision == memory.revision == 1
    again.close()


def test_ids_are_never_used_twice(path: Path) -> None:
    memory = SpatialMemory(path, THESAURUS)
    first = memory.new_id("Red  Mug!")
    memory.close()
    again = SpatialMemory(path, THESAURUS)
    assert (first, again.new_id("red mug")) == ("red__mug_1", "red_mug_2")
    again.close()


def test_a_merged_id_leads_to_what_it_became(path: Path) -> None:
    memory = SpatialMemory(path, THESAURUS)
    memory.touch(mug("mug_1"))
    memory.touch(mug("mug_2"))
    memory.commit()
    memory.forget("mug_2", merged_into="mug_1")
    memory.close()
    again = SpatialMemory(path, THESAURUS)
    assert again.get("mug_2").id == "mug_1"
    assert len(again) == 1
    again.close()


def test_an_unknown_id_is_refused_with_near_ones() -> None:
    memory = SpatialMemory(None, THESAURUS)
    memory.touch(mug())
    with pytest.raises(UnknownObject, match="'cup_9'; similar ids: 'mug_1'"):
        memory.get("cup_9")


def test_an_object_with_two_similar_labels_is_listed_once() -> None:
    memory = SpatialMemory(None, THESAURUS)
    record = mug()
    record.votes["mugs"] = 1.0
    memory.touch(record)
    with pytest.raises(UnknownObject) as refused:
        memory.get("mugg_9")
    assert refused.value.similar_ids == ("mug_1",)


def test_a_moved_record_is_found_where_it_is_now() -> None:
    memory = SpatialMemory(None, THESAURUS)
    record = mug()
    memory.touch(record)
    record.pose = Pose((9.0, 0.0, 0.0))
    memory.touch(record)
    assert not list(memory.near((0.0, 0.0, 0.0), 1.0))
    assert [found.id for found, _ in memory.near((9.0, 0.0, 0.0), 1.0)] == ["mug_1"]


def test_a_renamed_record_answers_to_its_new_name_alone() -> None:
    memory = SpatialMemory(None, THESAURUS)
    record = mug()
    memory.touch(record)
    record.label, record.votes = "vase", {"vase": 1.0}
    memory.touch(record)
    assert not list(memory.hits("mug"))
    assert [(found.id, relation) for found, relation in memory.hits("vase")] == [
        ("mug_1", TermRelation.EQUAL)
    ]


def test_a_forgotten_slot_is_used_again_by_its_new_owner_alone() -> None:
    memory = SpatialMemory(None, THESAURUS)
    memory.touch(mug("mug_1"))
    memory.forget("mug_1")
    memory.touch(ObjectRecord(id="vase_2", label="vase", pose=Pose(), votes={"vase": 1.0}))
    assert not list(memory.hits("mug"))
    assert [record.id for record, _ in memory.hits("vase")] == ["vase_2"]


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\x00" * 4000])
def test_an_unreadable_file_is_refused_and_left_untouched(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(UnreadableMemory, match="left untouched"):
        SpatialMemory(path, THESAURUS)
    assert path.read_bytes() == content


def test_the_database_of_another_program_is_refused(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.commit()
    other.close()
    with pytest.raises(UnreadableMemory, match="application id 0x0"):
        SpatialMemory(path, THESAURUS)


def test_a_newer_file_is_refused_and_left_untouched(path: Path) -> None:
    SpatialMemory(path, THESAURUS).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NewerMemory, match="reads at most"):
        SpatialMemory(path, THESAURUS)
    assert path.read_bytes() == before


def test_an_older_file_is_brought_up_to_date(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    for statement in MIGRATIONS[0]:
        connection.execute(statement)
    connection.execute("PRAGMA user_version = 1")
    connection.execute(
        "INSERT INTO objects VALUES ('mug_1', 'mug', '{\"mug\":1.0}', '[]', 1,2,3, 0,0,0,1, 0,0,0, ?, "
        "0.5, 'stale', 1, 2, 3, 'old', 0)",
        (bytes(72),),
    )
    connection.commit()
    connection.close()
    memory = SpatialMemory(path, THESAURUS)
    assert memory.get("mug_1").presence is Presence.STALE
    assert memory.get("mug_1").opening is Opening.UNKNOWN
    memory.close()


def test_there_is_one_writer(path: Path) -> None:
    memory = SpatialMemory(path, THESAURUS)
    with pytest.raises(MemoryInUse, match="one writer"):
        SpatialMemory(path, THESAURUS)
    memory.close()
    SpatialMemory(path, THESAURUS).close()


def test_a_reserved_id_passes_to_what_was_merged_into_it_too(path: Path) -> None:
    memory = SpatialMemory(path, THESAURUS)
    memory.touch(mug("chair_1"))
    memory.touch(mug("chair_2"))
    memory.forget("chair_2", merged_into="chair_1")
    memory.commit()
    memory.reserve(["chair_1", "chair_3"])
    (chair,) = memory
    assert chair.id not in ("chair_1", "chair_3")
    assert memory.get("chair_2") is chair
    memory.close()
    again = SpatialMemory(path, THESAURUS)
    assert again.current_id("chair_2") == chair.id
    assert "chair_1" not in again
    again.close()
