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
    """Classes of words of a language; commas separate phrases, spaces words."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str  # English name of the language.
    # Phrases with what they stand for: contractions, spelling, spoken punctuation.
    rewrite: PhraseValues = _NO_PHRASES
    titles: WordTuple = ()  # Words before a name that take a full stop.
    headings: WordTuple = ()  # Words that stand before a colon and are no part of the request.
    signing: PhraseList = _NO_PHRASES  # Phrases after which a name at the end is a signature.
    fillers: PhraseList = _NO_PHRASES  # Phrases removed wherever they stand.
    polite: PhraseList = _NO_PHRASES  # The same; a noun phrase alone is then a request.
    openings: PhraseList = _NO_PHRASES  # Phrases removed at the beginning of a clause.
    closings: PhraseList = _NO_PHRASES  # Phrases removed at the end of a clause.
    for_speaker: PhraseList = _NO_PHRASES  # Closings that say for whom something is taken.
    starts: PhraseList = _NO_PHRASES  # Phrases with which a clause begins, whatever stands before them.
    ordering: PhraseList = _NO_PHRASES  # Openings that state an order.
    # Phrases between clauses, by what they say about the clause after them: added, ordered, contrast or
    # reason.
    joins: PhraseKinds
    elided: WordTuple = ()  # Beginnings of words that are words of their own, as in "l'eau".
    enclitics: WordTuple = ()  # Endings of words that are words of their own, as in "apporte-moi".
    clitic: tuple[str, str] = ("", "")  # Ending that is a verb after a noun, and what it stands for.
    determiners: PhraseList  # Words before a noun.
    numbers: Mapping[str, int]  # Words for numbers.
    one: str = "\0"  # Word that stands for a kind named before: "the blue one".
    every: PhraseList  # Words for all of a kind.
    partial: PhraseList = _NO_PHRASES  # Determiners that mean some of a kind.
    separators: PhraseList  # Phrases between the items of a list.
    pronouns: Mapping[str, str]  # Pronouns with what each may mean: object, place, person, one.
    not_in_names: WordSet  # Words of closed classes that no name contains.
    verbs: WordSet  # Verbs; alone or before a determiner they are no name.
    request_verbs: WordSet = _NO_WORDS  # Verbs with which a request may begin.
    nouns_too: WordSet = _NO_WORDS  # Verbs that often are nouns.
    last_words: WordSet = _NO_WORDS  # Words that end no name.
    endings: WordTuple = ()  # Endings of words that are no nouns.
    concrete: WordSet = _NO_WORDS  # Nouns with such an ending.
    intangible: WordSet = _NO_WORDS  # Nouns of what cannot be fetched, seen or opened.
    elsewhere: WordSet = _NO_WORDS  # Nouns of places outside a home and of no place.
    located: PhraseList  # Prepositions before the place where something is.
    sources: PhraseList  # Prepositions before the place that something is taken from.
    both: PhraseList = _NO_PHRASES  # Words before a list of two.
    relations: PhraseValues  # Prepositions before an object beside which something is, with their meaning.
    sides: PhraseList  # Phrases that tell an object from others of its kind by its side.
    relative: PhraseList = _NO_PHRASES  # Phrases between a noun and where it is.
    with_parts: PhraseList = _NO_PHRASES  # Prepositions before a part or an attribute of an object.
    of: PhraseList = _NO_PHRASES  # Prepositions between a part and its whole, or a vessel and its contents.
    between: PhraseList = _NO_PHRASES  # Prepositions that two nouns follow.
    attributes: WordSet = _NO_WORDS  # Adjectives that two of, joined, describe one object.
    pairs: PhraseList = _NO_PHRASES  # Two nouns joined in the name of one object.
    relatives: WordSet = _NO_WORDS  # Nouns of relatives, whose things are named without them.
    participles: WordSet = _NO_WORDS  # Participles that describe a person.
    names: Mapping[str, str] = {}  # English names with what objects are called; none where names are English.
    places: Mapping[str, str] = {}  # The same for rooms and furniture.
    persons: Mapping[str, str] = {}  # The same for persons.
    adjectives: Mapping[str, str] = {}  # English adjectives with their stems.
    plural_endings: WordTuple = ()  # Endings of plurals.
    adjective_endings: WordTuple = ()  # Endings of adjectives.
    not_remarks: WordSet = _NO_WORDS  # Words that no free remark contains.
    forms: Mapping[str, WordTuple] = {}  # Verbs with their other forms: "bring" with "bringing brought".
    examples: tuple[str, ...] = ()  # Requests that are understood.
    not_understood: str = ""  # Question about any other text, with ``{said}`` and ``{examples}``.


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
