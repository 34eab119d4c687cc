"""Normalisation: a text as people type, dictate and chat it, as words and pauses."""

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from openral_reasoner.likely_places.belief import thesaurus
from openral_reasoner.sentences.language import Words
from openral_reasoner.sentences.words import PAUSE, Phrase

SENTENCE_END = "//"
"""Token for a pause that ends a sentence."""
_ENDS, _PAUSES = frozenset(".!?;"), frozenset(",:()")
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)+|\w+(?:['-]\w+)*'?|\S")
_DASH = re.compile(r"(?<=\s)-+(?=\s)|[\u2013\u2014\u2026]|\.{2,}")
_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")
MAX_STRETCH = 10
"""Most letters of a stretched sound: "pleeease"."""
_SMILEY = re.compile(r"(?<!\S)[:;=]-?[()DPp|/](?!\S)")
_QUOTES = str.maketrans(
    dict.fromkeys("\u2019\u2018\u02bc\u00b4`", "'") | dict.fromkeys("\u201c\u201d\u201e", '"')
)
_UNSEEN = frozenset({"So", "Sk", "Cf", "Cn", "Co", "Cs", "Mn"})
"""Unicode categories of emoji and of characters that are not seen."""
_LIST_MARK = re.compile(r"^\s*(?:[-*\u2022>]+|\d{1,2}[.)])\s+")


@dataclass(frozen=True)
class Normaliser:
    """Normaliser of one language."""

    words: Words

    def tokens(self, text: str) -> Phrase:
        """Return the words and pauses of a text."""
        plain = _without_symbols(html.unescape(text).translate(_QUOTES))
        plain = _STRETCHED.sub(_shortened, plain)
        plain = _DASH.sub(" , ", _SMILEY.sub(" ", _LIST_MARK.sub("", plain)))
        raw = [part for token in _TOKEN.findall(_unquoted(plain.strip())) for part in self._parts(token)]
        if len(raw) > 2 and all(token.isupper() for token in raw if token.isalpha()):
            raw = [token.lower() for token in raw]
        raw = [_uncapitalised(token, before) for before, token in pairwise((".", *raw))]
        return self._unsigned(self._without_heading(_without_repeats(tuple(self._replaced(tuple(raw))))))

    def is_polite(self, tokens: Phrase) -> bool:
        """Return True if the speaker said "please" or thanked."""
        return any(self.words.polite.at(tokens, start) for start in range(len(tokens)))

    def without_fillers(self, tokens: Phrase) -> Phrase:
        """Remove the phrases that mean nothing wherever they stand."""
        words: list[str] = []
        start = 0
        while start < len(tokens):
            fillers = (self.words.fillers.at(tokens, start), self.words.polite.at(tokens, start))
            length = max((filler[0] for filler in fillers if filler), default=0)
            if not length:
                words.append(tokens[start])
            start += length or 1
        return _without_repeats(tuple(words))

    def with_verbs(self, tokens: Phrase) -> Phrase:
        """Separate the ending that may be a verb: "the fridge's open" is "the fridge is open"."""
        ending, verb = self.words.clitic
        split = [
            (token[: -len(ending)], verb) if ending and token.endswith(ending) else (token,)
            for token in tokens
        ]
        return tuple(word for words in split for word in words)

    def _parts(self, token: str) -> list[str]:
        """Split what is written as one word: "l'eau", "apporte-moi"."""
        for beginning in self.words.elided:
            if token.lower().startswith(beginning) and len(token) > len(beginning):
                return [token[: len(beginning)], *self._parts(token[len(beginning) :])]
        for ending in self.words.enclitics:
            if token.lower().endswith(ending) and len(token) > len(ending):
                return [*self._parts(token[: -len(ending)]), ending.lstrip("-")]
        return [token]

    def _replaced(self, tokens: Phrase) -> Iterator[str]:
        start = 0
        while start < len(tokens):
            rewrite = self.words.rewrite.at(tokens, start)
            words = rewrite[1].split() if rewrite else [tokens[start]]
            for word in words:
                yield _mark(word, tokens[start - 1].lower() if start else "", self.words.titles)
            start += rewrite[0] if rewrite else 1

    def _without_heading(self, tokens: Phrase) -> Phrase:
        heading = len(tokens) > 2 and tokens[1] == PAUSE and tokens[0].lower() in self.words.headings
        return tokens[2:] if heading else tokens

    def _unsigned(self, tokens: Phrase) -> Phrase:
        """Drop the name after the thanks with which a message ends."""
        signed = len(tokens) > 3 and tokens[-2].startswith(PAUSE) and tokens[-1][:1].isupper()
        thanks = self.words.signing.ending(tokens[:-2]) if signed else 0
        return tokens[:-2] if thanks else tokens


def _shortened(stretched: re.Match[str]) -> str:
    return stretched[1] if len(stretched[0]) <= MAX_STRETCH else stretched[0]


def _uncapitalised(token: str, before: str) -> str:
    """Return the first word of a sentence in lower case, unless it may be a name."""
    starts = before in _ENDS or before in _PAUSES
    return token.lower() if starts and thesaurus().knows(token.lower()) else token


def _mark(word: str, before: str, titles: tuple[str, ...]) -> str:
    if word in _ENDS:
        return "" if word == "." and before in titles else SENTENCE_END
    return PAUSE if word in _PAUSES else word


def _without_symbols(text: str) -> str:
    """Remove emoji and characters that are not seen."""
    if text.isascii():
        return text
    return "".join(" " if unicodedata.category(c) in _UNSEEN else c for c in text)


def _unquoted(text: str) -> str:
    """Strip quotes around a whole text; others stay, because what is quoted is no order."""
    quoted = len(text) > 2 and text[0] == text[-1] == '"' and text.count('"') == 2
    return text[1:-1] if quoted else text


def _without_repeats(tokens: Phrase) -> Phrase:
    """Drop stuttered words, double pauses, and pauses at the ends."""
    words = [token for before, token in pairwise(("", *tokens)) if token and token.lower() != before.lower()]
    pauses = [index for index, token in enumerate(words) if token not in (PAUSE, SENTENCE_END)]
    if not pauses:
        return ()
    words = words[pauses[0] : pauses[-1] + 1]
    return tuple(
        token
        for index, token in enumerate(words)
        if not (token in (PAUSE, SENTENCE_END) and words[index + 1] in (PAUSE, SENTENCE_END))
    )
