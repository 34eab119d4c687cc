"""The tables of a memory file, and how older ones are brought up to date."""

import sqlite3
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


class UnreadableMemory(OpenRALError):
    """A file that is no memory of ours; it is left as it is."""

    def __init__(self, path: Path, found: str) -> None:
        super().__init__(
            f"{path} is not a readable memory file ({found}); it was left untouched: "
            "name another path, or move this file away"
        )


class NewerMemory(OpenRALError):
    """A file written by a later version; it is left as it is."""

    def __init__(self, path: Path, version: int) -> None:
        super().__init__(
            f"{path} has memory schema {version}, newer than {len(MIGRATIONS)} which this version reads; "
            "it was left untouched: use the version that wrote it, or name another path"
        )


class MemoryInUse(OpenRALError):
    """Another process writes this memory."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is being written by another process: memory has one writer; stop the other one"
        )


def check(path: Path) -> int:
    """Schema version of an existing file, which is opened for reading only.

    Raises:
        UnreadableMemory: If it is no memory file.
        NewerMemory: If a later version wrote it.
        MemoryInUse: If another process holds it.
    """
    try:
        connection = sqlite3.connect(f"file:{path.absolute()}?mode=ro", uri=True)
        try:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise MemoryInUse(path) from error
        raise UnreadableMemory(path, str(error)) from error
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
    connection.execute("BEGIN IMMEDIATE")
    for statements in MIGRATIONS[version:]:
        for statement in statements:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    connection.execute("COMMIT")
