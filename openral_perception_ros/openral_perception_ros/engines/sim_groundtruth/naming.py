"""From the simulator's phrases to what a detector calls them."""

from collections.abc import Mapping, Sequence

from openral_core.text import Thesaurus, UnreadableText
from openral_perception_ros.vocabularies import VocabularyDocument


class OwnWords:
    """A closed vocabulary: the longest ending of a phrase that the vocabulary knows gives the label."""

    def __init__(self, vocabulary: VocabularyDocument) -> None:
        self._labels: Mapping[tuple[str, ...], str] = {
            tuple(phrase.split()): label
            for label, phrases in vocabulary.labels.items()
            for phrase in (*phrases, label)
        }

    def names(self, phrase: str) -> tuple[str, ...]:
        """The label of a phrase, or none."""
        words = tuple(phrase.lower().split())
        endings = (self._labels.get(words[start:]) for start in range(len(words)))
        return next(((label,) for label in endings if label), ())


class AskedWords:
    """Free text: every term that a phrase answers, attributes and all."""

    def __init__(self, thesaurus: Thesaurus, terms: Sequence[str]) -> None:
        self._thesaurus = thesaurus
        self._terms = tuple(terms)

    def names(self, phrase: str) -> tuple[str, ...]:
        """The terms as they were asked; a phrase without words answers none."""
        try:
            return tuple(term for term in self._terms if self._thesaurus.relation(term, phrase).is_hit)
        except UnreadableText:
            return ()
