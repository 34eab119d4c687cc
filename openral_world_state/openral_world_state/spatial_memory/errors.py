"""Reasons for which a memory file is not opened, read or written."""

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openral_core.errors import OpenRALError

IN_MEMORY = ":memory:"


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

    def __init__(self, path: Path, version: int, newest: int) -> None:
        super().__init__(
            f"{path} has memory schema {version}, newer than {newest} which this version reads; "
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


class MemoryNotWritten(OpenRALError):
    """The file could not be written; what was to be kept is kept by the process."""

    def __init__(self, path: Path | None, error: Exception) -> None:
        super().__init__(
            f"memory file {path or IN_MEMORY} could not be written ({error}): what changed is kept by this "
            "process alone and written when it can be; free disk space or restore access to the file"
        )
