"""Which records answer some words, and how well."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_core.text import Relation
from openral_world_state.memories import Memory, Record
from openral_world_state.memories.columns import Columns
from openral_world_state.memories.entries import Found
from openral_world_state.memories.label_index import LabelIndex

COUNTS = 0.2
"""A label with a smaller share of a record's votes is but a slip of a detector."""
RELATIONS = (Relation.EQUAL, Relation.NARROWER, Relation.BROADER, Relation.RELATED)
_CODES = {relation: code for code, relation in enumerate(RELATIONS)}
_WORTH = np.array([1.0, 0.95, 0.6, 0.3])
_PRESENCE_WORTH = np.array([1.0, 0.5, 0.1])
_NOTHING = Found(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0))


@dataclass(frozen=True, slots=True)
class Answer:
    """One record, the label of it that answered, how, and its score in [0, 1].

    ``likeness``: of the meanings, when no more than that made the label answer.
    """

    record: Record
    label: str
    relation: Relation
    score: float
    likeness: float = 0.0


@dataclass(frozen=True)
class Answers:
    """Everything that answers some words, side by side, shape (N,) each.

    ``labels`` are numbers of ``index``, ``relations`` indices of `RELATIONS`.
    """

    columns: Columns
    index: LabelIndex
    slots: NDArray[np.intp]
    labels: NDArray[np.intp]
    relations: NDArray[np.intp]
    scores: NDArray[np.float64]

    def where(self, mask: NDArray[np.bool_]) -> "Answers":
        """Those under a mask (N,)."""
        if mask.all():
            return self
        return Answers(
            self.columns,
            self.index,
            self.slots[mask],
            self.labels[mask],
            self.relations[mask],
            self.scores[mask],
        )

    def best(self, count: int) -> list[Answer]:
        """The best ``count``, one per record, best first; of equals the one seen last."""
        order = self._leading(4 * count)
        found: dict[int, Answer] = {}
        for index in order:
            found.setdefault(int(self.slots[index]), self._answer(int(index)))
        if len(found) < count and len(order) < len(self.slots):
            return self.best(4 * count)[:count]
        return list(found.values())[:count]

    def _leading(self, count: int) -> NDArray[np.intp]:
        """Indices of the ``count`` best, in order."""
        index = np.arange(len(self.slots))
        if len(index) > count:
            least = np.partition(self.scores, -count)[-count]
            index = np.flatnonzero(self.scores >= least)
        if len(index) > count:
            seen = self.columns.last_seen[self.slots[index]] + 1e12 * (self.scores[index] > least)
            index = index[np.argpartition(seen, -count)[-count:]]
        slots = self.slots[index]
        order = np.lexsort(
            (slots, self.relations[index], -self.columns.last_seen[slots], -self.scores[index])
        )
        return np.asarray(index[order])

    def _answer(self, index: int) -> Answer:
        record = self.columns.record(int(self.slots[index]))
        relation = RELATIONS[int(self.relations[index])]
        return Answer(record, self.index.name(int(self.labels[index])), relation, float(self.scores[index]))


def hits(memory: Memory, words: str) -> Answers:
    """Every record with a label that is equal to the words or narrower.

    Raises:
        UnreadableText: If the words name nothing.
    """
    below = memory.labels.below(words)
    if below is None:
        return answers(memory, memory.labels.hits(words))
    found, equal = below
    is_equal = np.zeros(len(found.labels), bool)
    for label in equal:
        is_equal |= found.labels == label
    return _judged(memory, found, np.where(is_equal, _CODES[Relation.EQUAL], _CODES[Relation.NARROWER]))


def answers(memory: Memory, labels: Iterable[tuple[str, Relation]]) -> Answers:
    """Every record under these labels.

    Args:
        memory: Where they are.
        labels: Labels in use, each with its relation to the words asked for.
    """
    named = list(labels)
    parts = [memory.labels.at(label) for label, _ in named] or [_NOTHING]
    relations = [_CODES[relation] for _, relation in named] or [0]
    found = Found(
        np.concatenate([part.slots for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.shares for part in parts]),
    )
    sizes = [len(part.slots) for part in parts]
    return _judged(memory, found, np.repeat(np.array(relations, np.intp), sizes))


def _judged(memory: Memory, found: Found, relations: NDArray[np.intp]) -> Answers:
    columns, slots = memory.columns, found.slots
    sure = 0.5 + 0.5 * columns.confidence[slots]
    worth = _WORTH[relations] * _PRESENCE_WORTH[columns.presence[slots]]
    scores = worth * sure * (0.8 + 0.2 * found.shares)
    judged = Answers(columns, memory.labels, slots, found.labels, relations, scores)
    return judged.where(found.shares >= COUNTS)
