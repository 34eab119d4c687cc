"""The durable side of memory: one SQLite file in write-ahead mode, one writer."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from openral_world_state.memories.records import Record
from openral_world_state.memories.rows import SELECT, UPSERT, record_of_row, row_of
from openral_world_state.memories.schema import APPLICATION, MemoryInUse, check, migrate

IN_MEMORY = ":memory:"


class Store:
    """Rows on disk. What `commit` returned from survives the death of the process.

    Read the `records` that are there before the first `commit`: they take their numbers.

    Args:
        path: The file, made when missing; None keeps everything in this process.

    Raises:
        UnreadableMemory: If the file is no memory; it is left untouched.
        NewerMemory: If a later version wrote it; it is left untouched.
        MemoryInUse: If another process holds it.
    """

    def __init__(self, path: Path | None) -> None:
        if path is not None and path.exists() and path.stat().st_size:
            check(path)
        self.path = path
        self._numbers: dict[str, int] = {}
        self._last = 0
        self._connection = sqlite3.connect(path or IN_MEMORY, isolation_level=None, timeout=0.5)
        try:
            self._prepare()
        except sqlite3.OperationalError as error:
            self._connection.close()
            raise MemoryInUse(Path(path or IN_MEMORY)) from error

    def records(self) -> Iterator[Record]:
        """Every object, in the order they came."""
        for number, *row in self._connection.execute(SELECT):
            record = record_of_row(tuple(row))
            self._numbers[record.id] = self._last = number
            yield record

    def facts(self) -> dict[str, str]:
        """Everything else: revision, map epoch, documents."""
        return dict(self._connection.execute("SELECT key, value FROM facts"))

    def merged(self) -> dict[str, str]:
        """Ids that were merged into another."""
        return dict(self._connection.execute("SELECT id, into_id FROM merged"))

    def commit(
        self,
        changed: Iterable[Record] = (),
        removed: Mapping[str, str] | None = None,
        facts: Mapping[str, str] | None = None,
    ) -> None:
        """Write together, or not at all.

        Args:
            changed: Records as they are now.
            removed: Ids to drop, each with the id it was merged into ("" when forgotten).
            facts: Values to set.
        """
        execute = self._connection.execute
        execute("BEGIN")
        try:
            self._connection.executemany(UPSERT, (row_of(self._number_of(r.id), r) for r in changed))
            for name, into in (removed or {}).items():
                execute("DELETE FROM objects WHERE number = ?", (self._numbers.pop(name, None),))
                if into:
                    execute("INSERT OR REPLACE INTO merged VALUES (?, ?)", (name, into))
            self._connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", (facts or {}).items())
        except BaseException:
            execute("ROLLBACK")
            raise
        execute("COMMIT")

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
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("COMMIT")
