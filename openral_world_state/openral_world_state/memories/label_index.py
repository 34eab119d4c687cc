"""Which records have a label that answers some words."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from openral_core.text import Relation, Thesaurus
from openral_world_state.memories.trigrams import Trigrams


class LabelSlots:
    """Slots of the records under one label, each with the label's share of the record's votes."""

    def __init__(self) -> None:
        self._shares: dict[int, float] = {}
        self._arrays: tuple[NDArray[np.intp], NDArray[np.float64]] | None = None

    def __len__(self) -> int:
        return len(self._shares)

    def __iter__(self) -> Iterator[int]:
        return iter(self._shares)

    def put(self, slot: int, share: float) -> None:
        """Keep a slot."""
        if self._shares.get(slot) != share:
            self._shares[slot] = share
            self._arrays = None

    def remove(self, slot: int) -> None:
        """Forget a slot."""
        del self._shares[slot]
        self._arrays = None

    def arrays(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Slots and shares, shape (N,) each."""
        if self._arrays is None:
            count = len(self._shares)
            self._arrays = (
                np.fromiter(self._shares.keys(), np.intp, count),
                np.fromiter(self._shares.values(), np.float64, count),
            )
        return self._arrays


class LabelIndex:
    """Slots by label, labels by the things they name.

    A label stands under every kind it is of, so that words find narrower labels directly, and
    under its own things, so that they find broader and related ones.
    """

    def __init__(self, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus
        self._slots: dict[str, LabelSlots] = {}
        self._labels: dict[int, tuple[str, ...]] = {}
        self._under: defaultdict[str, dict[str, bool]] = defaultdict(dict)
        self._named: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._alike = Trigrams()

    @property
    def labels(self) -> Iterable[str]:
        """Every label in use."""
        return self._slots.keys()

    def put(self, slot: int, shares: Mapping[str, float]) -> None:
        """Keep a slot under these labels alone, each with its share of the votes."""
        before = self._labels.get(slot, ())
        for label in before:
            if label not in shares:
                self._forget(slot, label)
        for label, share in shares.items():
            slots = self._slots.get(label)
            if slots is None:
                slots = self._learn(label)
            slots.put(slot, share)
        if len(before) != len(shares) or before != tuple(shares):
            self._labels[slot] = tuple(shares)

    def remove(self, slot: int) -> None:
        """Forget a slot; one not kept is no error."""
        for label in self._labels.pop(slot, ()):
            self._forget(slot, label)

    def slots(self, label: str) -> LabelSlots:
        """Every slot under exactly this label."""
        found = self._slots.get(label)
        return LabelSlots() if found is None else found

    def answering(self, words: str) -> Iterator[tuple[str, Relation]]:
        """Labels in use that stand in some relation to the words.

        Raises:
            UnreadableText: If the words name nothing.
        """
        yield from self._under_words(words)
        yield from self.hints(words)

    def hits(self, words: str) -> Iterator[tuple[str, Relation]]:
        """Those that are equal to the words or narrower.

        Raises:
            UnreadableText: If the words name nothing.
        """
        if self._is_plain(words):
            return self._under_words(words)
        return (found for found in self._under_words(words) if found[1].is_hit)

    def hints(self, words: str) -> Iterator[tuple[str, Relation]]:
        """Labels of broader and related things.

        Raises:
            UnreadableText: If the words name nothing.
        """
        under = self._under.get(self._thesaurus.concept(words), {})
        for label in self._others(words):
            relation = self._thesaurus.relation(words, label)
            if label not in under and relation is not Relation.NONE:
                yield label, relation

    def _under_words(self, words: str) -> Iterator[tuple[str, Relation]]:
        """Labels of the thing asked for and of narrower things; attributes may still set them apart."""
        thing = self._thesaurus.concept(words)
        under = self._under.get(thing, {})
        if not self._is_plain(words):
            return ((label, self._thesaurus.relation(words, label)) for label in under)
        # Without attributes asked for, what stands under the thing is a hit: nothing is left to compare.
        equal = self._named.get(thing, {})
        return (
            (label, Relation.EQUAL if is_plain and label in equal else Relation.NARROWER)
            for label, is_plain in under.items()
        )

    def nearest(self, words: str, count: int = 3) -> tuple[str, ...]:
        """Labels in use that look most like the words."""
        return self._alike.nearest(words, count)

    def _is_plain(self, words: str) -> bool:
        phrase = self._thesaurus.parse(words)
        return not phrase.modifiers and phrase.of is None

    def _others(self, words: str) -> dict[str, None]:
        """Labels that may be broader or related."""
        found: dict[str, None] = {}
        for key in self._thesaurus.keys(words):
            for other in (*self._thesaurus.kinds_of(key), *self._thesaurus.related(key), key):
                found.update(self._named.get(other, {}))
        return found

    def _learn(self, label: str) -> LabelSlots:
        plain = self._is_plain(label)
        for kind in self._kinds(label):
            self._under[kind][label] = plain
        self._named[self._thesaurus.concept(label)][label] = None
        self._alike.put(label)
        return self._slots.setdefault(label, LabelSlots())

    def _forget(self, slot: int, label: str) -> None:
        self._slots[label].remove(slot)
        if len(self._slots[label]):
            return
        del self._slots[label]
        self._alike.remove(label)
        for kind in self._kinds(label):
            self._under[kind].pop(label, None)
        self._named[self._thesaurus.concept(label)].pop(label, None)

    def _kinds(self, label: str) -> frozenset[str]:
        keys = self._thesaurus.keys(label)
        return keys.union(*map(self._thesaurus.kinds_of, keys))
