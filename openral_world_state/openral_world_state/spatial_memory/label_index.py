"""Which records have a label that answers some words."""
# MERGED Names that look alike: by the three-letter pieces they share.

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from openral_core.text import TermRelation, Thesaurus
from openral_world_state.spatial_memory.postings import Posting, PostingHits, PostingStore

_MOST_POSTINGS = 3000


class Trigrams:
    """Finds the names most like another without comparing all."""

    def __init__(self) -> None:
        self._names: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._sizes: dict[str, int] = {}

    def put(self, name: str) -> None:
        """Keep a name."""
        pieces = _pieces(name)
        self._sizes[name] = len(pieces)
        for piece in pieces:
            self._names[piece][name] = None

    def remove(self, name: str) -> None:
        """Forget a name; one not kept is no error."""
        if self._sizes.pop(name, None) is not None:
            for piece in _pieces(name):
                self._names[piece].pop(name, None)
                if not self._names[piece]:
                    del self._names[piece]

    def nearest(self, words: str, count: int) -> tuple[str, ...]:
        """Names that share most with the words, the rarest pieces first; some of all when none does."""
        pieces = _pieces(words)
        lists = sorted((self._names[piece] for piece in pieces if piece in self._names), key=len)
        shared: Counter[str] = Counter()
        taken = 0
        for names in lists:
            taken += len(names)
            if shared and taken > _MOST_POSTINGS:
                break
            shared.update(names.keys())
        found = sorted(shared, key=lambda n: (-2.0 * shared[n] / (len(pieces) + self._sizes[n]), n))[:count]
        others = (name for name in self._sizes if name not in found)
        return (*found, *(name for name, _ in zip(others, range(count - len(found)), strict=False)))


def _pieces(text: str) -> frozenset[str]:
    padded = f"  {text.casefold()} "
    return frozenset(padded[i : i + 3] for i in range(len(padded) - 2))


class LabelIndex:
    """Slots by label, labels by the things they name.

    A label stands under every kind it is of, so that words find narrower labels directly, and
    under its own things, so that they find broader and related ones. Slots stand under both.
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
        self._alike = Trigrams()

    @property
    def labels(self) -> Iterable[str]:
        """Every label in use."""
        return self._numbers.keys()

    def name(self, number: int) -> str:
        """The label of a number."""
        return self._names[number]

    def put(self, slot: int, shares: Mapping[str, float]) -> None:
        """Keep a slot under these labels alone, each with its share of the votes."""
        before = self._of_slot.setdefault(slot, {})
        for label in before.keys() - shares.keys():
            self._forget(before.pop(label), label)
        for label, share in shares.items():
            entry = before.get(label)
            if entry is None:
                before[label] = self._add(slot, label, share)
            else:
                self._entries.weigh(entry, share)

    def remove(self, slot: int) -> None:
        """Forget a slot; one not kept is no error."""
        for label, entry in self._of_slot.pop(slot, {}).items():
            self._forget(entry, label)

    def slots(self, label: str) -> list[int]:
        """Every slot under exactly this label."""
        slots: list[int] = self.at(label).slots.tolist()
        return slots

    def at(self, label: str) -> PostingHits:
        """Everything under exactly this label."""
        postings = self._postings.get(label)
        return self._entries.found(postings[0] if postings else array("q"))

    def below(self, words: str) -> tuple[PostingHits, frozenset[int]] | None:
        """Everything that is equal to words without attributes or narrower, and the labels that are equal.

        None of words with attributes: each label under them is to be compared.

        Raises:
            UnreadableText: If the words name nothing.
        """
        if not self._is_plain(words):
            return None
        thing = self._thesaurus.concept(words)
        under, named = self._under.get(thing, {}), self._named.get(thing, {})
        equal = frozenset(self._numbers[label] for label in named if under.get(label))
        return self._entries.found(self._by_kind.get(thing, array("q"))), equal

    def answering(self, words: str) -> Iterator[tuple[str, TermRelation]]:
        """Labels in use that stand in some relation to the words.

        Raises:
            UnreadableText: If the words name nothing.
        """
        yield from self._under_words(words)
        yield from self.hints(words)

    def hits(self, words: str) -> Iterator[tuple[str, TermRelation]]:
        """Those that are equal to the words or narrower.

        Raises:
            UnreadableText: If the words name nothing.
        """
        if self._is_plain(words):
            return self._under_words(words)
        return (found for found in self._under_words(words) if found[1].is_hit)

    def hints(self, words: str) -> Iterator[tuple[str, TermRelation]]:
        """Labels of broader and related things.

        Raises:
            UnreadableText: If the words name nothing.
        """
        under = self._under.get(self._thesaurus.concept(words), {})
        for label in self._others(words):
            relation = self._thesaurus.relation(words, label)
            if label not in under and relation is not TermRelation.NONE:
                yield label, relation

    def _under_words(self, words: str) -> Iterator[tuple[str, TermRelation]]:
        """Labels of the thing asked for and of narrower things; attributes may still set them apart."""
        thing = self._thesaurus.concept(words)
        under = self._under.get(thing, {})
        if not self._is_plain(words):
            return ((label, self._thesaurus.relation(words, label)) for label in under)
        # Without attributes asked for, what stands under the thing is a hit: nothing is left to compare.
        equal = self._named.get(thing, {})
        return (
            (label, TermRelation.EQUAL if is_plain and label in equal else TermRelation.NARROWER)
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

    def _add(self, slot: int, label: str, share: float) -> int:
        postings = self._postings.get(label)
        if postings is None:
            postings = self._learn(label)
        entry = self._entries.add(slot, self._numbers[label], share)
        self._counts[label] += 1
        for posting in postings:
            posting.append(entry)
        return entry

    def _forget(self, entry: int, label: str) -> None:
        self._entries.drop(entry)
        self._counts[label] -= 1
        if not self._counts[label]:
            self._unlearn(label)
        if self._entries.is_littered:
            own = (postings[0] for postings in self._postings.values())
            self._entries.tidy(chain(own, self._by_kind.values()))

    def _learn(self, label: str) -> tuple[Posting, ...]:
        """The label's own posting and those of its kinds."""
        plain, kinds = self._is_plain(label), self._kinds(label)
        for kind in kinds:
            self._under[kind][label] = plain
        self._named[self._thesaurus.concept(label)][label] = None
        self._alike.put(label)
        self._counts[label] = 0
        self._numbers[label] = self._number(label)
        by_kind = (self._by_kind.setdefault(kind, array("q")) for kind in kinds)
        self._postings[label] = (array("q"), *by_kind)
        return self._postings[label]

    def _number(self, label: str) -> int:
        if not self._unused:
            self._names.append(label)
            return len(self._names) - 1
        number = self._unused.pop()
        self._names[number] = label
        return number

    def _unlearn(self, label: str) -> None:
        """Keep nothing of a label that no slot has: there is no end of labels."""
        self._unused.append(self._numbers.pop(label))
        del self._counts[label], self._postings[label]
        self._alike.remove(label)
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
