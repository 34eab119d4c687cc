"""SQLite store of spatial memory: one file in write-ahead mode, one writer, migrated between versions."""

import json
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import FiniteFloat, TypeAdapter

from openral_core.errors import quoted
from openral_core.geometry import Pose
from openral_core.parsing import parse_json
from openral_core.spatial_memory import Opening, Presence
from openral_world_state.spatial_memory.errors import (
    IN_MEMORY,
    MemoryNotWritten,
    MemoryUnavailable,
    NewerMemory,
    TooManyRows,
    UnreadableMemory,
    reading,
)
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.spatial_memory.sqlite_files import connect

MOST_OBJECTS, MOST_FACTS, MOST_MERGED = 1_000_000, 100_000, 1_000_000
"""Rows that are read of each table."""
MAX_FACTS, MAX_TEXT, LARGEST = 64_000_000, 100_000, 1e12
"""Characters of all facts and of one text of an object; largest number: a time has ten digits."""
_VOTES: TypeAdapter[dict[str, float]] = TypeAdapter(dict[str, FiniteFloat])
_NAMES: TypeAdapter[tuple[str, ...]] = TypeAdapter(tuple[str, ...])
APPLICATION = 0x4F52414C
"""SQLite application id of memory files: "ORAL" in ASCII."""

_OBJECTS = """
CREATE TABLE objects (
    id TEXT PRIMARY KEY, label TEXT NOT NULL, votes TEXT NOT NULL, aliases TEXT NOT NULL,
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
    qx REAL NOT NULL, qy REAL NOT NULL, qz REAL NOT NULL, qw REAL NOT NULL,
    size_x REAL NOT NULL, size_y REAL NOT NULL, size_z REAL NOT NULL, covariance BLOB NOT NULL,
    confidence REAL NOT NULL, presence TEXT NOT NULL, first_seen REAL NOT NULL, last_seen REAL NOT NULL,
    observations INTEGER NOT NULL, source TEXT NOT NULL, map_epoch INTEGER NOT NULL
) WITHOUT ROWID"""
_FACTS = "CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
_NUMBERED = """
CREATE TABLE numbered (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL, label TEXT NOT NULL, votes TEXT NOT NULL, aliases TEXT NOT NULL,
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
    qx REAL NOT NULL, qy REAL NOT NULL, qz REAL NOT NULL, qw REAL NOT NULL,
    size_x REAL NOT NULL, size_y REAL NOT NULL, size_z REAL NOT NULL, covariance BLOB NOT NULL,
    confidence REAL NOT NULL, presence TEXT NOT NULL, first_seen REAL NOT NULL, last_seen REAL NOT NULL,
    observations INTEGER NOT NULL, source TEXT NOT NULL, map_epoch INTEGER NOT NULL,
    misses INTEGER NOT NULL, looked REAL NOT NULL, eye BLOB, carried INTEGER NOT NULL,
    is_container INTEGER NOT NULL, occludes_contents INTEGER NOT NULL, opening TEXT NOT NULL
)"""
_COLUMNS = (
    "id, label, votes, aliases, x, y, z, qx, qy, qz, qw, size_x, size_y, size_z, covariance, confidence, "
    "presence, first_seen, last_seen, observations, source, map_epoch, misses, looked, eye, carried, "
    "is_container, occludes_contents, opening"
)
_MERGED = "CREATE TABLE merged (id TEXT PRIMARY KEY, into_id TEXT NOT NULL) WITHOUT ROWID"

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (_OBJECTS, _FACTS),
    (
        "ALTER TABLE objects ADD COLUMN misses INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE objects ADD COLUMN looked REAL NOT NULL DEFAULT 0",
        "ALTER TABLE objects ADD COLUMN eye BLOB",
        "ALTER TABLE objects ADD COLUMN carried INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE objects ADD COLUMN is_container INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE objects ADD COLUMN occludes_contents INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE objects ADD COLUMN opening TEXT NOT NULL DEFAULT 'unknown'",
        _MERGED,
    ),
    # Rows are stored in the order they were added, so a commit writes few pages, however large the table is.
    (
        _NUMBERED,
        f"INSERT INTO numbered ({_COLUMNS}) SELECT {_COLUMNS} FROM objects ORDER BY id",
        "DROP TABLE objects",
        "ALTER TABLE numbered RENAME TO objects",
        "DELETE FROM facts WHERE key LIKE 'stood %'",
    ),
    # Confidence became the probability of existence; every object had been offered before.
    ("UPDATE objects SET confidence = MAX(confidence, 0.5)",),
    ("ALTER TABLE objects ADD COLUMN grasped INTEGER NOT NULL DEFAULT 0",),
    # Who gave the labels of earlier versions is not known.
    ("ALTER TABLE objects ADD COLUMN unprompted TEXT NOT NULL DEFAULT '[]'",),
)
"""Statements that migrate from each version to the next; the version is the number of those applied."""


def check(path: Path) -> int:
    """Read the schema version of an existing file without changing it.

    Raises:
        UnreadableMemory: If it is not a memory file.
        NewerMemory: If a later version wrote it.
        MemoryInUse: If another process holds it.
        MemoryUnavailable: If it cannot be opened.
    """
    with reading(path):
        connection = connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        finally:
            connection.close()
    if application != APPLICATION:
        raise UnreadableMemory(path, f"application id {application:#x} is not {APPLICATION:#x}")
    if version > len(MIGRATIONS):
        raise NewerMemory(path, version, len(MIGRATIONS))
    return version


def migrate(connection: sqlite3.Connection) -> None:
    """Migrate a connection's file to the newest schema, atomically."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version == len(MIGRATIONS):
        return
    with transaction(connection):
        for statements in MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the statements inside atomically."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite rolls back by itself when the disk is full
            connection.execute("ROLLBACK")
        raise


Value = str | float | int | bytes | None
_TEXTS = ("id", "label", "votes", "aliases")
_POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")
_SIZE = ("size_x", "size_y", "size_z")
_SIGHTINGS = ("confidence", "presence", "first_seen", "last_seen", "observations", "source", "map_epoch")
_LOOKS = ("misses", "looked", "eye", "carried", "is_container", "occludes_contents", "opening", "grasped")
_COVARIANCE = struct.Struct("<9d")
_POINT = struct.Struct("<3d")
_encode = json.JSONEncoder(separators=(",", ":")).encode
COLUMNS = (*_TEXTS, *_POSE, *_SIZE, "covariance", *_SIGHTINGS, *_LOOKS, "unprompted")
UPSERT = f"INSERT OR REPLACE INTO objects (number, {', '.join(COLUMNS)}) VALUES (?{', ?' * len(COLUMNS)})"
SELECT = f"SELECT number, {', '.join(COLUMNS)} FROM objects ORDER BY number"


def row_of(number: int, record: ObjectRecord) -> tuple[Value, ...]:
    """Convert a record to a row: its number, then the values in the order of `COLUMNS`."""
    return (
        number,
        record.id,
        record.label,
        _encode(record.votes),
        _encode(record.aliases) if record.aliases else "[]",
        *record.pose.position,
        *record.pose.orientation,
        *record.size,
        _COVARIANCE.pack(*record.covariance),
        record.confidence,
        record.presence.value,
        record.first_seen,
        record.last_seen,
        record.observations,
        record.source,
        record.map_epoch,
        record.misses,
        record.last_checked,
        _POINT.pack(*record.viewpoint) if record.viewpoint else None,
        int(record.carried),
        int(record.is_container),
        int(record.occludes_contents),
        record.opening.value,
        int(record.grasped),
        _encode(record.unprompted) if record.unprompted else "[]",
    )


def record_of_row(row: Sequence[Any]) -> ObjectRecord:
    """Convert the values of a row, in the order of `COLUMNS`, to a record.

    Raises:
        TypeError, ValueError, struct.error: If one of them is of another type or range.
    """
    name, label, votes, aliases, x, y, z, qx, qy, qz, qw, size_x, size_y, size_z, covariance, *rest = row
    confidence, presence, first_seen, last_seen, observations, source, map_epoch, *rest = rest
    misses, looked, eye, carried, is_container, occludes_contents, opening, grasped, unprompted = rest
    texts = (name, label, votes, aliases, presence, source, opening, unprompted)
    spread = _COVARIANCE.unpack(covariance)
    pose_and_size = (x, y, z, qx, qy, qz, qw, size_x, size_y, size_z)
    flags = (carried, is_container, occludes_contents, grasped)
    sightings = (confidence, first_seen, last_seen, observations, map_epoch, misses, looked)
    numbers = (*pose_and_size, *sightings, *flags, *spread)
    if not all(isinstance(text, str) and len(text) <= MAX_TEXT for text in texts):
        raise TypeError(f"not all of {quoted(texts)} are texts of at most {MAX_TEXT} characters")
    if not all(isinstance(number, (int, float)) and abs(number) <= LARGEST for number in numbers):
        raise TypeError(f"not all of {quoted(numbers)} are numbers of at most {LARGEST:g}")
    return ObjectRecord(
        id=name,
        label=label,
        pose=Pose((float(x), float(y), float(z)), (float(qx), float(qy), float(qz), float(qw))),
        size=(float(size_x), float(size_y), float(size_z)),
        votes=_VOTES.validate_python(parse_json(votes)),
        covariance=spread,
        confidence=float(confidence),
        presence=Presence(presence),
        first_seen=float(first_seen),
        last_seen=float(last_seen),
        observations=int(observations),
        source=source,
        map_epoch=int(map_epoch),
        aliases=_names(aliases),
        misses=int(misses),
        last_checked=float(looked),
        viewpoint=None if eye is None else _POINT.unpack(eye),
        carried=bool(carried),
        is_container=bool(is_container),
        occludes_contents=bool(occludes_contents),
        opening=Opening(opening),
        grasped=bool(grasped),
        unprompted=_names(unprompted),
    )


def _names(text: str) -> tuple[str, ...]:
    return () if text == "[]" else _NAMES.validate_python(parse_json(text))


class SqliteStore:
    """Rows on disk; a change survives the end of the process once `commit` has returned.

    Read `records` before the first `commit`, because that assigns their row numbers.

    Args:
        path: The file, created if missing; None for a store in this process alone.
        most: Objects that are read; a file with more is refused.

    Raises:
        MemoryRefused: If the file cannot be used; it is left untouched.
    """

    def __init__(self, path: Path | None, most: int = MOST_OBJECTS) -> None:
        self._most = most
        self.path, self._name = path, Path(path or IN_MEMORY)
        if path is not None and _has_content(path):
            check(path)
        self._numbers: dict[str, int] = {}
        self._merged: set[str] = set()
        self._last = 0
        with reading(self._name):
            self._connection = connect(path or IN_MEMORY, isolation_level=None, timeout=0.5)
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def records(self) -> Iterator[ObjectRecord]:
        """Read all objects in the order they were added.

        Raises:
            UnreadableMemory: If a row is malformed.
        """
        with reading(self._name):
            self._check_count("objects", self._most)
            for number, *row in self._connection.execute(SELECT):
                record = record_of_row(row)
                self._numbers[record.id] = self._last = number
                yield record

    def facts(self) -> dict[str, str]:
        """Read the values beside the records, such as revision and documents, by key."""
        with reading(self._name):
            self._check_count("facts", MOST_FACTS)
            facts: dict[str, str] = {}
            size = 0
            for key, value in self._connection.execute("SELECT key, value FROM facts"):
                if not isinstance(key, str) or not isinstance(value, str):
                    raise TypeError(f"fact {quoted(key)} is no text")
                size += len(value)
                if size > MAX_FACTS:
                    raise ValueError(f"its facts have more than {MAX_FACTS} characters")
                facts[key] = value
            return facts

    def merged(self) -> dict[str, str]:
        """Read the ids that were merged into another, with that id."""
        with reading(self._name):
            self._check_count("merged", MOST_MERGED)
            merged = {
                str(name): str(into)
                for name, into in self._connection.execute("SELECT id, into_id FROM merged")
            }
        self._merged = set(merged)
        return merged

    def commit(
        self,
        changed: Iterable[ObjectRecord] = (),
        removed: Mapping[str, str] | None = None,
        facts: Mapping[str, str] | None = None,
    ) -> None:
        """Write all changes atomically.

        Args:
            changed: New and changed records; the merge of one into another is undone.
            removed: Ids to delete, each with the id it was merged into ("" if forgotten).
            facts: Values to store, by key.

        Raises:
            MemoryNotWritten: If the file cannot be written; it is unchanged then.
        """
        records, gone = list(changed), dict(removed or {})
        execute, execute_many = self._connection.execute, self._connection.executemany
        restored = [record.id for record in records if record.id in self._merged]
        try:
            with transaction(self._connection):
                for record in records:
                    if record.id not in self._numbers:
                        self._last += 1
                        self._numbers[record.id] = self._last
                execute_many(UPSERT, (row_of(self._numbers[record.id], record) for record in records))
                execute_many("DELETE FROM merged WHERE id = ?", ((name,) for name in restored))
                for name, into in gone.items():
                    execute("DELETE FROM objects WHERE number = ?", (self._numbers.get(name),))
                    if into:
                        execute("INSERT OR REPLACE INTO merged VALUES (?, ?)", (name, into))
                execute_many("INSERT OR REPLACE INTO facts VALUES (?, ?)", (facts or {}).items())
        except sqlite3.Error as error:
            raise MemoryNotWritten(self.path, error) from error
        self._merged.difference_update(restored)
        for name, into in gone.items():
            self._numbers.pop(name, None)
            if into:
                self._merged.add(name)

    def _check_count(self, table: str, most: int) -> None:
        rows = self._connection.execute(f"SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT ?)", (most + 1,))
        if rows.fetchone()[0] > most:
            raise TooManyRows(table, most)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("PRAGMA wal_autocheckpoint = 1000")
        self._connection.execute("PRAGMA cache_size = -32000")
        self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        if not self._connection.execute("PRAGMA application_id").fetchone()[0]:
            self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
        migrate(self._connection)
        with transaction(self._connection):
            pass


def _has_content(path: Path) -> bool:
    try:
        if not path.is_file() and path.exists():
            raise MemoryUnavailable(path, "it is no regular file")
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False
    except (OSError, ValueError) as error:  # ValueError: a character that no path may have
        raise MemoryUnavailable(path, str(error)) from error
