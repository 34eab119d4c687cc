"""Pictures of remembered objects: the best view of each, bounded in number and bytes, in a file of their own.

The file is SQLite with `secure_delete`, so that a picture that is removed is overwritten.
"""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_world_state.spatial_memory.sqlite_files import ForeignSchema, connect

MOST_ROWS = 100_000
"""Rows that are looked at."""
BETTER = 1.3
"""Quality relative to the kept view from which a new one replaces it [1]; noise of boxes is below it."""
_SCHEMA = """PRAGMA secure_delete = ON; PRAGMA auto_vacuum = FULL; PRAGMA journal_mode = TRUNCATE;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS pictures (id TEXT PRIMARY KEY, quality REAL, stamp REAL, jpeg BLOB);"""


class PicturesNotWritten(OpenRALError):
    """A file of pictures that cannot be read or written; the pictures are kept in the process."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"pictures of objects are not written to {path}: {problem}")


@dataclass(frozen=True, slots=True)
class Picture:
    """JPEG of one object, cut from the image of time ``stamp`` [s]; ``quality`` compares views of it."""

    jpeg: bytes
    quality: float
    stamp: float


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """Most pictures [1] and bytes of them; beyond either, the picture taken longest ago is dropped."""

    count: int = 500
    size: int = 8_000_000


UNLIMITED = PictureLimits(sys.maxsize, sys.maxsize)


def pictures_path(memory: Path | None) -> Path | None:
    """Return the file of the pictures beside a memory file; None if memory has no file."""
    return None if memory is None else memory.with_name(f"{memory.stem}.pictures{memory.suffix}")


class ObjectPictures:
    """Pictures by object id, oldest first, and the file that keeps them.

    Args:
        path: File; None keeps them in the process alone.
        limits: Bounds of the whole.
    """

    def __init__(self, path: Path | None, limits: PictureLimits) -> None:
        self._path, self._limits = path, limits
        self._pictures: dict[str, Picture] = {}
        self._unwritten: set[str] = set()
        self._listeners: list[Callable[[str, Picture | None], None]] = []
        self.error: PicturesNotWritten | None = None
        self._transact(self._read)
        self._bound()

    def __len__(self) -> int:
        return len(self._pictures)

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._pictures))

    def get(self, name: str) -> Picture | None:
        """Return the picture of an object."""
        return self._pictures.get(name)

    def on_change(self, listener: Callable[[str, Picture | None], None]) -> None:
        """Call ``listener`` with each new picture, and with None for one that is removed."""
        self._listeners.append(listener)

    def wants(self, name: str, quality: float) -> bool:
        """Return whether a view of this quality would replace the kept one."""
        best = self._pictures.get(name)
        return quality > 0.0 and (best is None or quality > BETTER * best.quality)

    def put(self, name: str, picture: Picture) -> None:
        """Replace the picture of an object."""
        self._pictures.pop(name, None)
        self._set(name, picture)
        self._bound()

    def keep_only(self, is_remembered: Callable[[str], bool]) -> None:
        """Remove the pictures of objects that are no longer known."""
        for name in self:
            if not is_remembered(name):
                self._set(name, None)

    def write(self) -> None:
        """Write what changed since the last time; on failure set ``error``, and try again next time."""
        if not self._unwritten:
            return
        self._transact(self._replace)
        if self.error is None:
            self._unwritten.clear()

    def _read(self, file: sqlite3.Connection) -> None:
        """Read the latest pictures within the limits; delete the others, and rows that are none."""
        rows = file.execute("SELECT rowid, id, jpeg, quality, stamp FROM pictures ORDER BY stamp DESC")
        pictures: list[tuple[str, Picture]] = []
        others: list[tuple[int]] = []
        size = 0
        for number, name, jpeg, quality, at in islice(rows, MOST_ROWS):
            is_picture = isinstance(jpeg, bytes) and isinstance(quality, float) and isinstance(at, float)
            size += len(jpeg) if is_picture else 0
            if (
                is_picture
                and isinstance(name, str)
                and len(pictures) < self._limits.count
                and size <= self._limits.size
            ):
                pictures.append((name, Picture(jpeg, quality, at)))
            else:
                others.append((number,))
        self._pictures = dict(reversed(pictures))
        file.executemany("DELETE FROM pictures WHERE rowid = ?", others)

    def _replace(self, file: sqlite3.Connection) -> None:
        for name in self._unwritten:
            picture = self._pictures.get(name)
            file.execute("DELETE FROM pictures WHERE id = ?", (name,))
            if picture is not None:
                row = (name, picture.quality, picture.stamp, picture.jpeg)
                file.execute("INSERT INTO pictures VALUES (?, ?, ?, ?)", row)

    def _set(self, name: str, picture: Picture | None) -> None:
        if picture is None:
            del self._pictures[name]
        else:
            self._pictures[name] = picture
        self._unwritten.add(name)
        for listener in self._listeners:
            listener(name, picture)

    def _bound(self) -> None:
        size = sum(len(each.jpeg) for each in self._pictures.values())
        while self._pictures and (len(self._pictures) > self._limits.count or size > self._limits.size):
            oldest = next(iter(self._pictures))
            size -= len(self._pictures[oldest].jpeg)
            self._set(oldest, None)

    def _transact(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Do ``work`` on the file in one transaction; ``error`` tells whether it succeeded."""
        if self._path is None:
            return
        try:
            with closing(connect(self._path, timeout=0.2)) as file:
                file.executescript(_SCHEMA)
                with file:
                    work(file)
            self.error = None
        except (sqlite3.Error, ForeignSchema) as error:
            self.error = PicturesNotWritten(self._path, str(error))
