"""Labels by the direction of their meaning."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from openral_core.text import Thesaurus

MOST_LABELS = 16_384
"""Labels given a vector; those beyond are found by their words alone."""
_BATCH = 64


class Meanings:
    """Vectors of the labels in use, without their colours and sizes, which say nothing of the kind of thing.

    Args:
        thesaurus: Takes attributes off a label, and says which of them exclude each other.
    """

    def __init__(self, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus
        self._rows: dict[str, int] = {}
        self._labels: defaultdict[str, set[str]] = defaultdict(set)
        self._known: set[str] = set()
        self._vectors = np.zeros((0, 0), np.float32)

    def __len__(self) -> int:
        return len(self._rows)

    def unknown(self, labels: Iterable[str]) -> list[str]:
        """Phrases of labels that have no vector yet, at most 64 at a time."""
        wanted: dict[str, None] = {}
        for label in labels:
            if label in self._known:
                continue
            is_full = max(len(self._known), len(self._rows) + len(wanted)) >= MOST_LABELS
            if is_full or len(wanted) >= _BATCH:
                break
            self._known.add(label)
            phrase = self._thesaurus.bare(label)
            self._labels[phrase].add(label)
            if phrase not in self._rows:
                wanted[phrase] = None
        return list(wanted)

    def put(self, phrases: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Keep the vectors (N, D) of phrases."""
        for phrase, vector in zip(phrases, vectors, strict=True):
            row = self._rows.setdefault(phrase, len(self._rows))
            if row >= len(self._vectors):
                self._grow(len(vector))
            self._vectors[row] = vector

    def near(
        self, asked: str, vector: NDArray[np.float32], least: float, count: int
    ) -> Iterator[tuple[str, float]]:
        """Labels near in meaning with their similarity, the nearest first; another colour is another thing.

        Args:
            asked: The words whose vector (D,) this is.
            vector: Their direction.
            least: Similarity below which nothing is near.
            count: How many phrases are considered.
        """
        if not self._rows:
            return
        phrases = list(self._rows)
        similarity = self._vectors[: len(phrases)] @ vector
        close = np.flatnonzero(similarity >= least)
        for row in close[np.argsort(-similarity[close], kind="stable")][:count]:
            for label in sorted(self._labels[phrases[row]]):
                if not self._thesaurus.excludes(asked, label):
                    yield label, float(similarity[row])

    def _grow(self, dimensions: int) -> None:
        grown = np.zeros((max(64, 2 * len(self._vectors)), dimensions), np.float32)
        if len(self._vectors):
            grown[: len(self._vectors)] = self._vectors
        self._vectors = grown
