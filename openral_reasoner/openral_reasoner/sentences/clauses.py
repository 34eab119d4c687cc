"""Reader of one clause: every template that covers it, and of their meanings the most specific one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

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
from openral_reasoner.sentences.words import PAUSE, Phrase

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
    """Interpreter of the clauses of one text, with the number of clauses that it may still try."""

    language: Language  # Language of the text.
    nouns: NounReader  # Reader of its noun phrases.
    polite: bool  # The speaker said "please".
    text: Callable[[str, Discourse], Request | None]  # Reader of a text of several clauses.
    remaining: int = MAX_READINGS
    _readings: dict[tuple[str, Discourse, frozenset[str]], ClauseReading | None] = field(default_factory=dict)

    def clause(self, words: str, context: Discourse) -> ClauseReading | None:
        """Read a clause of a text; None if no template covers it, or templates of different meanings do."""
        return self._read(words, context, _OUTER)

    def state(self, words: str) -> ClauseReading | None:
        """Read a text that only tells a state."""
        return self._read(words, Discourse(), frozenset({"TellState"}))

    def _inner(self, words: str, context: Discourse) -> ClauseReading | None:
        """Read a clause inside another, which has a verb."""
        return self._read(words, context, _INNER)

    def _condition(self, words: str, context: Discourse) -> ClauseReading | None:
        return self._read(words, context, _CONDITIONS)

    def _placement(self, words: str) -> Mapping[str, str] | None:
        matches = self.language.templates.matches(words, ("Placement",))
        return next((each.slots for each in matches), None)

    def _read(self, words: str, context: Discourse, intents: frozenset[str]) -> ClauseReading | None:
        key = (words, context, intents)
        if key not in self._readings:
            self.remaining -= 1
            self._readings[key] = None  # a clause is not read inside itself
            self._readings[key] = (
                self._stripped(tuple(words.split()), context, intents) if self.remaining > 0 else None
            )
        return self._readings[key]

    def _stripped(self, tokens: Phrase, context: Discourse, intents: frozenset[str]) -> ClauseReading | None:
        """Read a clause as it is, else without what means nothing at its beginning and its end."""
        said_for = ordered = False
        classes = self.language.words
        while tokens:
            read = self._best(" ".join(tokens), context, intents)
            if read is not None:
                read = replace(read, ordered=read.ordered or ordered)
                return for_speaker(read) if said_for else read
            opening, closing = classes.openings.at(tokens, 0), classes.closings.ending(tokens)
            if tokens[0] == PAUSE or (opening and opening[0] < len(tokens)):
                ordered = ordered or tokens[: opening[0] if opening else 1] in classes.ordering
                tokens = tokens[opening[0] if opening else 1 :]
            elif tokens[-1] == PAUSE or (closing and closing < len(tokens)):
                said_for = said_for or tokens[-(closing or 1) :] in classes.for_speaker
                tokens = tokens[: -(closing or 1)]
            else:
                break
        return None

    def _best(self, words: str, context: Discourse, intents: frozenset[str]) -> ClauseReading | None:
        readings = [
            _with_facts(read, match)
            for match in self.language.templates.matches(words, intents)
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
            lambda words: self.clause(words, context),
            self.text,
            self._condition,
            self._placement,
            self.polite,
        )
        return BUILDERS[match.intent](slots)


def _with_facts(reading: ClauseReading, match: Match) -> ClauseReading:
    """Add what the template says: its weight, and that it states the pauses of the clause itself."""
    spans = reading.spans or not any(PAUSE in words for words in match.slots.values())
    grabbed = reading.grabbed or match.intent == "Grab"
    verbless = match.intent in _FRAGMENTS
    weight = reading.weight + match.weight
    return replace(reading, weight=weight, spans=spans, grabbed=grabbed, verbless=verbless)
