"""Reader of one clause: every template that covers it, and of their meanings the most specific one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from openral_reasoner.request.goals import Request
from openral_reasoner.sentences.acts import ACTS
from openral_reasoner.sentences.chores import CHORES
from openral_reasoner.sentences.composed import COMPOSED
from openral_reasoner.sentences.context import ClauseReading, Discourse, for_speaker
from openral_reasoner.sentences.language import Language
from openral_reasoner.sentences.noun_phrases import NounReader
from openral_reasoner.sentences.questions import QUESTIONS
from openral_reasoner.sentences.slots import Slots
from openral_reasoner.sentences.templates import Match
from openral_reasoner.sentences.words import PAUSE, Phrase, Phrases

BUILDERS = {**ACTS, **CHORES, **QUESTIONS, **COMPOSED}
MAX_READINGS = 250
"""Most clauses that are tried for one text; a text of more ways to be cut is asked about."""
_CONDITIONS = frozenset({"Exists", "NotExists"})
_INNER = frozenset(BUILDERS) - _CONDITIONS - {
    "More", "MorePut", "MoreGive", "Fragment", "FragmentPut", "Directed", "Remark", "FreeRemark", "Person",
    "Located", "Topic", "ItsPlace", "TellState",
}  # fmt: skip
_OUTER = frozenset(BUILDERS) - _CONDITIONS - {"TellState"}
_FRAGMENTS = frozenset({"Fragment", "FragmentPut", "Directed"})


@dataclass
class Interpreter:
    """Interpreter of the clauses of one text, with the number of clauses that it may still try.

    Attributes:
        language: Language of the text.
        nouns: Reader of its noun phrases.
        polite: The speaker said "please".
        text: Reader of a text of several clauses.
    """

    language: Language
    nouns: NounReader
    polite: bool
    text: Callable[[str, Discourse], Request | None]
    left: int = MAX_READINGS
    _known: dict[tuple[str, Discourse, frozenset[str]], ClauseReading | None] = field(default_factory=dict)

    def clause(self, said: str, context: Discourse) -> ClauseReading | None:
        """Read a clause of a text; None if no template covers it, or templates of different meanings do."""
        return self._read(said, context, _OUTER)

    def state(self, said: str) -> ClauseReading | None:
        """Read a text that only tells a state."""
        return self._read(said, Discourse(), frozenset({"TellState"}))

    def _inner(self, said: str, context: Discourse) -> ClauseReading | None:
        """Read a clause inside another, which has a verb."""
        return self._read(said, context, _INNER)

    def _condition(self, said: str, context: Discourse) -> ClauseReading | None:
        return self._read(said, context, _CONDITIONS)

    def _placement(self, said: str) -> Mapping[str, str] | None:
        matches = self.language.templates.matches(said, ("Placement",))
        return next((each.slots for each in matches), None)

    def _read(self, said: str, context: Discourse, intents: frozenset[str]) -> ClauseReading | None:
        key = (said, context, intents)
        if key not in self._known:
            self.left -= 1
            self._known[key] = None  # a clause is not read inside itself
            self._known[key] = (
                self._stripped(tuple(said.split()), context, intents) if self.left > 0 else None
            )
        return self._known[key]

    def _stripped(self, tokens: Phrase, context: Discourse, intents: frozenset[str]) -> ClauseReading | None:
        """Read a clause as it is, else without what means nothing at its beginning and its end."""
        said_for = ordered = False
        while tokens:
            read = self._best(" ".join(tokens), context, intents)
            if read is not None:
                read = replace(read, ordered=read.ordered or ordered)
                return for_speaker(read) if said_for else read
            opening, closing = self._openings.at(tokens, 0), self._closings.ending(tokens)
            if tokens[0] == PAUSE or (opening and opening[0] < len(tokens)):
                ordered = ordered or tokens[: opening[0] if opening else 1] in self._ordering
                tokens = tokens[opening[0] if opening else 1 :]
            elif tokens[-1] == PAUSE or (closing and closing < len(tokens)):
                said_for = said_for or tokens[-(closing or 1) :] in self._speaker
                tokens = tokens[: -(closing or 1)]
            else:
                break
        return None

    def _best(self, said: str, context: Discourse, intents: frozenset[str]) -> ClauseReading | None:
        readings = [
            _with_facts(read, match)
            for match in self.language.templates.matches(said, intents)
            for read in [self._build(match, context)]
            if read is not None
        ]
        if not readings:
            return None
        asking = [each for each in readings if each.goals or each.forbidden]
        readings = asking or readings
        most = max(each.weight for each in readings)
        best = [each for each in readings if each.weight == most]
        meanings = {(each.goals, each.forbidden, each.context.objects, each.context.person) for each in best}
        return best[0] if len(meanings) == 1 else None

    def _build(self, match: Match, context: Discourse) -> ClauseReading | None:
        slots = Slots(
            match,
            self.nouns,
            context,
            self._inner,
            lambda said: self.clause(said, context),
            self.text,
            self._condition,
            self._placement,
            self.polite,
        )
        return BUILDERS[match.intent](slots)

    @cached_property
    def _openings(self) -> Phrases:
        return Phrases.of(self.language.words.openings)

    @cached_property
    def _closings(self) -> Phrases:
        return Phrases.of(self.language.words.closings)

    @cached_property
    def _ordering(self) -> Phrases:
        return Phrases.of(self.language.words.ordering)

    @cached_property
    def _speaker(self) -> Phrases:
        return Phrases.of(self.language.words.for_speaker)


def _with_facts(reading: ClauseReading, match: Match) -> ClauseReading:
    """Add what the template says: its weight, and that it states the pauses of the clause itself."""
    spans = reading.spans or not any(PAUSE in words for words in match.slots.values())
    grabbed = reading.grabbed or match.intent == "Grab"
    verbless = match.intent in _FRAGMENTS
    weight = reading.weight + match.weight
    return replace(reading, weight=weight, spans=spans, grabbed=grabbed, verbless=verbless)
