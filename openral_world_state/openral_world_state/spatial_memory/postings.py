"""Postings of the label index: (slot, label, fraction of votes) as columns of numbers."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_REMOVED = -1.0  # fraction of a removed entry
_CAPACITY = 1024  # first size of the columns, and fewest removed entries that are worth a compaction
Posting: TypeAlias = "array[int]"
"""Numbers of entries in the order they were added; some may be removed."""


@dataclass(frozen=True, slots=True)
class PostingHits:
    """Slots, numbers of labels, and each label's fraction of its record's votes, shape (N,) each."""

    slots: NDArray[np.intp]
    labels: NDArray[np.intp]
    fractions: NDArray[np.float64]


class PostingStore:
    """Entries, each a label of a slot with its fraction of the votes; several postings may list one entry."""

    def __init__(self) -> None:
        self._slot = np.zeros(_CAPACITY, np.intp)
        self._label = np.zeros(_CAPACITY, np.intp)
        self._fraction = np.full(_CAPACITY, _REMOVED)
        self._count = 0
        self._free: list[int] = []
        self._removed: list[int] = []

    def add(self, slot: int, label: int, fraction: float) -> int:
        """Add an entry; return its number."""
        entry = self._free.pop() if self._free else self._next()
        self._slot[entry], self._label[entry], self._fraction[entry] = slot, label, fraction
        return entry

    def set_fraction(self, entry: int, fraction: float) -> None:
        """Set an entry's fraction."""
        self._fraction[entry] = fraction

    def remove(self, entry: int) -> None:
        """Remove an entry from all results; postings may still list it until the next compaction."""
        self._fraction[entry] = _REMOVED
        self._removed.append(entry)

    def read(self, posting: Posting) -> PostingHits:
        """Read the entries of a posting."""
        entries = np.array(posting, np.intp)
        fractions = self._fraction[entries]
        if self._removed:
            kept = fractions >= 0.0
            entries, fractions = entries[kept], fractions[kept]
        return PostingHits(self._slot[entries], self._label[entries], fractions)

    @property
    def needs_compaction(self) -> bool:
        """True if removed entries are at least half as many as the others."""
        return len(self._removed) > max(_CAPACITY, (self._count - len(self._free)) // 2)

    def compact(self, postings: Iterable[Posting]) -> None:
        """Drop removed entries from all postings, and free their numbers."""
        for posting in postings:
            entries = np.array(posting, np.intp)
            kept = entries[self._fraction[entries] >= 0.0]
            if len(kept) < len(entries):
                del posting[:]
                posting.frombytes(kept.tobytes())
        self._free += self._removed
        self._removed = []

    def _next(self) -> int:
        entry = self._count
        self._count += 1
        if entry >= len(self._fraction):
            self._slot = np.concatenate((self._slot, np.zeros_like(self._slot)))
            self._label = np.concatenate((self._label, np.zeros_like(self._label)))
            self._fraction = np.concatenate((self._fraction, np.full_like(self._fraction, _REMOVED)))
        return entry
