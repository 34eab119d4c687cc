"""Everything remembered, with its indices; the one writer of its store."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from openral_core.errors import OpenRALError, format_choices
from openral_core.text import TermRelation, Thesaurus
from openral_world_state.spatial_memory.errors import MemoryNotWritten, reading
from openral_world_state.spatial_memory.label_index import LabelIndex
from openral_world_state.spatial_memory.record import ObjectRecord, ObjectTable, Triple
from openral_world_state.spatial_memory.spatial_index import SpatialIndex
from openral_world_state.spatial_memory.sqlite_store import SqliteStore

T = TypeVar("T")


class UnknownObject(OpenRALError):
    """An id that memory has no object of."""

    def __init__(self, asked: str, known: Iterable[str]) -> None:
        self.known = tuple(known)
        super().__init__(f"memory has no object {asked!r}: the nearest ids are {format_choices(self.known)}")


class SpatialMemory:
    """Records by id, indexed by label and place.

    Change a record, then `touch` it; `commit` makes every touched record durable together. While the
    file cannot be written, everything goes on in this process and ``unwritten`` says why.

    Raises:
        MemoryRefused: If the file cannot be used; it is left untouched.
    """

    def __init__(self, path: Path | None, thesaurus: Thesaurus) -> None:
        self._store = SqliteStore(path)
        self.unwritten: MemoryNotWritten | None = None
        self._news = False
        self._records: dict[str, ObjectRecord] = {}
        self.columns = ObjectTable()
        self._grid = SpatialIndex()
        self._labels = LabelIndex(thesaurus)
        self._missing = LabelIndex(thesaurus)
        self._changed: dict[str, ObjectRecord] = {}
        self._removed: dict[str, str] = {}
        self._facts: dict[str, str] = {}
        try:
            with reading(self.name):
                self.facts = self._store.facts()
                self._merged = self._store.merged()
                self.revision = int(self.facts.get("revision", "0"))
                self._names = int(self.facts.get("names", "0"))
                for record in self._store.records():
                    self._index(record)
        except BaseException:
            self._store.close()
            raise

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[ObjectRecord]:
        return iter(self._records.values())

    def __contains__(self, name: str) -> bool:
        return self.current_id(name) in self._records

    @property
    def path(self) -> Path | None:
        """The file, None when this memory dies with its process."""
        return self._store.path

    @property
    def name(self) -> Path:
        """What to call this memory in messages."""
        return self.path or Path("memory")

    @property
    def labels(self) -> LabelIndex:
        """Objects by label."""
        return self._labels

    def current_id(self, name: str) -> str:
        """The id that a merged one became; any other as it is."""
        seen: set[str] = set()
        while name in self._merged and name not in seen:
            seen.add(name)
            name = self._merged[name]
        return name

    def get(self, name: str) -> ObjectRecord:
        """The record of an id.

        Raises:
            UnknownObject: If there is none.
        """
        record = self._records.get(self.current_id(name))
        if record is None:
            raise UnknownObject(name, self._nearest_ids(name))
        return record

    def near(self, point: Triple, radius: float) -> Iterator[tuple[ObjectRecord, float]]:
        """Records within ``radius`` [m], with their distance [m]."""
        return ((self._records[name], distance) for name, distance in self._grid.within(point, radius))

    def crowd_at(self, point: Triple) -> int:
        """How many records are in the same cube of half a metre."""
        return self._grid.crowd(point)

    def hits(self, words: str) -> Iterator[tuple[ObjectRecord, TermRelation]]:
        """Records with a label that is equal to the words or narrower.

        Raises:
            UnreadableText: If the words name nothing.
        """
        for label, relation in self._labels.hits(words):
            for slot in self._labels.slots(label):
                yield self.columns.record(slot), relation

    def missing(self, words: str) -> Iterator[tuple[ObjectRecord, TermRelation]]:
        """Records last looked for in vain, with a label that stands in some relation to the words.

        Raises:
            UnreadableText: If the words name nothing.
        """
        if not self._missing.labels:
            return
        for label, relation in self._missing.answering(words):
            for slot in self._missing.slots(label):
                yield self.columns.record(slot), relation

    def new_id(self, label: str) -> str:
        """An id never used before: the label's words and a number."""
        self._names += 1
        self.put_fact("names", str(self._names))
        return f"{_stem(label)}_{self._names}"

    def touch(self, record: ObjectRecord) -> None:
        """The record was made or changed; one merged into another before is itself again."""
        self._index(record)
        self._changed[record.id] = record
        self._removed.pop(record.id, None)
        self._merged.pop(record.id, None)
        self._news = True

    def forget(self, name: str, merged_into: str = "") -> None:
        """Drop a record, for good or because it is another one."""
        record = self._records.pop(name, None)
        if record is not None:
            slot = self.columns.put(record)
            self._labels.remove(slot)
            self._missing.remove(slot)
            self.columns.remove(name)
        self._grid.remove(name)
        self._changed.pop(name, None)
        self._removed[name] = merged_into
        self._news = True
        if merged_into:
            self._merged[name] = merged_into

    def put_fact(self, key: str, value: str) -> None:
        """Keep a value beside the records."""
        self._facts[key] = self.facts[key] = value
        self._news = True

    def fact(self, key: str, adapter: TypeAdapter[T], default: T) -> T:
        """A value kept beside the records, checked.

        Raises:
            UnreadableMemory: If it is not what it should be.
        """
        text = self.facts.get(key)
        with reading(self.name):
            return default if text is None else adapter.validate_json(text)

    def commit(self, *, again: bool = False) -> bool:
        """Make everything touched since the last commit durable; whether there was anything.

        After a failure the file is tried again only when asked to: each try may take long.

        Args:
            again: Try although the last commit could not be written.
        """
        news = self._news
        if news:
            self.revision += 1
            self.put_fact("revision", str(self.revision))
            self._news = False
        is_due = news if self.unwritten is None else again
        if is_due:
            self._write()
        return news

    def close(self) -> None:
        """Commit and give the file back.

        Raises:
            MemoryNotWritten: If the last changes could not be written.
        """
        self.commit(again=True)
        self._store.close()
        if self.unwritten is not None:
            raise self.unwritten

    def abandon(self) -> None:
        """Give the file back as it was last written."""
        self._store.close()

    def _write(self) -> None:
        try:
            self._store.commit(self._changed.values(), self._removed, self._facts)
        except MemoryNotWritten as error:
            self.unwritten = error
            return
        self.unwritten = None
        self._changed, self._removed, self._facts = {}, {}, {}

    def _nearest_ids(self, name: str) -> list[str]:
        """An id of each label that looks most like the one asked for; else any three."""
        words = name[:64].rstrip("0123456789").replace("_", " ").strip()
        labels = self._labels.nearest(words) if words else ()
        slots = (next(iter(self._labels.slots(label))) for label in labels)
        return [self.columns.record(slot).id for slot in slots] or list(islice(self._records, 3))

    def _index(self, record: ObjectRecord) -> None:
        self._records[record.id] = record
        slot = self.columns.put(record)
        shares = record.shares
        self._grid.put(record.id, record.pose.position)
        self._labels.put(slot, shares)
        if record.is_missing:
            self._missing.put(slot, shares)
        else:
            self._missing.remove(slot)


@lru_cache(1 << 14)
def _stem(label: str) -> str:
    words = "".join(c if c.isascii() and c.isalnum() else "_" for c in label.casefold())
    return words[:32].strip("_") or "object"
