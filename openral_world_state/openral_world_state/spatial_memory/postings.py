"""Which slots stand under which words, as numbers side by side."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_GONE = -1.0
_FEW = 1024
Posting: TypeAlias = "array[int]"
"""Numbers of entries, in the order they came; some may be gone."""


@dataclass(frozen=True, slots=True)
class PostingHits:
    """Slots, numbers of labels, and each label's share of its record's votes, shape (N,) each."""

    slots: NDArray[np.intp]
    labels: NDArray[np.intp]
    shares: NDArray[np.float64]


class PostingStore:
    """A label of a slot with its share of the votes is one entry, which any number of postings may name."""

    def __init__(self) -> None:
        self._slot = np.zeros(_FEW, np.intp)
        self._label = np.zeros(_FEW, np.intp)
        self._share = np.full(_FEW, _GONE)
        self._count = 0
        self._free: list[int] = []
        self._gone: list[int] = []

    def add(self, slot: int, label: int, share: float) -> int:
        """A new entry's number."""
        entry = self._free.pop() if self._free else self._next()
        self._slot[entry], self._label[entry], self._share[entry] = slot, label, share
        return entry

    def weigh(self, entry: int, share: float) -> None:
        """Set an entry's share."""
        self._share[entry] = share

    def drop(self, entry: int) -> None:
        """Leave an entry out of everything found; postings may still name it."""
        self._share[entry] = _GONE
        self._gone.append(entry)

    def found(self, posting: Posting) -> PostingHits:
        """What a posting names."""
        entries = np.array(posting, np.intp)
        shares = self._share[entries]
        if self._gone:
            kept = shares >= 0.0
            entries, shares = entries[kept], shares[kept]
        return PostingHits(self._slot[entries], self._label[entries], shares)

    @property
    def is_littered(self) -> bool:
        """Whether as many are gone as are left."""
        return len(self._gone) > max(_FEW, (self._count - len(self._free)) // 2)

    def tidy(self, postings: Iterable[Posting]) -> None:
        """Take what is gone out of all postings, and use its numbers again."""
        for posting in postings:
            entries = np.array(posting, np.intp)
            kept = entries[self._share[entries] >= 0.0]
            if len(kept) < len(entries):
                del posting[:]
                posting.frombytes(kept.tobytes())
        self._free += self._gone
        self._gone = []

    def _next(self) -> int:
        entry = self._count
        self._count += 1
        if entry >= len(self._share):
            self._slot = np.concatenate((self._slot, np.zeros_like(self._slot)))
            self._label = np.concatenate((self._label, np.zeros_like(self._label)))
            self._share = np.concatenate((self._share, np.full_like(self._share, _GONE)))
        return entry
