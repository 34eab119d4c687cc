"""Spatial memory: the records of remembered objects with their indices, written to one store.

Objects are found by label (`LabelIndex`) and by position (`SpatialIndex`); `MemoryLimits` bounds them.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from pathlib import Path
from typing import TypeVar

import numpy as np
from pydantic import TypeAdapter

from openral_core.errors import OpenRALError, format_choices
from openral_core.spatial_memory import Presence
from openral_core.text import TermRelation, Thesaurus
from openral_world_state.spatial_memory.errors import MemoryNotWritten, reading
from openral_world_state.spatial_memory.label_index import LabelIndex
from openral_world_state.spatial_memory.record import PRESENCES, ObjectRecord, ObjectTable, Triple
from openral_world_state.spatial_memory.sqlite_store import MOST_OBJECTS, SqliteStore

_FARTHEST = 1e9
"""Coordinate beyond which points share the outermost cells [m], so that any finite number has a cell."""
Point = tuple[float, float, float]
Cell = tuple[int, int, int]


class SpatialIndex:
    """Ids by cubic cell of edge ``cell`` [m]; the cost of a search does not depend on records elsewhere."""

    def __init__(self, cell: float = 0.5) -> None:
        self._cell = cell
        self._ids: defaultdict[Cell, dict[str, Point]] = defaultdict(dict)
        self._where: dict[str, Cell] = {}

    def __len__(self) -> int:
        return len(self._where)

    def put(self, name: str, point: Point) -> None:
        """Add or move an id."""
        cell = self._cell_of(point)
        before = self._where.get(name)
        if before is not None and before != cell:
            self._forget(name, before)
        self._ids[cell][name] = point
        self._where[name] = cell

    def remove(self, name: str) -> None:
        """Remove an id, if present."""
        cell = self._where.pop(name, None)
        if cell is not None:
            self._forget(name, cell)

    def count(self, point: Point) -> int:
        """Count the ids in the cell of a point."""
        return len(self._ids.get(self._cell_of(point), ()))

    def within(self, point: Point, radius: float) -> Iterator[tuple[str, float]]:
        """Ids within ``radius`` [m] of a point, with their distance [m], in no order."""
        for cell in self._cells(point, radius):
            for name, other in self._ids[cell].items():
                distance = math.dist(point, other)
                if distance <= radius:
                    yield name, distance

    def _cells(self, point: Point, radius: float) -> list[Cell]:
        """Cells in use that a ball may overlap, from the shorter of two lists."""
        low = self._cell_of((point[0] - radius, point[1] - radius, point[2] - radius))
        high = self._cell_of((point[0] + radius, point[1] + radius, point[2] + radius))
        if low == high:
            return [low] if low in self._ids else []
        x, y, z = (range(first, last + 1) for first, last in zip(low, high, strict=True))
        if len(x) * len(y) * len(z) > len(self._ids):
            return [cell for cell in self._ids if cell[0] in x and cell[1] in y and cell[2] in z]
        return [cell for cell in product(x, y, z) if cell in self._ids]

    def _cell_of(self, point: Point) -> Cell:
        return self._along(point[0]), self._along(point[1]), self._along(point[2])

    def _along(self, value: float) -> int:
        return math.floor(min(max(value, -_FARTHEST), _FARTHEST) / self._cell)

    def _forget(self, name: str, cell: Cell) -> None:
        del self._ids[cell][name]
        if not self._ids[cell]:
            del self._ids[cell]


T = TypeVar("T")
MAX_DIGITS = 15
"""Digits of the numbers beside the records."""


class UnknownObject(OpenRALError):
    """Memory has no object with this id."""

    def __init__(self, name: str, similar_ids: Iterable[str]) -> None:
        self.similar_ids = tuple(similar_ids)
        super().__init__(f"unknown object {name!r}; similar ids: {format_choices(self.similar_ids)}")


class SpatialMemory:
    """Records by id, indexed by label and position.

    Change a record, then `touch` it; `commit` writes all touched records atomically. While the file cannot be
    written, memory works in this process alone and ``unwritten`` holds the error.

    Raises:
        MemoryRefused: If the file cannot be used; it is left untouched.
    """

    def __init__(self, path: Path | None, thesaurus: Thesaurus, most: int = MOST_OBJECTS) -> None:
        self._store = SqliteStore(path, most)
        self.unwritten: MemoryNotWritten | None = None
        self._is_dirty = False
        self._records: dict[str, ObjectRecord] = {}
        self.table = ObjectTable()
        self._grid = SpatialIndex()
        self._labels = LabelIndex(thesaurus)
        self._missing = LabelIndex(thesaurus)
        self._changed: dict[str, ObjectRecord] = {}
        self._removed: dict[str, str] = {}
        self._facts: dict[str, str] = {}
        self._reserved: frozenset[str] = frozenset()
        try:
            with reading(self.name):
                self.facts = self._store.facts()
                self._merged = self._store.merged()
                self.revision = int(self.facts.get("revision", "0")[:MAX_DIGITS])
                self._names = int(self.facts.get("names", "0")[:MAX_DIGITS])
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
        """The file; None if this memory ends with its process."""
        return self._store.path

    @property
    def name(self) -> Path:
        """Name of this memory in messages."""
        return self.path or Path("memory")

    @property
    def labels(self) -> LabelIndex:
        """Objects by label."""
        return self._labels

    def current_id(self, name: str) -> str:
        """Id of the object that ``name`` was merged into, else ``name``."""
        visited: set[str] = set()
        while name in self._merged and name not in visited:
            visited.add(name)
            name = self._merged[name]
        return name

    def get(self, name: str) -> ObjectRecord:
        """Return the record of an id.

        Raises:
            UnknownObject: If there is none.
        """
        record = self._records.get(self.current_id(name))
        if record is None:
            raise UnknownObject(name, self._nearest_ids(name))
        return record

    def near(self, point: Triple, radius: float) -> Iterator[tuple[ObjectRecord, float]]:
        """Yield records within ``radius`` [m], with their distance [m]."""
        return ((self._records[name], distance) for name, distance in self._grid.within(point, radius))

    def count_in_cell(self, point: Triple) -> int:
        """Count the records in the cell of the spatial index that contains a point."""
        return self._grid.count(point)

    def hits(self, text: str) -> Iterator[tuple[ObjectRecord, TermRelation]]:
        """Yield records with a label equal to or narrower than a text.

        Raises:
            UnreadableText: If the text names nothing.
        """
        for label, relation in self._labels.hits(text):
            for slot in self._labels.slots(label):
                yield self.table.record(slot), relation

    def related(self, text: str) -> Iterator[tuple[ObjectRecord, TermRelation]]:
        """Yield records with any label related to a text, broader ones included.

        Raises:
            UnreadableText: If the text names nothing.
        """
        for label, relation in self._labels.related(text):
            for slot in self._labels.slots(label):
                yield self.table.record(slot), relation

    def missing(self, text: str) -> Iterator[tuple[ObjectRecord, TermRelation]]:
        """Yield records that the last check missed, with a label related to a text.

        Raises:
            UnreadableText: If the text names nothing.
        """
        if not self._missing.labels:
            return
        for label, relation in self._missing.related(text):
            for slot in self._missing.slots(label):
                yield self.table.record(slot), relation

    def new_id(self, label: str) -> str:
        """Return an id never used before, made of the label and a number."""
        while True:
            self._names += 1
            name = f"{id_stem(label)}_{self._names}"
            if name not in self._reserved:
                self.put_fact("names", str(self._names))
                return name

    def reserve(self, ids: Iterable[str]) -> None:
        """Keep ids for what is no object, such as furniture; an object that has one gets another.

        Maps and memory both number by kind: "cabinet_8" of a map and of memory are two things.
        """
        self._reserved = frozenset(ids)
        for name in self._reserved:
            self._merged.pop(name, None)
        for name in sorted(self._reserved & self._records.keys()):
            record = self._records[name]
            self.forget(name)
            record.id = self.new_id(record.label)
            self.touch(record)
            for merged in [old for old, into in self._merged.items() if into == name]:
                self._merged[merged] = self._removed[merged] = record.id

    def touch(self, record: ObjectRecord) -> None:
        """Register a new or changed record; if it was merged into another one, undo that."""
        self._index(record)
        self._changed[record.id] = record
        self._removed.pop(record.id, None)
        self._merged.pop(record.id, None)
        self._is_dirty = True

    def forget(self, name: str, merged_into: str = "") -> None:
        """Remove a record, for good or because it was merged into another one."""
        record = self._records.pop(name, None)
        if record is not None:
            slot = self.table.put(record)
            self._labels.remove(slot)
            self._missing.remove(slot)
            self.table.remove(name)
        self._grid.remove(name)
        self._changed.pop(name, None)
        self._removed[name] = merged_into
        self._is_dirty = True
        if merged_into:
            self._merged[name] = merged_into

    def put_fact(self, key: str, value: str) -> None:
        """Store a value under a key beside the records."""
        self._facts[key] = self.facts[key] = value
        self._is_dirty = True

    def fact(self, key: str, adapter: TypeAdapter[T], default: T) -> T:
        """Read and validate a value stored beside the records.

        Raises:
            UnreadableMemory: If it is malformed.
        """
        text = self.facts.get(key)
        with reading(self.name):
            return default if text is None else adapter.validate_json(text)

    def commit(self, *, again: bool = False) -> bool:
        """Write all changes since the last commit; return False if there were none.

        Args:
            again: Retry after a failed commit; off by default, because each attempt may take long.
        """
        changed = self._is_dirty
        if changed:
            self.revision += 1
            self.put_fact("revision", str(self.revision))
            self._is_dirty = False
        is_due = changed if self.unwritten is None else again
        if is_due:
            try:
                self._store.commit(self._changed.values(), self._removed, self._facts)
            except MemoryNotWritten as error:
                self.unwritten = error
            else:
                self.unwritten = None
                self._changed, self._removed, self._facts = {}, {}, {}
        return changed

    def close(self) -> None:
        """Commit and close the file.

        Raises:
            MemoryNotWritten: If the last changes could not be written.
        """
        self.commit(again=True)
        self._store.close()
        if self.unwritten is not None:
            raise self.unwritten

    def abandon(self) -> None:
        """Close the file without a commit."""
        self._store.close()

    def _nearest_ids(self, name: str) -> list[str]:
        """One id of each label with the most similar spelling, else any three."""
        text = name[:64].rstrip("0123456789").replace("_", " ").strip()
        labels = self._labels.nearest(text) if text else ()
        slots = (next(iter(self._labels.slots(label))) for label in labels)
        ids = dict.fromkeys(self.table.record(slot).id for slot in slots)
        return list(ids) or list(islice(self._records, 3))

    def _index(self, record: ObjectRecord) -> None:
        self._records[record.id] = record
        slot = self.table.put(record)
        fractions = record.vote_fractions
        self._grid.put(record.id, record.pose.position)
        self._labels.put(slot, fractions)
        if record.is_missing:
            self._missing.put(slot, fractions)
        else:
            self._missing.remove(slot)


@lru_cache(1 << 14)
def id_stem(label: str) -> str:
    """Return the part of an id that tells the label: ASCII letters, digits and underscores."""
    text = "".join(c if c.isascii() and c.isalnum() else "_" for c in label.casefold())
    return text[:32].strip("_") or "object"


class CapacityError(OpenRALError):
    """Base of the errors that keep a new object out of memory."""


class MemoryFull(CapacityError):
    """Memory holds as many objects as it may, and none of them is gone."""

    def __init__(self, label: str, limit: int) -> None:
        super().__init__(
            f"{label!r} was not stored: object limit ({limit}) reached and no object is gone; "
            "forget objects or raise most_objects"
        )


class DensityLimitExceeded(CapacityError):
    """One grid cell of half a metre holds more objects than fit there."""

    def __init__(self, label: str, point: Triple, limit: int) -> None:
        x, y, z = point
        super().__init__(
            f"{label!r} was not stored: {limit} objects are already remembered near "
            f"({x:.2f}, {y:.2f}, {z:.2f}) m"
        )


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """Largest number of objects: ``objects`` in all, ``max_per_cell`` in one cube of half a metre."""

    objects: int = 20_000
    max_per_cell: int = 250


def evict_for_capacity(memory: SpatialMemory, limits: MemoryLimits, label: str, point: Triple) -> None:
    """Make room for one object; at the limit, forget the object that has been gone the longest.

    Raises:
        MemoryFull: If no object is gone; an object that may still be there is never dropped.
        DensityLimitExceeded: If there are too many around that point.
    """
    if memory.count_in_cell(point) >= limits.max_per_cell:
        raise DensityLimitExceeded(label, point, limits.max_per_cell)
    table = memory.table
    while len(memory) >= limits.objects:
        gone = np.flatnonzero(table.presence == PRESENCES.index(Presence.GONE))
        if not len(gone):
            raise MemoryFull(label, limits.objects)
        memory.forget(table.record(int(gone[np.argmin(table.last_seen[gone])])).id)
