"""Errors of memory files.

MemoryRefused           the file is not opened, and left untouched
├── UnreadableMemory    not a memory file, or damaged
├── TooManyRows         more objects than the limit
├── NewerMemory         written by a later version
├── MemoryInUse         another process writes it
└── MemoryUnavailable   the system cannot open or write it
MemoryNotWritten        a commit failed; the changes are kept in the process
"""

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openral_core.errors import OpenRALError

IN_MEMORY = ":memory:"


class MemoryRefused(OpenRALError):
    """Base of the errors that prevent a memory file from being opened; the file is left untouched."""


class UnreadableMemory(MemoryRefused):
    """The file is not a memory file, or is damaged."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"{path} is not a readable memory file ({problem}) and was left untouched; "
            "choose another path, or move the file away"
        )


class TooManyRows(MemoryRefused):
    """The file has more than is read."""

    def __init__(self, table: str, most: int) -> None:
        super().__init__(
            f"the memory file has more than {most} {table} and was left untouched; "
            "raise most_objects, or choose another path"
        )


class NewerMemory(MemoryRefused):
    """A later version wrote the file."""

    def __init__(self, path: Path, version: int, newest: int) -> None:
        super().__init__(
            f"{path} has memory schema {version}, but this version reads at most {newest}; the file was left "
            "untouched: use the version that wrote it, or choose another path"
        )


class MemoryInUse(MemoryRefused):
    """Another process has the file open for writing."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is in use by another process; a memory file has one writer, so stop that process first"
        )


class MemoryUnavailable(MemoryRefused):
    """The system cannot open or write the file."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"cannot open memory file {path} ({problem}); check that its folder {path.absolute().parent} "
            "exists and is writable, and that the disk is not full"
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
"""Exceptions that malformed values raise when they are parsed."""


def translate_sqlite_error(path: Path, error: sqlite3.Error) -> MemoryRefused:
    """Translate an error of SQLite to one of ours."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the primary code of an extended one
    if code in _IN_USE:
        return MemoryInUse(path)
    kind = MemoryUnavailable if code in _UNAVAILABLE else UnreadableMemory
    return kind(path, str(error))


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Translate every error in reading a memory file to a `MemoryRefused`."""
    try:
        yield
    except MemoryRefused:
        raise
    except sqlite3.Error as error:
        raise translate_sqlite_error(path, error) from error
    except _MALFORMED as error:
        raise UnreadableMemory(path, f"{type(error).__name__}: {error}") from error


class MemoryNotWritten(OpenRALError):
    """A commit failed; the changes are kept in the process."""

    def __init__(self, path: Path | None, error: Exception) -> None:
        super().__init__(
            f"cannot write memory file {path or IN_MEMORY} ({error}); changes are kept in this process and "
            "written when possible: free disk space or restore access to the file"
        )
