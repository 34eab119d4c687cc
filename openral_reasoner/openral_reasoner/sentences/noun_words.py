"""Classes of words that noun phrases are made of, in one language."""

from dataclasses import dataclass
from functools import cached_property

from openral_reasoner.sentences.language import Words
from openral_reasoner.sentences.words import Phrases, fold, word_set


@dataclass(frozen=True)
class NounWords:
    """Classes of words of one language, as sets and as phrases."""

    words: Words

    @cached_property
    def _tails(self) -> tuple[Phrases, ...]:
        return self._sides, self._relations, self._located, self._sources, self._relative, self._with_parts

    @cached_property
    def _separators(self) -> Phrases:
        return Phrases.of(self.words.separators)

    @cached_property
    def _determiners(self) -> Phrases:
        return Phrases.of(self.words.determiners)

    @cached_property
    def _plain_determiners(self) -> frozenset[str]:
        return frozenset(fold(each.strip()) for each in self.words.determiners.split(",")) - {""}

    @cached_property
    def _numbers(self) -> Phrases:
        return Phrases({phrase: str(number) for phrase, number in self.words.numbers.items()})

    @cached_property
    def _every(self) -> Phrases:
        return Phrases.of(self.words.every)

    @cached_property
    def _partial(self) -> Phrases:
        return Phrases.of(self.words.partial)

    @cached_property
    def _of_phrases(self) -> Phrases:
        return Phrases.of(self.words.of)

    @cached_property
    def _relations(self) -> Phrases:
        return Phrases(self.words.relations)

    @cached_property
    def _sides(self) -> Phrases:
        return Phrases.of(self.words.sides)

    @cached_property
    def _located(self) -> Phrases:
        return Phrases.of(self.words.located)

    @cached_property
    def _sources(self) -> Phrases:
        return Phrases.of(self.words.sources)

    @cached_property
    def _both(self) -> Phrases:
        return Phrases.of(self.words.both)

    @cached_property
    def _relative(self) -> Phrases:
        return Phrases.of(self.words.relative)

    @cached_property
    def _with_parts(self) -> Phrases:
        return Phrases.of(self.words.with_parts)

    @cached_property
    def _betweens(self) -> Phrases:
        return Phrases.of(self.words.between)

    @cached_property
    def _pairs(self) -> Phrases:
        return Phrases.of(self.words.pairs)

    @cached_property
    def _attributes(self) -> frozenset[str]:
        return word_set(self.words.attributes)

    @cached_property
    def _not_in_names(self) -> frozenset[str]:
        return word_set(self.words.not_in_names)

    @cached_property
    def _verbs(self) -> frozenset[str]:
        return word_set(self.words.verbs) - word_set(self.words.nouns_too)

    @cached_property
    def _last_words(self) -> frozenset[str]:
        return word_set(self.words.last_words)

    @cached_property
    def _concrete(self) -> frozenset[str]:
        return word_set(self.words.concrete)

    @cached_property
    def _intangible(self) -> frozenset[str]:
        return word_set(self.words.intangible)

    @cached_property
    def _elsewhere(self) -> frozenset[str]:
        return word_set(self.words.elsewhere)

    @cached_property
    def _participles(self) -> frozenset[str]:
        return word_set(self.words.participles)

    @cached_property
    def _ends_description(self) -> frozenset[str]:
        classes = self.words.separators, self.words.sources, self.words.located
        phrases = (phrase.split() for phrase in ",".join(classes).lower().split(","))
        return frozenset(words[0] for words in phrases if len(words) == 1)

    @cached_property
    def request_verbs(self) -> frozenset[str]:
        """Verbs with which a request may begin."""
        return word_set(self.words.request_verbs)

    @cached_property
    def remark_stops(self) -> frozenset[str]:
        """Words that no free remark contains."""
        return word_set(self.words.not_remarks)

    @cached_property
    def _endings(self) -> tuple[str, ...]:
        return tuple(self.words.endings.split())

    @cached_property
    def _adverb_endings(self) -> tuple[str, ...]:
        return self._endings[:1]
