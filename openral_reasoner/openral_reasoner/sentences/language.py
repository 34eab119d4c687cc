"""One language of the reader: classes of words and sentence templates, from a data file."""

import re
from collections.abc import Mapping
from functools import cache, cached_property
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from openral_core.documents import Document, parse_document
from openral_core.parsing import parse_yaml
from openral_reasoner.sentences.templates import Templates
from openral_reasoner.sentences.words import fold

FOLDER = files(__package__).joinpath("templates")
_LITERAL = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_SLOT = re.compile(r"[{<][^}>]*[}>]")


class _Joins(Document):
    """Phrases between clauses, by what they say about the clause after them."""

    added: str
    ordered: str
    contrast: str
    reason: str


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
        joins: Phrases between clauses.
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
        kin: Names of relatives.
        people: Nouns of persons.
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

    name: str
    rewrite: Mapping[str, str] = {}
    titles: str = ""
    headings: str = ""
    signing: str = ""
    fillers: str = ""
    polite: str = ""
    openings: str = ""
    closings: str = ""
    for_speaker: str = ""
    starts: str = ""
    ordering: str = ""
    joins: _Joins
    elided: str = ""
    enclitics: str = ""
    clitic: tuple[str, str] = ("", "")
    determiners: str
    numbers: Mapping[str, int]
    one: str = "\0"
    every: str
    partial: str = ""
    separators: str
    pronouns: Mapping[str, str]
    not_in_names: str
    verbs: str
    request_verbs: str = ""
    nouns_too: str = ""
    last_words: str = ""
    endings: str = ""
    concrete: str = ""
    intangible: str = ""
    elsewhere: str = ""
    located: str
    sources: str
    both: str = ""
    relations: Mapping[str, str]
    sides: str
    relative: str = ""
    with_parts: str = ""
    of: str = ""
    between: str = ""
    attributes: str = ""
    pairs: str = ""
    relatives: str = ""
    kin: str = ""
    people: str = ""
    participles: str = ""
    names: Mapping[str, str] = {}
    places: Mapping[str, str] = {}
    persons: Mapping[str, str] = {}
    adjectives: Mapping[str, str] = {}
    plural_endings: str = ""
    adjective_endings: str = ""
    not_remarks: str = ""
    forms: Mapping[str, str] = {}
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
        classes = (
            words.determiners, words.fillers, words.polite, words.openings, words.not_in_names, words.verbs,
            words.located, words.sources, words.every, words.separators, words.joins.added,
            words.joins.ordered, words.joins.contrast, " ".join(words.rewrite), " ".join(words.numbers),
            " ".join(words.pronouns),
            " ".join(words.names.values()), " ".join(words.places.values()), " ".join(words.persons.values()),
        )  # fmt: skip
        texts = (_SLOT.sub(" ", template) for template in self.templates.texts)
        listed = str(self._file.lists)
        return frozenset(word for text in (*texts, *classes, listed) for word in _LITERAL.findall(fold(text)))


@cache
def load_language(code: str) -> Language:
    """Load a language once."""
    return Language(code)
