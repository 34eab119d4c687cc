"""The durable side of memory: one SQLite file in write-ahead mode, one writer."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_world_state.memories.records import Record
from openral_world_state.memories.rows import SELECT, UPSERT, record_of_row, row_of
from openral_world_state.memories.schema import (
    APPLICATION,
    MemoryUnavailable,
    check,
    migrate,
    reading,
    transaction,
)

IN_MEMORY = ":memory:"


class MemoryNotWritten(OpenRALError):
    """The file could not be written; what was to be kept is kept by the process."""

    def __init__(self, path: Path | None, error: Exception) -> None:
        super().__init__(
            f"memory file {path or IN_MEMORY} could not be written ({error}): what changed is kept by this "
            "process alone and written when it can be; free disk space or restore access to the file"
        )


class Store:
    """Rows on disk. What `commit` returned from survives the death of the process.

    Read the `records` that are there before the first `commit`: they take their numbers.

    Args:
        path: The file, made when missing; None keeps everything in this process.

    Raises:
        MemoryRefused: If the file cannot be used; it is left untouched.
    """

    def __init__(self, path: Path | None) -> None:
        self.path, self._name = path, Path(path or IN_MEMORY)
        if path is not None and _has_content(path):
            check(path)
        self._numbers: dict[str, int] = {}
        self._merged: set[str] = set()
        self._last = 0
        with reading(self._name):
            self._connection = sqlite3.connect(path or IN_MEMORY, isolation_level=None, timeout=0.5)
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def records(self) -> Iterator[Record]:
        """Every object, in the order they came.

        Raises:
            UnreadableMemory: If a row does not describe one.
        """
        with reading(self._name):
            for number, *row in self._connection.execute(SELECT):
                record = record_of_row(tuple(row))
                self._numbers[record.id] = self._last = number
                yield record

    def facts(self) -> dict[str, str]:
        """Everything else: revision, map epoch, documents."""
        with reading(self._name):
            return dict(self._connection.execute("SELECT key, value FROM facts"))

    def merged(self) -> dict[str, str]:
        """Ids that were merged into another."""
        with reading(self._name):
            merged = dict(self._connection.execute("SELECT id, into_id FROM merged"))
        self._merged = set(merged)
        return merged

    def commit(
        self,
        changed: Iterable[Record] = (),
        removed: Mapping[str, str] | None = None,
        facts: Mapping[str, str] | None = None,
    ) -> None:
        """Write together, or not at all.

        Args:
            changed: Records as they are now; one that was merged into another before is itself again.
            removed: Ids to drop, each with the id it was merged into ("" when forgotten).
            facts: Values to set.

        Raises:
            MemoryNotWritten: If the file cannot be written: nothing of this is in it then.
        """
        kept, gone = list(changed), dict(removed or {})
        execute, execute_many = self._connection.execute, self._connection.executemany
        restored = [record.id for record in kept if record.id in self._merged]
        try:
            with transaction(self._connection):
                execute_many(UPSERT, (row_of(self._number_of(record.id), record) for record in kept))
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

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()

    def _number_of(self, name: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            self._last += 1
            number = self._numbers[name] = self._last
        return number

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
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False
    except OSError as error:
        raise MemoryUnavailable(path, str(error)) from error
