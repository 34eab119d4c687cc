"""One language of the reader: classes of words and sentence templates, from a data file."""

import re
from collections.abc import Mapping
from functools import cache, cached_property
from importlib.resources import files
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from openral_core.documents import Document, parse_document
from openral_core.parsing import parse_yaml
from openral_reasoner.sentences.templates import Templates
from openral_reasoner.sentences.words import Phrases, fold, word_set

FOLDER = files(__package__).joinpath("templates")
_LITERAL = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_SLOT = re.compile(r"[{<][^}>]*[}>]")


PhraseList = Annotated[Phrases, BeforeValidator(Phrases.of)]
PhraseValues = Annotated[Phrases, BeforeValidator(Phrases)]
PhraseKinds = Annotated[Phrases, BeforeValidator(Phrases.by_value)]
WordSet = Annotated[frozenset[str], BeforeValidator(word_set)]
WordTuple = Annotated[tuple[str, ...], BeforeValidator(lambda text: tuple(text.split()))]
_NO_PHRASES, _NO_WORDS = Phrases({}), frozenset[str]()


class Words(Document):
    """Classes of words of a language; commas separate phrases, spaces words.

    Attributes:
        name: English name of the language.
        rewrite: Phrases with what they stand for: contractions, spelling, spoken punctuation.
        titles: Words before a name that take a full stop.
        headings: Words that stand before a colon and are no part of the request.
        signing: Phrases after which a name at the end is a signature.
        fillers: Phrases removed wherever they stand.
        polite: The same; a noun phrase alone is then a request.
        openings: Phrases removed at the beginning of a clause.
        closings: Phrases removed at the end of a clause.
        for_speaker: Closings that say for whom something is taken.
        starts: Phrases with which a clause begins, whatever stands before them.
        ordering: Openings that state an order.
        joins: Phrases between clauses, by what they say about the clause after them: added, ordered,
            contrast or reason.
        elided: Beginnings of words that are words of their own, as in "l'eau".
        enclitics: Endings of words that are words of their own, as in "apporte-moi".
        clitic: Ending that is a verb after a noun, and what it stands for.
        determiners: Words before a noun.
        numbers: Words for numbers.
        one: Word that stands for a kind named before: "the blue one".
        every: Words for all of a kind.
        partial: Determiners that mean some of a kind.
        separators: Phrases between the items of a list.
        pronouns: Pronouns with what each may mean: object, place, person, one.
        not_in_names: Words of closed classes that no name contains.
        verbs: Verbs; alone or before a determiner they are no name.
        request_verbs: Verbs with which a request may begin.
        nouns_too: Verbs that often are nouns.
        last_words: Words that end no name.
        endings: Endings of words that are no nouns.
        concrete: Nouns with such an ending.
        intangible: Nouns of what cannot be fetched, seen or opened.
        elsewhere: Nouns of places outside a home and of no place.
        located: Prepositions before the place where something is.
        sources: Prepositions before the place that something is taken from.
        both: Words before a list of two.
        relations: Prepositions before an object beside which something is, with their meaning.
        sides: Phrases that tell an object from others of its kind by its side.
        relative: Phrases between a noun and where it is.
        with_parts: Prepositions before a part or an attribute of an object.
        of: Prepositions between a part and its whole, or a vessel and its contents.
        between: Prepositions that two nouns follow.
        attributes: Adjectives that two of, joined, describe one object.
        pairs: Two nouns joined in the name of one object.
        relatives: Nouns of relatives, whose things are named without them.
        participles: Participles that describe a person.
        names: English names with what objects are called; none where names are English.
        places: The same for rooms and furniture.
        persons: The same for persons.
        adjectives: English adjectives with their stems.
        plural_endings: Endings of plurals.
        adjective_endings: Endings of adjectives.
        not_remarks: Words that no free remark contains.
        forms: Verbs with their other forms: "bring" with "bringing brought".
        examples: Requests that are understood.
        not_understood: Question about any other text, with ``{said}`` and ``{examples}``.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str
    rewrite: PhraseValues = _NO_PHRASES
    titles: WordTuple = ()
    headings: WordTuple = ()
    signing: PhraseList = _NO_PHRASES
    fillers: PhraseList = _NO_PHRASES
    polite: PhraseList = _NO_PHRASES
    openings: PhraseList = _NO_PHRASES
    closings: PhraseList = _NO_PHRASES
    for_speaker: PhraseList = _NO_PHRASES
    starts: PhraseList = _NO_PHRASES
    ordering: PhraseList = _NO_PHRASES
    joins: PhraseKinds
    elided: WordTuple = ()
    enclitics: WordTuple = ()
    clitic: tuple[str, str] = ("", "")
    determiners: PhraseList
    numbers: Mapping[str, int]
    one: str = "\0"
    every: PhraseList
    partial: PhraseList = _NO_PHRASES
    separators: PhraseList
    pronouns: Mapping[str, str]
    not_in_names: WordSet
    verbs: WordSet
    request_verbs: WordSet = _NO_WORDS
    nouns_too: WordSet = _NO_WORDS
    last_words: WordSet = _NO_WORDS
    endings: WordTuple = ()
    concrete: WordSet = _NO_WORDS
    intangible: WordSet = _NO_WORDS
    elsewhere: WordSet = _NO_WORDS
    located: PhraseList
    sources: PhraseList
    both: PhraseList = _NO_PHRASES
    relations: PhraseValues
    sides: PhraseList
    relative: PhraseList = _NO_PHRASES
    with_parts: PhraseList = _NO_PHRASES
    of: PhraseList = _NO_PHRASES
    between: PhraseList = _NO_PHRASES
    attributes: WordSet = _NO_WORDS
    pairs: PhraseList = _NO_PHRASES
    relatives: WordSet = _NO_WORDS
    participles: WordSet = _NO_WORDS
    names: Mapping[str, str] = {}
    places: Mapping[str, str] = {}
    persons: Mapping[str, str] = {}
    adjectives: Mapping[str, str] = {}
    plural_endings: WordTuple = ()
    adjective_endings: WordTuple = ()
    not_remarks: WordSet = _NO_WORDS
    forms: Mapping[str, WordTuple] = {}
    examples: tuple[str, ...] = ()
    not_understood: str = ""


class _File(BaseModel):
    """Data file of a language: words, and templates in the format of hassil."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: Words
    lists: dict[str, object]
    expansion_rules: dict[str, str]
    intents: dict[str, tuple[str, ...]]


class Language:
    """Words and templates of one language."""

    def __init__(self, code: str) -> None:
        name = f"{code}.yaml"
        text = FOLDER.joinpath(name).read_text(encoding="utf-8")
        self._file = parse_document(_File, parse_yaml(text), name)
        self.code = code
        self.words = self._file.words
        self.templates = Templates(self._file.intents, self._file.expansion_rules, self._file.lists)

    @cached_property
    def recognised(self) -> frozenset[str]:
        """Words by which the language is recognised: those of its templates, its classes and its names."""
        words = self.words
        phrases = (
            words.determiners, words.fillers, words.polite, words.openings, words.located, words.sources,
            words.every, words.separators, words.rewrite,
        )  # fmt: skip
        names = (words.names, words.places, words.persons)
        texts = (
            *(_SLOT.sub(" ", template) for template in self.templates.texts),
            str(self._file.lists),
            *(name for by_name in names for name in by_name.values()),
            *(word for each in phrases for word in each.words()),
            *words.joins.words(without="reason"),  # French "car" is an English noun
            *words.not_in_names, *words.verbs, *words.numbers, *words.pronouns,
        )  # fmt: skip
        return frozenset(word for text in texts for word in _LITERAL.findall(fold(text)))


@cache
def load_language(code: str) -> Language:
    """Load a language once."""
    return Language(code)
