"""Names of objects and places: as said in English, translated from other languages; singular forms."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from openral_core.text.noun_phrases import singulars
from openral_reasoner.likely_places.belief import thesaurus
from openral_reasoner.sentences.language import Words
from openral_reasoner.sentences.words import Phrase, fold

MAX_ADJECTIVES = 2
"""Most adjectives of a name that are translated."""


def singular(name: str) -> str:
    """Return an English name in the singular: its last word, or the one before "of"."""
    head, of, rest = name.partition(" of ")
    *before, last = head.split(" ")
    forms = singulars(last.lower())
    one = next((form for form in forms if thesaurus().knows(form)), forms[0])
    return name if one == last.lower() else " ".join((*before, one)) + of + rest


@dataclass(frozen=True)
class Lexicon:
    """English names of what a language calls objects, places and persons."""

    words: Words

    @property
    def translates(self) -> bool:
        """True if names have to be translated."""
        return bool(self.words.names)

    def name(self, tokens: Phrase) -> str | None:
        """Return the English name; None if it is not known."""
        if not self.translates:
            return self._without_relative(" ".join(tokens))
        if len(tokens) > 1 + MAX_ADJECTIVES * 2:
            return None
        for count in range(min(MAX_ADJECTIVES, len(tokens) - 1) + 1):
            for chosen in combinations(range(len(tokens)), count):
                adjectives = [self._adjective(tokens[index]) for index in chosen]
                noun = self._noun(tuple(token for i, token in enumerate(tokens) if i not in chosen))
                if noun is not None and None not in adjectives:
                    return " ".join((*filter(None, adjectives), noun))
        return None

    def person(self, tokens: Phrase) -> str | None:
        """Return the name of a person: in English any name, else a known one or a word in capitals."""
        name = self.name(tokens)
        if name is not None or len(tokens) != 1:
            return name
        is_name = (
            tokens[0][:1].isupper() and tokens[0].isalpha() and fold(tokens[0]) not in self._common_words
        )
        return tokens[0] if is_name else None

    def is_place(self, name: str) -> bool:
        """Return True if an English name is one of a place in the language's file."""
        return name in self.words.places

    def _without_relative(self, name: str) -> str:
        """Return "kid's teddy bear" as "teddy bear": whose it is tells nothing to a robot."""
        owner, possessive, rest = name.partition("'s ")
        return rest if possessive and owner.lower() in self.words.relatives else name

    def _adjective(self, token: str) -> str | None:
        return next(
            (self._stems[form] for form in self._adjective_forms(fold(token)) if form in self._stems), None
        )

    def _adjective_forms(self, word: str) -> Iterator[str]:
        yield word
        for ending in self.words.adjective_endings:
            if word.endswith(ending):
                yield word.removesuffix(ending)

    def _noun(self, tokens: Phrase) -> str | None:
        word = fold(" ".join(tokens)).replace("' ", "'")
        return next((self._names[form] for form in self._noun_forms(word) if form in self._names), None)

    def _noun_forms(self, word: str) -> Iterator[str]:
        for spelt in (word, re.sub("([aou])e", r"\1", word)):
            first, space, rest = spelt.partition(" ")
            yield spelt
            for ending in self.words.plural_endings:
                if spelt.endswith(ending):
                    yield spelt.removesuffix(ending)
                if space and first.endswith(ending):
                    yield first.removesuffix(ending) + space + rest

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return _by_form({**self.words.names, **self.words.places, **self.words.persons})

    @cached_property
    def _stems(self) -> Mapping[str, str]:
        return _by_form(self.words.adjectives)

    @cached_property
    def _common_words(self) -> frozenset[str]:
        words = self.words
        return words.not_in_names | words.verbs | words.determiners.words() | frozenset(self._names)


def _by_form(names: Mapping[str, str]) -> Mapping[str, str]:
    return {fold(form.strip()): name for name, forms in names.items() for form in forms.split(",")}
