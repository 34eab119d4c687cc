"""Noun phrases: name, quantity and stated place of what a slot names; None for words that are no name."""

import re
from dataclasses import dataclass, replace
from functools import cached_property

from openral_reasoner.likely_places.belief import is_household_noun, thesaurus
from openral_reasoner.sentences.kinds import is_person, kinds
from openral_reasoner.sentences.lexicon import Lexicon, singular
from openral_reasoner.sentences.noun_lists import NounLists
from openral_reasoner.sentences.words import Phrase, fold

MAX_WORDS = 8
"""Longest name of an object or a place [words]."""
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W_]+)*'?")
_ID = re.compile(r"[a-z]+(?:_[a-z0-9]+)+")
_PARTICLES = ("-down", "-off", "-out", "-over", "-up")
"""Endings of nouns made of verbs: they name an act."""
_COPY = re.compile(r"[0-9]{1,2}")
"""Number that tells furniture or dishes of one kind apart: "shelf 2"."""


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Name that a slot has, and its number and place."""

    # Words of the name without determiners, with relations that tell it from others of its kind.
    name: str = ""
    head: str = ""  # The name without relations, parts and contents.
    count: int = 1  # Number of objects; `EVERY` for all.
    where: str = ""  # Stated place.
    pronoun: str = ""  # Pronoun instead of a name.
    determined: bool = False  # It has a determiner or a number.
    partial: bool = False  # Its determiner means some of them.
    inside: bool = False  # It is said to be at that place, not to be taken from there.
    vessel: str = ""  # The vessel, if the name is one with its contents.
    contents: str = ""

    @property
    def name_with_place(self) -> str:
        """The name and, if it is stated, the place."""
        return f"{self.name} in {self.where}" if self.where else self.name


@dataclass(frozen=True)
class NounReader(NounLists):
    """Reader of the noun phrases of one language."""

    @cached_property
    def lexicon(self) -> Lexicon:
        """English names of what the language names."""
        return Lexicon(self.words)

    @cached_property
    def _verbs(self) -> frozenset[str]:
        return self.words.verbs - self.words.nouns_too

    @cached_property
    def _ends_description(self) -> frozenset[str]:
        phrases = (self.words.separators, self.words.sources, self.words.located)
        return frozenset(word for each in phrases for word in each.words() if (word,) in each)

    def objects(self, text: str) -> tuple[NounPhrase, ...] | None:
        """Read a list of objects; None if one of them is none."""
        phrases = self.list_of(text)
        return phrases if phrases and all(map(self.is_movable, phrases)) else None

    def list_of(self, text: str, *, pauses: bool = True) -> tuple[NounPhrase, ...] | None:
        """Read a list of anything that can be named; None if an item is no name.

        Without ``pauses``, a list needs a conjunction: "the bookshelf, uppermost shelf" says one place twice.
        """
        tokens = tuple(text.split())
        both = self.words.both.at(tokens, 0)
        items = self._items(tokens[both[0] :] if both else tokens)
        if both and len(items) != 2:
            items = self._items(tokens)
        joined = any(self.words.separators.at(tokens, start) for start in range(len(tokens)))
        if len(items) > 1 and not joined and not pauses:
            return None
        read = [self.phrase(" ".join(item)) for item in items]
        named = tuple(each for each in read if each is not None)
        if len(items) > 1 and any(
            not each.determined and kinds().is_run_together(each.name) for each in named
        ):
            return None
        return _with_shared_place(named) if read and len(named) == len(read) else None

    def phrase(self, text: str) -> NounPhrase | None:
        """Read one object, person or place with what tells it from others."""
        tokens = tuple(thesaurus().as_owned(text).split())
        if tokens and " ".join(tokens).lower() in self.words.pronouns:
            return NounPhrase(pronoun=self.words.pronouns[" ".join(tokens).lower()])
        counted = self._counted(tokens)
        if counted is None:
            return None
        served = self._served(counted[1], counted[0]) if self.lexicon.translates else None
        if served is not None:
            return replace(served, determined=len(counted[1]) < len(tokens))
        core, tail = self._split(counted[1])
        phrase = self._named(core, counted[0])
        if phrase is None:
            return None
        determiners = tokens[: len(tokens) - len(counted[1])]
        if self.words.one in determiners and phrase.name == phrase.head:  # "one of the mugs"
            phrase = replace(phrase, name=singular(phrase.name), head=singular(phrase.head))
        partial = self.words.partial.at(determiners, 0) is not None
        phrase = replace(phrase, determined=bool(determiners), partial=partial)
        return self._with_tail(phrase, core, tail) if tail else phrase

    def object(self, text: str) -> NounPhrase | None:
        """Read one object; None if the text lists several."""
        phrases = self.objects(text)
        return phrases[0] if phrases is not None and len(phrases) == 1 else None

    def is_movable(self, phrase: NounPhrase) -> bool:
        """Return True if a phrase names what a robot carries."""
        if phrase.pronoun:
            return True
        person = not phrase.determined and is_person(phrase.name) and not is_household_noun(phrase.name)
        return self.is_tangible(phrase) and not person and kinds().is_movable(phrase.head or phrase.name)

    def is_tangible(self, phrase: NounPhrase) -> bool:
        """Return True if a phrase names what can be seen."""
        if phrase.pronoun:
            return True
        head = (phrase.head or phrase.name).lower().split()[-1]
        return head not in self.words.intangible and singular(head) not in self.words.intangible

    def is_preposition(self, tokens: Phrase, start: int) -> bool:
        """Return True if a preposition of several words begins here: "next to"."""
        relation = self.words.relations.at(tokens, start)
        return relation is not None and relation[0] > 1

    def is_place(self, phrase: NounPhrase) -> bool:
        """Return True if a phrase may name a place at home."""
        return (phrase.head or phrase.name).lower().split()[-1] not in self.words.elsewhere

    def is_known(self, phrase: NounPhrase) -> bool:
        """Return True if a name is one of the household and no verb."""
        return bool(phrase.name) and is_household_noun(phrase.name) and not self.is_verb(phrase.name)

    def is_verb(self, name: str) -> bool:
        """Return True if a name begins with a verb that is no noun."""
        return name.lower().split()[0] in self._verbs

    def person(self, text: str) -> str:
        """Return the words for one person, described or named; "" if they are none."""
        tokens = tuple(text.split())
        counted = self._counted(tokens)
        if counted is None or counted[0] != 1 or not counted[1]:
            return ""
        words = counted[1]
        start = next(
            (i for i, word in enumerate(words) if i and fold(word) in self.words.participles), len(words)
        )
        core, described = words[:start], words[start:]
        if not self._is_name(
            tuple(word for word in core if word.lower() not in self.words.participles) or core
        ):
            return ""
        bare = len(words) == len(tokens)  # a name has no article: "dem Kind" is none
        name = self.lexicon.person(core) if bare else self.lexicon.name(core)
        plain = all(
            _WORD.fullmatch(word) and word.lower() not in self._ends_description for word in described
        )
        if name is None or not is_person(name) or len(described) > MAX_WORDS or not plain or _runs_on(name):
            return ""
        return " ".join((name, *described))

    def place(self, text: str) -> str | None:
        """Read a place at home, or a person; "" for no words."""
        if not text:
            return ""
        person = self.person(text) or self._person_at(tuple(text.split()))
        if person:
            return person
        phrase = self.phrase(text)
        if phrase is None or phrase.pronoun or phrase.count != 1 or _runs_on(phrase.name):
            return None
        head = phrase.head.lower().split()[-1]
        if phrase.where and not phrase.name.endswith(phrase.where):
            inside = self._from_locative(tuple(text.split()))
            if not inside:
                return None
            phrase = replace(phrase, name=f"{phrase.name} {inside}")
        return None if head in self.words.elsewhere else phrase.name

    def _person_at(self, tokens: Phrase) -> str:
        """Return the words for a person and where they are, "" if they are none."""
        for start in range(len(tokens) - 2, 0, -1):
            preposition = self.words.located.at(tokens, start)
            if preposition is None:
                continue
            person, where = (
                self.person(" ".join(tokens[:start])),
                self.place(" ".join(tokens[start + preposition[0] :])),
            )
            if person and where:
                return f"{person} {' '.join(tokens[start : start + preposition[0]])} {where}"
        return ""

    def _from_locative(self, tokens: Phrase) -> str:
        """Return a text from its first preposition of a place on, "" if it has none."""
        starts = (start for start in range(len(tokens)) if self.words.located.at(tokens, start))
        start = next(starts, len(tokens))
        return " ".join(tokens[start:])

    def _split(self, tokens: Phrase) -> tuple[Phrase, Phrase]:
        """Split a phrase before the first preposition or participle that tells where or which it is."""
        ends = range(len(tokens), 0, -1) if self.lexicon.translates else ()
        for start in ends:
            if self.lexicon.name(tokens[:start]) is not None:
                return tokens[:start], tokens[start:]
        words = self.words
        places = (words.relations, words.located, words.sources)
        tails = (*places, words.sides, words.relative, words.with_parts, words.of)
        for start in range(1, len(tokens)):
            if any(each.at(tokens, start) for each in tails):
                return tokens[:start], tokens[start:]
        return tokens, ()

    def _named(self, core: Phrase, count: int) -> NounPhrase | None:
        if not self._is_name(core):
            return None
        name = self.lexicon.name(core)
        if name is None:
            return None
        name = singular(name) if count != 1 else name
        return NounPhrase(name, name, count)

    def _served(self, core: Phrase, count: int) -> NounPhrase | None:
        """Read a vessel with its contents behind it: "Glas Wasser"."""
        for cut in range(1, len(core)):
            of = self.words.of.at(core, cut) or self.words.with_parts.at(core, cut)
            inside = self._counted(core[cut + of[0] if of else cut :])
            vessel = self.lexicon.name(core[:cut])
            contents = self.lexicon.name(inside[1]) if inside is not None else None
            if vessel and contents and kinds().serves(vessel, contents):
                name = f"{vessel} of {contents}"
                return NounPhrase(name, vessel, count, vessel=vessel, contents=contents)
        return None

    def _with_tail(self, phrase: NounPhrase, core: Phrase, tail: Phrase) -> NounPhrase | None:
        """Add what follows a name: its whole or contents, its side, the object beside it, or its place."""
        start = 0
        while (relative := self.words.relative.at(tail, start)) is not None:
            start += relative[0]
        rest = tail[start:]
        side = self.words.sides.at(rest, 0)
        if side is not None:
            after = replace(phrase, name=f"{phrase.name} {' '.join(rest[: side[0]])}")
            return self._with_tail(after, core, rest[side[0] :]) if rest[side[0] :] else after
        of, part = self.words.of.at(tail, 0), self.words.with_parts.at(tail, 0)
        if of is not None:
            return self._with_whole(phrase, core, tail, of[0])
        located = self._located_at(phrase, rest) if rest else None
        return located if located is not None or part is None else self._with_part(phrase, tail, part[0])

    def _located_at(self, phrase: NounPhrase, tail: Phrase) -> NounPhrase | None:
        """Add the object beside it, or its place."""
        relation = self.words.relations.at(tail, 0)
        if relation is not None:
            anchor = self._anchor(tail[relation[0] :])
            return replace(phrase, name=f"{phrase.name} {relation[1]} {anchor}") if anchor else None
        inside = self.words.located.at(tail, 0)
        located = inside or self.words.sources.at(tail, 0)
        if located is None:
            return None
        return self._at_place(phrase, tail[located[0] :], inside=inside is not None)

    def _at_place(self, phrase: NounPhrase, tokens: Phrase, *, inside: bool) -> NounPhrase | None:
        where = self.place(" ".join(tokens))
        return replace(phrase, where=where, inside=inside) if where and not is_person(where) else None

    def _with_whole(self, phrase: NounPhrase, core: Phrase, tail: Phrase, length: int) -> NounPhrase | None:
        whole, rest = self._split(tail[length:])
        counted = self._counted(whole)
        name = self.lexicon.name(counted[1]) if counted and self._is_name(counted[1]) else None
        if name is not None and self.lexicon.translates and not kinds().serves(phrase.name, name):
            name = None
        if name is None and self.words.sources.at(tail, 0):
            return self._at_place(phrase, tail[length:], inside=False)
        if name is None or name.split()[-1].lower() in self.words.intangible:
            return None
        after = replace(phrase, name=f"{phrase.name} {' '.join((*tail[:length], *whole))}")
        if self.lexicon.translates:
            after = replace(phrase, name=f"{phrase.name} of {name}")
        if kinds().serves(phrase.name, name):
            after = replace(after, vessel=phrase.name, contents=name)
        return self._with_tail(after, core, rest) if rest else after

    def _with_part(self, phrase: NounPhrase, tail: Phrase, length: int) -> NounPhrase | None:
        part = self.phrase(" ".join(tail[length:]))
        if part is None or part.pronoun or part.where:
            return None
        if kinds().has("vessels", phrase.name) and kinds().is_served(part.name):
            return replace(phrase, vessel=phrase.name, contents=part.name)
        return None

    def _anchor(self, tokens: Phrase) -> str:
        """Return the words of one or two noun phrases, "" if they are none."""
        items = self._items(tokens)
        read = [self.phrase(" ".join(item)) for item in items]
        single = all(each is not None and each.name and each.count == 1 for each in read)
        return " ".join(tokens) if single and 0 < len(items) <= 2 else ""

    def _is_name(self, tokens: Phrase) -> bool:
        """Return True if words can name one thing: anything that looks like a part of a sentence is none."""
        if self.lexicon.translates and self.lexicon.name(tokens) is not None:
            return True
        words = [fold(token) for token in tokens if not self._joins_attributes(tokens, token)]
        if len(words) > 1 and _COPY.fullmatch(words[-1]):
            words = words[:-1]
        if not 0 < len(words) <= MAX_WORDS or not all(map(_is_word, words)):
            return False
        if len(words[-1]) < 2 or any(
            word in self.words.not_in_names or self._is_adverb(word) for word in words[:-1]
        ):
            return False
        if words[-1] in self.words.not_in_names - self.words.concrete or self._ends_no_name(words[-1]):
            return False
        verb = len(words) == 1 and words[0] in self._verbs
        return not verb and not any((word,) in self.words.determiners for word in words)

    def _joins_attributes(self, tokens: Phrase, token: str) -> bool:
        """Return True for the conjunction in "yellow and white mug"."""
        index = tokens.index(token)
        inner = (token,) in self.words.separators and 0 < index < len(tokens) - 2
        return inner and (
            {tokens[index - 1].lower(), tokens[index + 1].lower()} <= self.words.attributes
            or (tokens[index - 1], tokens[index + 1]) in self.words.pairs
        )

    def _is_adverb(self, word: str) -> bool:
        return word.endswith(self.words.endings[:1]) and word not in self.words.concrete

    def _ends_no_name(self, word: str) -> bool:
        ending = word.endswith(self.words.endings) and word not in self.words.concrete
        numeral = word in self.words.numbers or word.isdigit()
        verbal = word.endswith(_PARTICLES) and word.partition("-")[0] in self._verbs  # "a quick wipe-down"
        return ending or verbal or numeral or word in self.words.last_words or word.endswith("'s")


def _is_word(token: str) -> bool:
    if _ID.fullmatch(token):
        return True
    return _WORD.fullmatch(token) is not None and token.replace("'", "").replace("-", "").isalpha()


def _runs_on(name: str) -> bool:
    """Return True for a name of a person with a word after it: "Anna blade"."""
    first, _, rest = name.partition(" ")
    named = (
        first[:1].isupper()
        and first[1:].islower()
        and first.isalpha()
        and not thesaurus().knows(first.lower())
    )
    return named and rest[:1].islower()


def _with_shared_place(phrases: tuple[NounPhrase, ...]) -> tuple[NounPhrase, ...] | None:
    """Give the place stated after the last item to every item: "the mug and the cup from the shelf".

    A place after another item may begin what is another clause: "the mug on the table and the book".
    """
    if any(each.where for each in phrases[:-1]):
        return None
    return tuple(replace(each, where=phrases[-1].where) for each in phrases)
