"""Which records answer some words, and how well."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_core.text import Relation
from openral_world_state.memories import Memory, Record
from openral_world_state.memories.columns import Columns

COUNTS = 0.2
"""A label with a smaller share of a record's votes is but a slip of a detector."""
RELATIONS = (Relation.EQUAL, Relation.NARROWER, Relation.BROADER, Relation.RELATED)
_CODES = {relation: code for code, relation in enumerate(RELATIONS)}
_WORTH = np.array([1.0, 0.95, 0.6, 0.3])
_PRESENCE_WORTH = np.array([1.0, 0.5, 0.1])


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
    """Everything that answers some words, side by side; ``relations`` index `RELATIONS`, shape (N,) each."""

    columns: Columns
    names: tuple[str, ...]
    slots: NDArray[np.intp]
    labels: NDArray[np.intp]
    relations: NDArray[np.intp]
    scores: NDArray[np.float64]

    def where(self, mask: NDArray[np.bool_]) -> "Answers":
        """Those under a mask (N,)."""
        return Answers(
            self.columns,
            self.names,
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
        return Answer(record, self.names[int(self.labels[index])], relation, float(self.scores[index]))


def answers(memory: Memory, labels: Iterable[tuple[str, Relation]]) -> Answers:
    """Every record under these labels.

    Args:
        memory: Where they are.
        labels: Labels in use, each with its relation to the words asked for.
    """
    columns = memory.columns
    named = list(labels)
    if not named:
        none = np.zeros(0, np.intp)
        return Answers(columns, (), none, none, none, np.zeros(0))
    names, related = zip(*named, strict=True)
    parts, each_share = zip(*(memory.labels.slots(name).arrays() for name in names), strict=True)
    sizes = list(map(len, parts))
    slots, shares = np.concatenate(parts), np.concatenate(each_share)
    relations = np.repeat(np.array([_CODES[relation] for relation in related], np.intp), sizes)
    sure = 0.5 + 0.5 * columns.confidence[slots]
    scores = _WORTH[relations] * _PRESENCE_WORTH[columns.presence[slots]] * sure * (0.8 + 0.2 * shares)
    found = Answers(columns, names, slots, np.repeat(np.arange(len(names)), sizes), relations, scores)
    return found.where(shares >= COUNTS)
