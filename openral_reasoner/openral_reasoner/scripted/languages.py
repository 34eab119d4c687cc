"""Languages other than English, by one data file each: how to recognise them, and their names of objects."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from functools import cache, cached_property
from importlib.resources import files
from itertools import combinations

from openral_core.documents import Document, parse_document
from openral_core.parsing import parse_yaml
from openral_reasoner.placement.belief import is_household_noun
from openral_reasoner.placement.immovable import IMMOVABLE_NOUNS
from openral_reasoner.scripted.noun_phrases import MAX_WORDS
from openral_reasoner.scripted.vocabulary import WORDS

_FILES = ("german.yaml", "french.yaml", "spanish.yaml")
_NEAREST = 3
"""Examples in the question about a text that is not understood."""


class _Rule(Document):
    """Pattern of a clause and the kind of its goal; ``polite`` if it needs a "please"."""

    goal: str
    say: str
    polite: bool = False


class Language(Document):
    """One language: names, words and rules.

    Attributes:
        name: Its English name.
        words: Function words and verbs by which it is recognised.
        articles: Pattern of what a noun phrase may begin with.
        of: Pattern between a vessel and its contents.
        both: Pattern between two items of a list.
        join: Pattern between two clauses.
        order: Pattern of words that state an order.
        polite: Pattern of words with which a noun phrase alone is a request.
        plurals: Endings that a noun may have besides its listed forms.
        inflections: Endings of adjectives.
        remove: Patterns of politeness, removed wherever they stand.
        remarks: Pattern of clauses that ask for nothing.
        rewrite: Patterns and their replacements, applied in order.
        fragments: Pieces of patterns, by name; ``{name}`` stands for one in a rule.
        rules: Rules; the first whose slots all have a meaning is taken.
        numbers: Numbers in words.
        adjectives: English adjectives with their stems.
        nouns: English names with what objects are called.
        places: The same for rooms and furniture.
        relatives: The same for relatives.
        examples: Goals that are understood.
        not_understood: Question about any other text, with ``{said}`` and ``{examples}``.
    """

    name: str
    words: str
    articles: str
    of: str
    both: str
    join: str
    order: str
    polite: str
    plurals: str
    inflections: str
    remove: tuple[str, ...]
    remarks: str
    rewrite: tuple[tuple[str, str], ...]
    fragments: Mapping[str, str]
    rules: tuple[_Rule, ...]
    numbers: Mapping[str, int]
    adjectives: Mapping[str, str]
    nouns: Mapping[str, str]
    places: Mapping[str, str]
    relatives: Mapping[str, str]
    examples: tuple[str, ...]
    not_understood: str

    @cached_property
    def lexicon(self) -> Mapping[str, str]:
        """English names by what they are called."""
        return _by_form({**self.nouns, **self.places, **self.relatives})

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Numbers by their folded words."""
        return {fold(word): number for word, number in self.numbers.items()}

    @cached_property
    def described(self) -> Mapping[str, str]:
        """English adjectives by their stems."""
        return _by_form(self.adjectives)

    @cached_property
    def recognised(self) -> frozenset[str]:
        """Words by which the language is recognised."""
        known = (*self.words.split(), *self.numbers, *" ".join(self.lexicon).split())
        return frozenset(fold(word).lower() for word in known)

    @cached_property
    def patterns(self) -> tuple[tuple[_Rule, re.Pattern[str]], ...]:
        """Rules with their compiled patterns."""
        return tuple(
            (rule, re.compile(fold(rule.say.format_map(self.fragments)), re.IGNORECASE))
            for rule in self.rules
        )

    def normalised(self, text: str) -> str:
        """Fold a text, and remove politeness and punctuation that means nothing."""
        words = " ".join(fold(text).split())
        for pattern in self.remove:
            words = re.sub(rf"(?<!\w)(?:{fold(pattern)})(?!\w)", " ", words, flags=re.IGNORECASE)
        words = " ".join(re.sub(r"[\u00a1\u00bf\"]", " ", words).split())
        for pattern, replacement in self.rewrite:
            words = re.sub(fold(pattern), replacement, words, flags=re.IGNORECASE)
        return strip_edges(" ".join(words.split()))

    def question(self, said: str) -> str:
        """Return the question about a text, with the examples nearest to it."""
        return self.not_understood.format(said=repr(said), examples="; ".join(nearest(said, self.examples)))


def _by_form(names: Mapping[str, str]) -> Mapping[str, str]:
    return {fold(form.strip()).lower(): name for name, forms in names.items() for form in forms.split(",")}


_EDGES = re.compile(r"^[\s,;:.!?-]+|[\s,;:.!?-]+$")


def strip_edges(words: str) -> str:
    """Strip spaces and punctuation at both ends."""
    return _EDGES.sub("", words)


@cache
def load_languages() -> tuple[Language, ...]:
    """Load the languages of the package."""
    folder = files("openral_reasoner.scripted")
    return tuple(
        parse_document(Language, parse_yaml(folder.joinpath(name).read_text(encoding="utf-8")), name)
        for name in _FILES
    )


def nearest(said: str, examples: Iterable[str]) -> list[str]:
    """Return the examples most similar to a text."""
    like = [(SequenceMatcher(None, said.lower(), each.lower()).ratio(), each) for each in examples]
    return [each for _, each in sorted(like, key=lambda pair: -pair[0])[:_NEAREST]]


def language_named(name: str) -> Language:
    """Return the language with this English name."""
    return next(each for each in load_languages() if each.name == name)


def fold(text: str) -> str:
    """Remove accents; case stays, because a name is recognised by it."""
    plain = unicodedata.normalize("NFKD", text.replace("\u2019", "'"))
    return "".join(c for c in plain if unicodedata.category(c) != "Mn")


def spoken_language(text: str) -> Language | None:
    """Return the language of a text if it is not English: the one that knows most of its words."""
    words = re.findall(r"[^\W\d_]+", _CONTRACTION.sub("", fold(text).lower()))
    english = sum(map(_is_english, words))
    known, best = max(
        ((sum(word in each.recognised for word in words), each) for each in load_languages()),
        key=lambda pair: pair[0],
    )
    return best if known > english else None


_CONTRACTION = re.compile(r"n't\b|'(?:re|ve|ll)\b")
_ENGLISH = IMMOVABLE_NOUNS.union(*WORDS.values())


def is_known_word(word: str) -> bool:
    """Return True if a folded word belongs to any of the languages that are read."""
    return _is_english(word) or any(word in each.recognised for each in load_languages())


def _is_english(word: str) -> bool:
    return word in _ENGLISH or is_household_noun(word)


def contains(pattern: str, text: str) -> bool:
    """Return True if a pattern occurs in a text as whole words."""
    return re.search(rf"(?<!\w)(?:{fold(pattern)})(?!\w)", fold(text), re.IGNORECASE) is not None


def translate(language: Language, words: str) -> tuple[int, str | None]:
    """Translate a noun phrase into a number, 0 if none is said, and an English name, None if not known."""
    said = re.sub(f"^{fold(language.articles)}", "", words.strip(" ,").lower())
    first, _, rest = said.partition(" ")
    count = int(first) if first.isdecimal() and len(first) < 3 else language.counts.get(first, 0)
    tokens = (rest if count else said).split()[: MAX_WORDS + 1]
    for described in range(min(3, len(tokens)) if len(tokens) <= MAX_WORDS else 0):
        for chosen in combinations(range(len(tokens)), described):
            adjectives = [_adjective(language, tokens[index]) for index in chosen]
            name = _plain_noun(language, " ".join(w for i, w in enumerate(tokens) if i not in chosen))
            if name is not None and None not in adjectives:
                return count, " ".join((*filter(None, adjectives), name))
    return count, None


def _adjective(language: Language, word: str) -> str | None:
    stems = (word, re.sub(rf"(?:{language.inflections})$", "", word))
    return next((language.described[stem] for stem in stems if stem in language.described), None)


def _plain_noun(language: Language, words: str) -> str | None:
    first, space, rest = words.partition(" ")
    spelt = (words, re.sub("([aou])e", r"\1", words))
    forms = (
        *spelt,
        *(re.sub(rf"(?:{language.plurals})$", "", each) for each in spelt),
        re.sub(rf"(?:{language.plurals})$", "", first) + space + rest,
    )
    return next((language.lexicon[form] for form in forms if form in language.lexicon), None)
