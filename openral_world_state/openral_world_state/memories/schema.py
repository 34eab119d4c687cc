"""The tables of a memory file, and how older ones are brought up to date."""

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openral_core.errors import OpenRALError

APPLICATION = 0x4F52414C
"""SQLite application id of our files: "ORAL"."""

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
    # Rows by number stand in the order they came: a commit writes few pages, however many objects there are.
    (
        _NUMBERED,
        f"INSERT INTO numbered ({_COLUMNS}) SELECT {_COLUMNS} FROM objects ORDER BY id",
        "DROP TABLE objects",
        "ALTER TABLE numbered RENAME TO objects",
        "DELETE FROM facts WHERE key LIKE 'stood %'",
    ),
)
"""Statements that lead from each version to the next; the version is how many were run."""


class MemoryRefused(OpenRALError):
    """Base of the reasons for which a memory file is not opened; the file is left as it is."""


class UnreadableMemory(MemoryRefused):
    """A file that is no memory of ours, or a damaged one."""

    def __init__(self, path: Path, found: str) -> None:
        super().__init__(
            f"{path} is not a readable memory file ({found}); it was left untouched: "
            "name another path, or move this file away"
        )


class NewerMemory(MemoryRefused):
    """A file written by a later version."""

    def __init__(self, path: Path, version: int) -> None:
        super().__init__(
            f"{path} has memory schema {version}, newer than {len(MIGRATIONS)} which this version reads; "
            "it was left untouched: use the version that wrote it, or name another path"
        )


class MemoryInUse(MemoryRefused):
    """Another process writes this memory."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is being written by another process: memory has one writer; stop the other one"
        )


class MemoryUnavailable(MemoryRefused):
    """A file that the system does not let us open or write."""

    def __init__(self, path: Path, found: str) -> None:
        super().__init__(
            f"{path} cannot be used as memory file ({found}): see that its folder {path.absolute().parent} "
            "exists and can be written, and that the disk has room"
        )


_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_UNAVAILABLE = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
)
_MALFORMED = (OpenRALError, ValueError, KeyError, TypeError, AttributeError, OverflowError, struct.error)
"""What a value that does not mean what it should raises when it is read."""


def refusal_of(path: Path, error: sqlite3.Error) -> MemoryRefused:
    """The refusal that an error of SQLite amounts to."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the primary code of an extended one
    if code in _IN_USE:
        return MemoryInUse(path)
    kind = MemoryUnavailable if code in _UNAVAILABLE else UnreadableMemory
    return kind(path, str(error))


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Make whatever goes wrong while a memory file is read a `MemoryRefused`."""
    try:
        yield
    except MemoryRefused:
        raise
    except sqlite3.Error as error:
        raise refusal_of(path, error) from error
    except _MALFORMED as error:
        raise UnreadableMemory(path, f"{type(error).__name__}: {error}") from error


def check(path: Path) -> int:
    """Schema version of an existing file, which is opened for reading only.

    Raises:
        UnreadableMemory: If it is no memory file.
        NewerMemory: If a later version wrote it.
        MemoryInUse: If another process holds it.
        MemoryUnavailable: If it cannot be opened.
    """
    with reading(path):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        finally:
            connection.close()
    if application != APPLICATION:
        raise UnreadableMemory(path, f"application id {application:#x} is not {APPLICATION:#x}")
    if version > len(MIGRATIONS):
        raise NewerMemory(path, version)
    return version


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a connection's file to the newest schema, all or nothing."""
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
    """All statements inside, or none of them."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite rolls back by itself when the disk is full
            connection.execute("ROLLBACK")
        raise
