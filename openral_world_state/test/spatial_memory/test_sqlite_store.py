"""Memory files that are damaged, cannot be written, or have names that mean something else elsewhere."""

import sqlite3
from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.text import Thesaurus
from openral_world_state.queries.edit import merge_objects
from openral_world_state.spatial_memory.errors import MemoryNotWritten, MemoryUnavailable, UnreadableMemory
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.world.open_world import open_world
from openral_world_state.world.world_model import WorldModelSettings

THESAURUS = Thesaurus.load()


def mug(name: str, label: str = "mug") -> ObjectRecord:
    return ObjectRecord(id=name, label=label, pose=Pose((float(name[4:]), 0.0, 0.0)), votes={label: 1.0})


def kept_in(path: Path) -> list[str]:
    memory = SpatialMemory(path, THESAURUS)
    kept = sorted(record.id for record in memory)
    memory.close()
    return kept


def fill_disk(memory: SpatialMemory) -> None:
    """Let the file grow no further."""
    connection = memory._store._connection
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")


def free_disk(memory: SpatialMemory) -> None:
    memory._store._connection.execute("PRAGMA max_page_count = 1000000")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.sqlite"


@pytest.fixture
def full(path: Path) -> SpatialMemory:
    """A memory whose disk is full; it has one mug in its file and two hundred that are not."""
    memory = SpatialMemory(path, THESAURUS)
    memory.touch(mug("mug_0"))
    memory.touch(mug("mug_1000"))
    memory.commit()
    fill_disk(memory)
    for number in range(1, 201):
        memory.touch(mug(f"mug_{number}"))
    memory.forget("mug_1000")
    assert memory.commit()
    return memory


def test_on_a_full_disk_memory_goes_on_and_says_why_it_is_not_written(full: SpatialMemory) -> None:
    assert "full" in str(full.unwritten)
    assert len(list(full.hits("mug"))) == 201
    revision = full.revision
    full.touch(mug("mug_300"))
    assert full.commit()
    assert full.revision == revision + 1


def test_what_a_full_disk_refused_is_written_once_there_is_room(full: SpatialMemory, path: Path) -> None:
    full.commit(again=True)
    assert full.unwritten is not None
    free_disk(full)
    full.commit(again=True)
    assert full.unwritten is None
    full.close()
    assert kept_in(path) == sorted(f"mug_{number}" for number in range(201))


def test_what_is_lost_at_the_end_is_said(full: SpatialMemory, path: Path) -> None:
    with pytest.raises(MemoryNotWritten, match="full"):
        full.close()
    assert kept_in(path) == ["mug_0", "mug_1000"]


def change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def written(path: Path) -> Path:
    memory = SpatialMemory(path, THESAURUS)
    for number in range(500):
        memory.touch(mug(f"mug_{number}"))
    memory.put_fact("openings", "{}")
    memory.put_fact("stood", "{}")
    memory.close()
    return path


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE objects SET votes = '{' WHERE number = 7",
        "UPDATE objects SET votes = '[]' WHERE number = 7",
        "UPDATE objects SET presence = 'lost' WHERE number = 7",
        "UPDATE objects SET x = 9e999 WHERE number = 7",
        "UPDATE objects SET qw = 0.0 WHERE number = 7",
        "UPDATE objects SET covariance = x'00' WHERE number = 7",
        "UPDATE objects SET label = x'ff' WHERE number = 7",
        "UPDATE facts SET value = 'many' WHERE key = 'revision'",
        "UPDATE facts SET value = '[1]' WHERE key = 'openings'",
        "UPDATE facts SET value = '{\"fridge\": \"ajar\"}' WHERE key = 'openings'",
        "UPDATE facts SET value = '{\"me\": 1}' WHERE key = 'stood'",
        "INSERT INTO facts VALUES ('home', '{}')",
        "DROP TABLE merged",
    ],
)
def test_a_file_with_a_bad_row_is_refused_and_left_as_it_is(path: Path, statement: str) -> None:
    change(written(path), statement)
    before = path.read_bytes()
    with pytest.raises(UnreadableMemory, match="left untouched"):
        open_world(None, str(path), WorldModelSettings(), THESAURUS)
    assert path.read_bytes() == before


def test_a_file_with_damaged_pages_is_refused_and_left_as_it_is(path: Path) -> None:
    with written(path).open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\xff" * 8192)
    before = path.read_bytes()
    with pytest.raises(UnreadableMemory, match="left untouched"):
        open_world(None, str(path), WorldModelSettings(), THESAURUS)
    assert path.read_bytes() == before


def test_a_refused_file_is_not_held_any_more(path: Path) -> None:
    change(written(path), "UPDATE facts SET value = '[1]' WHERE key = 'openings'")
    with pytest.raises(UnreadableMemory):
        open_world(None, str(path), WorldModelSettings(), THESAURUS)
    change(path, "DELETE FROM facts WHERE key = 'openings'")
    assert len(kept_in(path)) == 500


@pytest.mark.parametrize("name", ["missing/memory.sqlite", ".", "\0"])
def test_a_file_that_cannot_be_is_told_with_its_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(MemoryUnavailable, match="check that its folder"):
        SpatialMemory(tmp_path / name, THESAURUS)


@pytest.mark.parametrize("name", ["a#b", "a?b", "50%41", "a?mode=memory", "ä b", "%"])
def test_any_file_name_is_only_a_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.sqlite"
    for number in range(2):
        memory = SpatialMemory(path, THESAURUS)
        memory.touch(mug(f"mug_{number}"))
        memory.close()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert kept_in(path) == ["mug_0", "mug_1"]


def test_what_was_merged_and_is_restored_is_itself_again(path: Path) -> None:
    memory = SpatialMemory(path, THESAURUS)
    memory.touch(mug("mug_1"))
    memory.touch(mug("mug_2"))
    merge_objects(memory, "mug_2", "mug_1")
    assert memory.get("mug_1").id == "mug_2"
    memory.touch(mug("mug_1"))
    memory.close()
    again = SpatialMemory(path, THESAURUS)
    assert (again.get("mug_1").id, again.get("mug_2").id) == ("mug_1", "mug_2")
    again.close()


def test_ids_merged_in_a_circle_end_nowhere_but_end(path: Path) -> None:
    change(written(path), "INSERT INTO merged VALUES ('cup_1', 'cup_2'), ('cup_2', 'cup_1')")
    memory = SpatialMemory(path, THESAURUS)
    assert "cup_1" not in memory
    memory.close()
