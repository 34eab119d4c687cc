"""Which records have a label that answers some words."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from openral_core.text import Relation, Thesaurus


class LabelIndex:
    """Ids by label, labels by the things they name.

    A label stands under every kind it is of, so that words find narrower labels directly, and
    under its own things, so that they find broader and related ones.
    """

    def __init__(self, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus
        self._ids: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._labels: dict[str, tuple[str, ...]] = {}
        self._under: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._named: defaultdict[str, dict[str, None]] = defaultdict(dict)

    @property
    def labels(self) -> Iterable[str]:
        """Every label in use."""
        return self._ids.keys()

    def put(self, name: str, labels: tuple[str, ...]) -> None:
        """Keep an id under these labels alone."""
        before = self._labels.get(name, ())
        if before == labels:
            return
        for label in before:
            if label not in labels:
                self._forget(name, label)
        for label in labels:
            if label not in self._ids:
                self._learn(label)
            self._ids[label][name] = None
        self._labels[name] = labels

    def remove(self, name: str) -> None:
        """Forget an id; one not kept is no error."""
        for label in self._labels.pop(name, ()):
            self._forget(name, label)

    def ids(self, label: str) -> Iterable[str]:
        """Every id under exactly this label."""
        return self._ids.get(label, {}).keys()

    def answering(self, words: str) -> Iterator[tuple[str, Relation]]:
        """Labels in use that stand in some relation to the words.

        Raises:
            UnreadableText: If the words name nothing.
        """
        for label in self._candidates(words):
            relation = self._thesaurus.relation(words, label)
            if relation is not Relation.NONE:
                yield label, relation

    def nearest(self, words: str, count: int = 3) -> tuple[str, ...]:
        """Labels in use that look most like the words."""
        return tuple(get_close_matches(words.casefold(), list(self._ids)[:5000], count, cutoff=0.0))

    def _candidates(self, words: str) -> dict[str, None]:
        thing = self._thesaurus.concept(words)
        found = dict(self._under.get(thing, {}))
        for key in self._thesaurus.keys(words):
            for broader in (*self._thesaurus.kinds_of(key), *self._thesaurus.related(key), key):
                found.update(self._named.get(broader, {}))
        return found

    def _learn(self, label: str) -> None:
        for key in self._thesaurus.keys(label):
            for kind in (key, *self._thesaurus.kinds_of(key)):
                self._under[kind][label] = None
        self._named[self._thesaurus.concept(label)][label] = None

    def _forget(self, name: str, label: str) -> None:
        del self._ids[label][name]
        if not self._ids[label]:
            del self._ids[label]
            for index in (self._under, self._named):
                for key in [*self._thesaurus.keys(label), *self._everything(label)]:
                    index[key].pop(label, None)

    def _everything(self, label: str) -> list[str]:
        return [kind for key in self._thesaurus.keys(label) for kind in self._thesaurus.kinds_of(key)]
