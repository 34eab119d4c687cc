"""Reader of requests: a text is cut into clauses in the fewest parts that templates cover entirely.

Half a request is never acted on: a text of which any word is not accounted for is not understood as a whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from openral_core.text.terms import same_term
from openral_reasoner.request.goals import (
    AskAbilities,
    Bring,
    Forbidden,
    NotUnderstood,
    Request,
    Restricted,
    Sequence,
)
from openral_reasoner.sentences.clauses import Interpreter
from openral_reasoner.sentences.context import ClauseReading, Discourse
from openral_reasoner.sentences.kinds import kinds
from openral_reasoner.sentences.language import Language, load_language
from openral_reasoner.sentences.languages import ENGLISH, spoken_language
from openral_reasoner.sentences.merging import joined
from openral_reasoner.sentences.normalise import SENTENCE_END, Normaliser
from openral_reasoner.sentences.noun_phrases import NounReader
from openral_reasoner.sentences.words import PAUSE, Phrase

MAX_LENGTH = 600
"""Longest text that is read as a goal [characters]; a longer one is a letter, not a request."""
MAX_WORDS = 60
"""Longest text that is read as a goal [words]."""
MAX_CLAUSES = 14
"""Most pieces between conjunctions and punctuation that are read."""


@lru_cache(maxsize=256)  # alarms, queue and mission read the same prompt
def read_sentence(text: str) -> Request:
    """Read a request of one or several parts; NotUnderstood if any part of it is not."""
    sentence = " ".join(text[:MAX_LENGTH].split())
    if len(text) > MAX_LENGTH or len(sentence.split()) > MAX_WORDS:
        return NotUnderstood(sentence)
    code = spoken_language(text)
    request = _reader(code).read(text)
    name = load_language(code).words.name if code != ENGLISH else ""
    return request if request is not None else NotUnderstood(sentence, name)


@cache
def _reader(code: str) -> "_TextReader":
    return _TextReader(load_language(code))


@dataclass(frozen=True, slots=True)
class _Piece:
    """Words between two joins, and the join before them."""

    words: Phrase
    join: Phrase
    kinds: frozenset[str]


@dataclass(frozen=True, slots=True)
class _State:
    """Result of the clauses so far."""

    context: Discourse
    parts: tuple[Request, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    unfinished: bool = False
    ordered: bool = False
    states_order: bool = False
    awaited: bool = False
    started: bool = False


class _TextReader:
    """Reader of the texts of one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.nouns = NounReader(language.words)
        self._normaliser = Normaliser(language.words)

    def read(self, text: str) -> Request | None:
        """Read a text; None if it is not understood."""
        words = self._normaliser.tokens(text)
        polite = self._normaliser.is_polite(words)
        plain = self._normaliser.without_fillers(words)
        for tokens in dict.fromkeys((plain, self._normaliser.with_verbs(plain))):
            search = _Search(self, polite)
            request = search.text(tokens, Discourse()) or search.state(tokens)
            if request is not None:
                return request
        return None

    def pieces(self, tokens: Phrase) -> Iterator[_Piece]:
        """Cut a text at every mark and conjunction."""
        words: list[str] = []
        join: list[str] = []
        kinds: set[str] = set()
        before: tuple[Phrase, frozenset[str]] = ((), frozenset())
        start = 0
        while start < len(tokens):
            mark = tokens[start] in (PAUSE, SENTENCE_END)
            if words and not join and self.language.words.starts.at(tokens, start):
                yield _Piece(tuple(words), *before)
                words, before = [], ((), frozenset())
            conjunction = (
                None
                if mark or self.nouns.is_preposition(tokens, start)
                else self.language.words.joins.at(tokens, start)
            )
            if not mark and conjunction is None:
                if join and words:
                    yield _Piece(tuple(words), *before)
                    words = []
                if join:
                    before, join, kinds = (tuple(join), frozenset(kinds)), [], set()
                words.append(tokens[start])
                start += 1
                continue
            count = conjunction[0] if conjunction else 1
            join += [PAUSE] if mark else tokens[start : start + count]
            kinds.add(conjunction[1] if conjunction else tokens[start])
            start += count
        if words:
            yield _Piece(tuple(words), *before)


class _Search:
    """Search for the fewest clauses that cover one text."""

    def __init__(self, reader: _TextReader, polite: bool) -> None:
        self._reader = reader
        self._interpreter = Interpreter(reader.language, reader.nouns, polite, self.inner_text)

    def inner_text(self, words: str, context: Discourse) -> Request | None:
        """Read a text inside a clause."""
        return self.text(tuple(words.split()), context)

    def state(self, tokens: Phrase) -> Request | None:
        """Read a text that only tells a state; None if it does not."""
        reading = self._interpreter.state(" ".join(tokens))
        return reading.goals[0] if reading is not None else None

    def text(self, tokens: Phrase, context: Discourse) -> Request | None:
        """Read a text; None if it is not understood, or understood in different ways."""
        pieces = tuple(self._reader.pieces(tokens))
        if not 0 < len(pieces) <= MAX_CLAUSES:
            return None
        for count in range(1, len(pieces) + 1):
            requests = {_request(state) for state in self._rest(pieces, _State(context), count)}
            if requests:
                only = requests.pop()
                return only if not requests else None
        return None

    def _rest(self, pieces: tuple[_Piece, ...], state: _State, count: int) -> Iterator[_State]:
        """Yield the ways to read pieces as this number of clauses."""
        if count == 0:
            if not pieces and state.parts and not state.awaited:
                yield state
            return
        most = len(pieces) - count + 1
        for length in range(most, 0, -1):
            if count == 1 and length < len(pieces):
                return
            after = self._after(pieces[:length], state)
            if after is not None:
                yield from self._rest(pieces[length:], after, count - 1)

    def _after(self, pieces: tuple[_Piece, ...], state: _State) -> _State | None:
        words = list(pieces[0].words)
        for piece in pieces[1:]:
            words += [*piece.join, *piece.words]
        reading = self._interpreter.clause(" ".join(words), state.context)
        crosses = any(SENTENCE_END in piece.kinds for piece in pieces[1:])
        if reading is None or (crosses and not reading.spans):
            return None
        return (_ask if reading.goals else _pass)(state, reading, pieces[0].kinds)


def _pass(state: _State, reading: ClauseReading, join: frozenset[str]) -> _State | None:
    """Return the state after a remark, a statement to be referred to, or a prohibition."""
    takes_back = state.parts and reading.free and "reason" not in join
    if not reading.forbidden and (takes_back or (reading.awaited and state.awaited)):
        return None
    return replace(
        state,
        context=reading.context,
        forbidden=(*state.forbidden, *reading.forbidden),
        awaited=state.awaited or reading.awaited,
        started=True,
    )


def _ask(state: _State, reading: ClauseReading, join: frozenset[str]) -> _State | None:
    """Return the state after a clause that asks for something."""
    forbidden_too = (
        state.forbidden and not state.parts and (reading.verbless or join & {"added", "ordered"})
    )  # "don't open it and bring ..."
    late_question = isinstance(reading.goals[0], AskAbilities) and state.started
    apart = not join & {"added", "ordered"} and _serves_apart(state.parts, reading.goals)
    if forbidden_too or late_question or apart:
        return None
    merged = joined(state.parts, reading, state.unfinished)
    parts = (*state.parts, *reading.goals) if merged is None else merged
    follows = reading.ordered or "ordered" in join or (reading.refers and merged is None)
    return replace(
        state,
        context=reading.context,
        parts=parts,
        unfinished=reading.unfinished,
        ordered=(state.states_order or follows) and len(parts) > 1,
        states_order=state.states_order or follows,
        awaited=state.awaited and not reading.refers,
        started=True,
    )


def _serves_apart(parts: tuple[Request, ...], goals: tuple[Request, ...]) -> bool:
    """Return True for a vessel after a drink that may be meant to be in it: "water, a tall glass"."""
    last, vessel = parts[-1] if parts else None, goals[0]
    if not isinstance(last, Bring) or not isinstance(vessel, Bring) or last.to != vessel.to:
        return False
    return kinds().serves(vessel.what, last.what)


def _request(state: _State) -> Request | None:
    objects = (getattr(part, "what", "") or getattr(part, "where", "") for part in state.parts)
    if any(same_term(what, each.what) for what in filter(None, objects) for each in state.forbidden):
        return None
    goal = state.parts[0] if len(state.parts) == 1 else Sequence(state.parts, state.ordered)
    return Restricted(goal, state.forbidden) if state.forbidden else goal
