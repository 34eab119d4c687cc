"""SQLite files that may come from others: opened so that their schema runs nothing and no value is huge."""

import sqlite3
from pathlib import Path

from openral_core.errors import OpenRALError, quoted

MAX_VALUE = 8_000_000
"""Longest value, and longest that an expression of the schema may make [bytes]."""
MAX_SCHEMA = 100
"""Entries of a schema that are looked at."""


class ForeignSchema(OpenRALError):
    """A file with more than tables: views, triggers and the like are programs of others."""

    def __init__(self, kind: str, name: object) -> None:
        super().__init__(f"it has the {kind} {quoted(name)}, which this program never makes")


def connect(file: Path | str, **options: object) -> sqlite3.Connection:
    """Open a file whose schema is tables alone.

    Raises:
        sqlite3.Error: If it cannot be opened or read.
        ForeignSchema: If it contains anything else.
    """
    connection = sqlite3.connect(file, **options)  # type: ignore[call-overload]
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
        connection.execute("PRAGMA trusted_schema = OFF")
        rows = connection.execute("SELECT type, name, sql FROM sqlite_master LIMIT ?", (MAX_SCHEMA,))
        for kind, name, sql in rows.fetchall():
            is_index = kind == "index" and sql is None  # of a primary key
            is_table = kind == "table" and "virtual" not in str(sql).lower().split()[:2]
            if not is_index and not is_table:
                raise ForeignSchema(kind, name)
    except BaseException:
        connection.close()
        raise
    return connection  # type: ignore[no-any-return]
