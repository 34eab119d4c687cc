"""The numbers of all records side by side, so that thousands are judged at once."""

import numpy as np
from numpy.typing import NDArray

from openral_core.scene_graph import Presence
from openral_world_state.memories.records import Record

PRESENCES = (Presence.PRESENT, Presence.STALE, Presence.GONE)
_CODES = {presence: code for code, presence in enumerate(PRESENCES)}


class Columns:
    """One slot per record; a slot is used again once its record is forgotten.

    ``position`` (N, 3) [m], ``last_seen`` [s], ``confidence`` in [0, 1], ``presence`` as index of
    `PRESENCES`, ``map_epoch``.
    """

    def __init__(self, capacity: int = 1024) -> None:
        self._slots: dict[str, int] = {}
        self._free: list[int] = []
        self.records: list[Record | None] = []
        self.position = np.zeros((capacity, 3))
        self.last_seen = np.zeros(capacity)
        self.confidence = np.zeros(capacity)
        self.presence = np.zeros(capacity, np.int8)
        self.map_epoch = np.zeros(capacity, np.int64)

    def put(self, record: Record) -> int:
        """Write a record's numbers; its slot."""
        slot = self._slots.get(record.id)
        if slot is None:
            slot = self._slots[record.id] = self._new_slot()
        self.records[slot] = record
        self.position[slot] = record.pose.position
        self.last_seen[slot] = record.last_seen
        self.confidence[slot] = record.confidence
        self.presence[slot] = _CODES[record.presence]
        self.map_epoch[slot] = record.map_epoch
        return slot

    def remove(self, name: str) -> None:
        """Free the slot of an id; one that has none is no error."""
        slot = self._slots.pop(name, None)
        if slot is not None:
            self.records[slot] = None
            self.presence[slot] = 0
            self._free.append(slot)

    def record(self, slot: int) -> Record:
        """The record of a slot in use."""
        record = self.records[slot]
        if record is None:
            raise IndexError(slot)
        return record

    def _new_slot(self) -> int:
        if self._free:
            return self._free.pop()
        self.records.append(None)
        if len(self.records) > len(self.last_seen):
            for name in ("position", "last_seen", "confidence", "presence", "map_epoch"):
                setattr(self, name, _doubled(getattr(self, name)))
        return len(self.records) - 1


def _doubled(column: NDArray[np.generic]) -> NDArray[np.generic]:
    return np.concatenate((column, np.zeros_like(column)))
