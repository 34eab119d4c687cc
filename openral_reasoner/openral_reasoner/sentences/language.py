"""One language of the reader: classes of words and sentence templates, from a data file."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from importlib.resources import files

from hassil import Intents, recognize_all
from hassil.models import MatchEntity
from pydantic import BaseModel, ConfigDict

from openral_core.documents import Document, parse_document
from openral_core.parsing import parse_yaml

_PAUSE = "\u01c0"
"""Letter that stands for the pause "/" in texts and templates: hassil finds words by their letters."""
FOLDER = files(__package__).joinpath("templates")
Phrase = tuple[str, ...]
_LITERAL = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_SLOT = re.compile(r"[{<][^}>]*[}>]")


@lru_cache(maxsize=4096)
def fold(word: str) -> str:
    """Return a word in lower case without accents."""
    return unaccented(word).lower()


@lru_cache(maxsize=4096)
def unaccented(text: str) -> str:
    """Return a text without accents; its case and its words stay, because names are recognised by them."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text.replace("\u00df", "ss"))
    return "".join(c for c in plain if unicodedata.category(c) != "Mn")


class Phrases:
    """Phrases with their values, found at a position of a text by the longest match."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = {tuple(map(fold, phrase.split())): value for phrase, value in values.items()}
        self._longest = max(map(len, self._values), default=0)

    @classmethod
    def of(cls, text: str, value: str = "") -> "Phrases":
        """Make phrases of a text that separates them by commas."""
        return cls({phrase.strip(): value for phrase in text.split(",") if phrase.strip()})

    def at(self, words: Phrase, start: int) -> tuple[int, str] | None:
        """Return the length and the value of the longest phrase that begins at ``start``."""
        most = min(self._longest, len(words) - start)
        for count in range(most, 0, -1):
            value = self._values.get(tuple(map(fold, words[start : start + count])))
            if value is not None:
                return count, value
        return None

    def ending(self, words: Phrase) -> int:
        """Return the length of the longest phrase with which a text ends."""
        lengths = range(min(self._longest, len(words)), 0, -1)
        return next((n for n in lengths if tuple(map(fold, words[-n:])) in self._values), 0)

    def __contains__(self, words: Phrase) -> bool:
        return tuple(map(fold, words)) in self._values


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
        joins: Phrases between clauses.
        elided: Beginnings of words that are words of their own, as in "l'eau".
        enclitics: Endings of words that are words of their own, as in "apporte-moi".
        clitic: Ending that is a verb after a noun, and what it stands for.
        determiners: Words before a noun.
        numbers: Words for numbers.
        every: Words for all of a kind.
        separators: Phrases between the items of a list.
        pronouns: Pronouns with what each may mean: object, place, person, one.
        not_in_names: Words of closed classes that no name contains.
        verbs: Verbs; alone or before a determiner they are no name.
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
    joins: _Joins
    elided: str = ""
    enclitics: str = ""
    clitic: tuple[str, str] = ("", "")
    determiners: str
    numbers: Mapping[str, int]
    every: str
    separators: str
    pronouns: Mapping[str, str]
    not_in_names: str
    verbs: str
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


class Match(BaseModel):
    """A template that covers a clause entirely: its intent, the words of its slots, and its weight.

    The weight is the number of letters that the template itself states.
    """

    model_config = ConfigDict(frozen=True)

    intent: str
    slots: Mapping[str, str]
    weight: int


class Language:
    """Words and templates of one language."""

    def __init__(self, code: str) -> None:
        name = f"{code}.yaml"
        text = FOLDER.joinpath(name).read_text(encoding="utf-8")
        self._file = parse_document(_File, parse_yaml(text), name)
        self.code = code
        self.words = self._file.words

    @cached_property
    def _intents(self) -> Intents:
        rules = self._file.expansion_rules
        intents = {name: {"data": [{"sentences": _with_pauses(each)}]} for name, each in self._file.intents.items()}
        return Intents.from_dict(
            {
                "language": self.code,
                "intents": intents,
                "lists": _unaccented(self._file.lists),
                "expansion_rules": dict(zip(rules, _with_pauses(rules.values()), strict=True)),
            }
        )

    @cached_property
    def recognised(self) -> frozenset[str]:
        """Words by which the language is recognised: those of its templates, its classes and its names."""
        templates = (*self._file.expansion_rules.values(), *(t for each in self._file.intents.values() for t in each))
        words = self.words
        classes = (
            words.determiners, words.fillers, words.polite, words.openings, words.not_in_names, words.verbs,
            words.located, words.sources, words.every, words.separators, words.joins.added, words.joins.ordered,
            words.joins.contrast, " ".join(words.rewrite), " ".join(words.numbers), " ".join(words.pronouns),
            " ".join(words.names.values()), " ".join(words.places.values()), " ".join(words.persons.values()),
        )  # fmt: skip
        texts = (_SLOT.sub(" ", template) for template in templates)
        listed = str(self._file.lists)
        return frozenset(word for text in (*texts, *classes, listed) for word in _LITERAL.findall(fold(text)))

    def matches(self, clause: str) -> tuple[Match, ...]:
        """Return every way in which a template covers a clause."""
        return tuple(self._matches(clause))

    def _matches(self, clause: str) -> Iterator[Match]:
        seen = set()
        spelt = {unaccented(word): word for word in clause.split()}
        clause = unaccented(clause).replace("/", _PAUSE)
        for result in recognize_all(clause, self._intents):
            slots = {each.name: _slot_text(each, spelt) for each in result.entities_list}
            if not _takes_whole_words(result.entities_list, clause):
                continue
            key = (result.intent.name, tuple(sorted(slots.items())))
            if key not in seen:
                seen.add(key)
                free = sum(len(each.text) for each in result.entities_list if each.is_wildcard)
                yield Match(intent=result.intent.name, slots=slots, weight=len(clause) - free)


def _with_pauses(templates: Iterable[str]) -> list[str]:
    return [unaccented(template).replace("/", _PAUSE) for template in templates]


def _slot_text(entity: MatchEntity, spelt: Mapping[str, str]) -> str:
    if not entity.is_wildcard:
        return str(entity.value)
    return " ".join(spelt.get(word, word) for word in entity.text.replace(_PAUSE, "/").split())


def _unaccented(lists: object) -> object:
    """Return slot lists whose texts have no accents."""
    if isinstance(lists, dict):
        return {key: _unaccented(value) for key, value in lists.items()}
    if isinstance(lists, list):
        return [_unaccented(value) for value in lists]
    return unaccented(lists) if isinstance(lists, str) else lists


def _takes_whole_words(entities: Iterable[MatchEntity], clause: str) -> bool:
    """Return True if no slot begins or ends inside a word."""
    spans = [each.text_span for each in entities if each.text_span is not None]
    cuts = {index for span in spans for index in span if 0 < index < len(clause)}
    return all(clause[index - 1].isspace() or clause[index].isspace() for index in cuts)


def word_set(text: str) -> frozenset[str]:
    """Return the words of a class."""
    return frozenset(fold(text).split())


@cache
def load_language(code: str) -> Language:
    """Load a language once."""
    return Language(code)


def phrase_list(phrases: Iterable[str]) -> Phrases:
    """Make phrases without values."""
    return Phrases(dict.fromkeys(phrases, ""))
