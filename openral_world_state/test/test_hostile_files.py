"""Memory and picture files of strangers: refused with a reason, or read without what is none of ours."""

import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.text import Thesaurus
from openral_world_state.pictures import ObjectPictures, PictureLimits
from openral_world_state.spatial_memory.errors import MemoryRefused
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord

Edit = Callable[[sqlite3.Connection], object]
THESAURUS = Thesaurus.load()
ENDLESS = "WITH RECURSIVE c(n) AS (VALUES(1) UNION ALL SELECT n+1 FROM c) SELECT"


def setting(column: str, value: object) -> Edit:
    return lambda file: file.execute(f"UPDATE objects SET {column} = ?", (value,))


def script(text: str) -> Edit:
    return lambda file: file.executescript(text)


HOSTILE: dict[str, Edit] = {
    "deep votes": setting("votes", "[" * 200_000 + "]" * 200_000),
    "deep aliases": setting("aliases", "[" * 50_000 + "]" * 50_000),
    "votes that are a list": setting("votes", "[1, 2]"),
    "votes that are words": setting("votes", '{"mug": "many"}'),
    "votes that are no numbers": setting("votes", '{"mug": NaN}'),
    "aliases that are numbers": setting("aliases", "[1, null]"),
    "far away": setting("x", 1e308),
    "no covariance": setting("covariance", struct.pack("<9d", *[float("nan")] * 9)),
    "a long label": setting("label", "A" * 150_000),
    "endless facts": script(
        f"DROP TABLE facts; CREATE VIEW facts AS {ENDLESS} n AS key, 'x' AS value FROM c"
    ),
    "a huge value": script(
        "DROP TABLE merged; CREATE TABLE merged (id, into_id AS (hex(zeroblob(400000000)))); "
        "INSERT INTO merged VALUES ('a')"
    ),
    "a trigger": script("CREATE TRIGGER t AFTER INSERT ON facts BEGIN DELETE FROM objects; END"),
    "a virtual table": script("CREATE VIRTUAL TABLE numbered USING fts5(a)"),
    "an index of an expression": script("CREATE INDEX i ON objects (hex(label))"),
    "facts that are bytes": lambda file: file.execute("INSERT INTO facts VALUES ('home', x'00ff')"),
    "a revision that is no number": lambda file: file.execute("REPLACE INTO facts VALUES ('revision', '[[')"),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    memory = SpatialMemory(tmp_path / "memory.sqlite", THESAURUS)
    memory.touch(ObjectRecord("mug_1", "mug", Pose((1.0, 1.0, 1.0)), (0.1, 0.1, 0.1)))
    memory.close()
    return tmp_path / "memory.sqlite"


def edit(path: Path, change: Edit) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        change(file)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_memory_file_that_is_none_of_ours_is_refused_and_kept(path: Path, change: Edit) -> None:
    edit(path, change)
    before = path.read_bytes()
    with pytest.raises(MemoryRefused) as refused:
        SpatialMemory(path, THESAURUS)
    assert len(str(refused.value)) <= 2_000
    assert path.read_bytes() == before


def test_more_objects_than_the_limit_are_not_loaded(path: Path) -> None:
    columns = (
        "label, votes, aliases, x, y, z, qx, qy, qz, qw, size_x, size_y, size_z, covariance, confidence, "
    )
    columns += (
        "presence, first_seen, last_seen, observations, source, map_epoch, misses, looked, eye, carried, "
    )
    columns += "is_container, occludes_contents, opening, grasped"
    numbers = "WITH RECURSIVE c(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM c WHERE n < 30)"
    edit(
        path,
        script(
            f"{numbers} INSERT INTO objects (id, {columns}) SELECT 'cup_' || n, {columns} FROM objects JOIN c"
        ),
    )
    with pytest.raises(MemoryRefused, match=r"more than 30 objects .* raise most_objects"):
        SpatialMemory(path, THESAURUS, 30)
    memory = SpatialMemory(path, THESAURUS, 31)
    assert len(memory) == 31
    memory.abandon()


@pytest.mark.parametrize(
    "row",
    [
        ("mug_2", 1.0, 2.0, 1_500_000_000),
        ("mug_2", 1.0, 2.0, -5),
        ("mug_2", 1.0, 2.0, "words"),
        ("mug_2", 1.0, 2.0, None),
        ("mug_2", "good", 2.0, b"jpeg"),
        (b"mug_2", 1.0, 2.0, b"jpeg"),
        ("mug_2", 1.0, None, b"jpeg"),
    ],
)
def test_a_row_that_is_no_picture_is_removed(tmp_path: Path, row: tuple[object, ...]) -> None:
    path = tmp_path / "pictures.sqlite"
    create = "CREATE TABLE pictures (id TEXT PRIMARY KEY, quality, stamp, jpeg)"
    edit(path, lambda file: file.execute(create))
    for each in (("mug_1", 1.5, 2.5, b"jpeg"), row):
        edit(path, lambda file, each=each: file.execute("INSERT INTO pictures VALUES (?, ?, ?, ?)", each))  # type: ignore[misc]
    pictures = ObjectPictures(path, PictureLimits())
    assert (list(pictures), pictures.error) == (["mug_1"], None)
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT count(*) FROM pictures").fetchone() == (1,)


@pytest.mark.timeout(60)
def test_a_file_of_pictures_with_programs_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "pictures.sqlite"
    edit(
        path,
        script(
            f"CREATE VIEW pictures AS {ENDLESS} n AS id, 1.0 AS quality, 1.0 AS stamp, x'' AS jpeg FROM c"
        ),
    )
    pictures = ObjectPictures(path, PictureLimits())
    assert len(pictures) == 0
    assert "the view 'pictures'" in str(pictures.error)


def test_no_more_pictures_are_read_than_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "pictures.sqlite"
    create = "CREATE TABLE pictures (id TEXT PRIMARY KEY, quality REAL, stamp REAL, jpeg BLOB)"
    edit(path, lambda file: file.execute(create))
    rows = f"{ENDLESS} 'mug_' || n, 1.0, n, zeroblob(1000) FROM c LIMIT 100"
    edit(path, lambda file: file.execute(f"INSERT INTO pictures {rows}"))
    assert list(ObjectPictures(path, PictureLimits(count=3))) == ["mug_98", "mug_99", "mug_100"]
    assert len(ObjectPictures(path, PictureLimits(size=2_500))) == 2
