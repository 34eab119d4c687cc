"""Index of records by label: equal, narrower, broader and related labels, and similar spellings.

Its postings hold (slot, label, fraction of votes) as columns of numbers.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.utils import default_process

from openral_core.arrays import Array, Indices
from openral_core.text import TermRelation, Thesaurus

_REMOVED = -1.0  # fraction of a removed entry
_CAPACITY = 1024  # first size of the columns, and fewest removed entries that are worth a compaction
Posting: TypeAlias = "array[int]"
"""Numbers of entries in the order they were added; some may be removed."""


@dataclass(frozen=True, slots=True)
class PostingHits:
    """Slots, numbers of labels, and each label's fraction of its record's votes, shape (N,) each."""

    slots: Indices
    labels: Indices
    fractions: Array


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
        if self._free:
            entry = self._free.pop()
        else:
            entry, self._count = self._count, self._count + 1
        if entry >= len(self._fraction):
            self._slot = np.concatenate((self._slot, np.zeros_like(self._slot)))
            self._label = np.concatenate((self._label, np.zeros_like(self._label)))
            self._fraction = np.concatenate((self._fraction, np.full_like(self._fraction, _REMOVED)))
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
            in_use = fractions >= 0.0
            entries, fractions = entries[in_use], fractions[in_use]
        return PostingHits(self._slot[entries], self._label[entries], fractions)

    @property
    def needs_compaction(self) -> bool:
        """True if removed entries are at least half as many as the others."""
        return len(self._removed) > max(_CAPACITY, (self._count - len(self._free)) // 2)

    def compact(self, postings: Iterable[Posting]) -> None:
        """Drop removed entries from all postings, and free their numbers."""
        for posting in postings:
            entries = np.array(posting, np.intp)
            in_use = entries[self._fraction[entries] >= 0.0]
            if len(in_use) < len(entries):
                del posting[:]
                posting.frombytes(in_use.tobytes())
        self._free += self._removed
        self._removed = []


class LabelIndex:
    """Slots by label, and labels by their concepts.

    A label is listed under each of its kinds, so that a query finds narrower labels directly, and under its
    own concept, so that it finds broader and related ones. Slots are listed under both.
    """

    def __init__(self, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus
        self._entries = PostingStore()
        self._of_slot: dict[int, dict[str, int]] = {}
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._unused: list[int] = []
        self._counts: dict[str, int] = {}
        self._postings: dict[str, tuple[Posting, ...]] = {}
        self._by_kind: dict[str, Posting] = {}
        self._under: defaultdict[str, dict[str, bool]] = defaultdict(dict)
        self._named: defaultdict[str, dict[str, None]] = defaultdict(dict)

    @property
    def labels(self) -> Iterable[str]:
        """All labels in use."""
        return self._numbers.keys()

    def name(self, number: int) -> str:
        """Label of a number."""
        return self._names[number]

    def put(self, slot: int, fractions: Mapping[str, float]) -> None:
        """List a slot under these labels alone, each with its fraction of the votes."""
        before = self._of_slot.setdefault(slot, {})
        for label in before.keys() - fractions.keys():
            self._forget(before.pop(label), label)
        for label, fraction in fractions.items():
            entry = before.get(label)
            if entry is None:
                before[label] = self._add(slot, label, fraction)
            else:
                self._entries.set_fraction(entry, fraction)

    def remove(self, slot: int) -> None:
        """Remove a slot, if present."""
        for label, entry in self._of_slot.pop(slot, {}).items():
            self._forget(entry, label)

    def slots(self, label: str) -> list[int]:
        """Slots under exactly this label."""
        slots: list[int] = self.exact(label).slots.tolist()
        return slots

    def exact(self, label: str) -> PostingHits:
        """Return the postings under exactly this label."""
        postings = self._postings.get(label)
        return self._entries.read(postings[0] if postings else array("q"))

    def equal_or_narrower(self, text: str) -> tuple[PostingHits, frozenset[int]] | None:
        """Return the postings of labels equal to or narrower than a text, and the numbers of the equal ones.

        None for a text with attributes, for which each label has to be compared: see `hits`.

        Raises:
            UnreadableText: If the text names nothing.
        """
        if not self._is_plain(text):
            return None
        concept = self._thesaurus.concept(text)
        under, named = self._under.get(concept, {}), self._named.get(concept, {})
        equal = frozenset(self._numbers[label] for label in named if under.get(label))
        return self._entries.read(self._by_kind.get(concept, array("q"))), equal

    def related(self, text: str) -> Iterator[tuple[str, TermRelation]]:
        """Labels in use with any relation to a text.

        Raises:
            UnreadableText: If the text names nothing.
        """
        yield from self._under_concept(text)
        yield from self.near_misses(text)

    def hits(self, text: str) -> Iterator[tuple[str, TermRelation]]:
        """Labels equal to or narrower than a text.

        Raises:
            UnreadableText: If the text names nothing.
        """
        if self._is_plain(text):
            return self._under_concept(text)
        return (pair for pair in self._under_concept(text) if pair[1].is_hit)

    def near_misses(self, text: str) -> Iterator[tuple[str, TermRelation]]:
        """Labels of broader and related concepts.

        Raises:
            UnreadableText: If the text names nothing.
        """
        under = self._under.get(self._thesaurus.concept(text), {})
        labels: dict[str, None] = {}
        for key in self._thesaurus.keys(text):
            for other in (*self._thesaurus.kinds_of(key), *self._thesaurus.related(key), key):
                labels.update(self._named.get(other, {}))
        for label in labels:
            relation = self._thesaurus.relation(text, label)
            if label not in under and relation is not TermRelation.NONE:
                yield label, relation

    def _under_concept(self, text: str) -> Iterator[tuple[str, TermRelation]]:
        """Labels of the text's concept and of narrower ones, which attributes may still exclude."""
        concept = self._thesaurus.concept(text)
        under = self._under.get(concept, {})
        if not self._is_plain(text):
            return ((label, self._thesaurus.relation(text, label)) for label in under)
        # Without attributes in the query, each label under the concept is a hit: no comparison is left.
        equal = self._named.get(concept, {})
        return (
            (label, TermRelation.EQUAL if is_plain and label in equal else TermRelation.NARROWER)
            for label, is_plain in under.items()
        )

    def nearest(self, text: str, count: int = 3) -> tuple[str, ...]:
        """Labels in use with the most similar spelling."""
        similar = process.extract(
            text, self._numbers.keys(), scorer=fuzz.ratio, processor=default_process, limit=count
        )
        return tuple(label for label, *_ in similar)

    def _is_plain(self, text: str) -> bool:
        phrase = self._thesaurus.parse(text)
        return not phrase.modifiers and phrase.of is None

    def _add(self, slot: int, label: str, fraction: float) -> int:
        postings = self._postings.get(label)
        if postings is None:
            postings = self._add_label(label)
        entry = self._entries.add(slot, self._numbers[label], fraction)
        self._counts[label] += 1
        for posting in postings:
            posting.append(entry)
        return entry

    def _forget(self, entry: int, label: str) -> None:
        self._entries.remove(entry)
        self._counts[label] -= 1
        if not self._counts[label]:
            self._remove_label(label)
        if self._entries.needs_compaction:
            own = (postings[0] for postings in self._postings.values())
            self._entries.compact(chain(own, self._by_kind.values()))

    def _add_label(self, label: str) -> tuple[Posting, ...]:
        """Add a label; return its own posting and those of its kinds."""
        plain, kinds = self._is_plain(label), self._kinds(label)
        for kind in kinds:
            self._under[kind][label] = plain
        self._named[self._thesaurus.concept(label)][label] = None
        self._counts[label] = 0
        if self._unused:
            number = self._unused.pop()
            self._names[number] = label
        else:
            number = len(self._names)
            self._names.append(label)
        self._numbers[label] = number
        by_kind = (self._by_kind.setdefault(kind, array("q")) for kind in kinds)
        self._postings[label] = (array("q"), *by_kind)
        return self._postings[label]

    def _remove_label(self, label: str) -> None:
        """Remove a label that no slot has, because the number of labels is unbounded."""
        self._unused.append(self._numbers.pop(label))
        del self._counts[label], self._postings[label]
        for kind in self._kinds(label):
            self._under[kind].pop(label, None)
            if not self._under[kind]:
                del self._under[kind], self._by_kind[kind]
        concept = self._thesaurus.concept(label)
        self._named[concept].pop(label, None)
        if not self._named[concept]:
            del self._named[concept]

    def _kinds(self, label: str) -> frozenset[str]:
        keys = self._thesaurus.keys(label)
        return keys.union(*map(self._thesaurus.kinds_of, keys))
