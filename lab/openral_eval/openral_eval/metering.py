"""Meter of a decision model: tokens, cost, latency, and the calls that were sent back to it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from openral_reasoner.context import Context, Decision
from openral_reasoner.llm.base import Model, ModelUnavailable

MALFORMED = "INVALID_CALL"
REFUSALS = frozenset({"HAND_FULL", "NOTHING_HELD", "NOT_PROVEN", "TOO_EARLY", "REFUSED", "BAD_QUERY"})
"""Statuses of replies to calls that were well formed and not carried out."""


@dataclass
class MeteredModel:
    """Model that counts what its decisions cost; ``latencies`` [s] on ``clock``."""

    model: Model
    advisor: Model | None = None
    clock: Callable[[], float] = time.perf_counter
    decisions: int = 0
    advised: int = 0
    malformed: int = 0
    refused: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    tokens_stored: int = 0
    cost: float | None = 0.0
    name: str = ""
    unavailable: str = ""
    unavailable_words: str = ""
    failed: int = 0
    latencies: list[float] = field(default_factory=list)
    _turns: int = 0

    def __call__(self, context: Context) -> Decision:
        """Return the model's decision.

        Raises:
            ModelUnavailable: If it made none.
        """
        return self._ask(self.model, context)

    def advise(self, context: Context) -> Decision:
        """Return the advisor's decision, the model's if there is no advisor.

        Raises:
            ModelUnavailable: If it made none.
        """
        self.advised += 1
        return self._ask(self.advisor or self.model, context)

    @property
    def is_mute(self) -> bool:
        """True if the model was asked and never decided anything."""
        return 0 < self.decisions == self.failed

    def _ask(self, model: Model, context: Context) -> Decision:
        self._count_replies(context)
        started = self.clock()
        try:
            decision = model(context)
        except ModelUnavailable as failure:
            self.unavailable, self.unavailable_words = failure.condition, failure.why
            self.failed += 1
            self.tokens_in += failure.tokens
            self.cost = None if failure.tokens else self.cost
            raise
        finally:
            self.decisions += 1
            self.latencies.append(self.clock() - started)
        self._charge(decision)
        return decision

    def _count_replies(self, context: Context) -> None:
        fresh = context.turns[self._turns :]
        self._turns = len(context.turns)
        self.malformed += sum(turn.reply.status == MALFORMED for turn in fresh)
        self.refused += sum(turn.reply.status in REFUSALS for turn in fresh)

    def _charge(self, decision: Decision) -> None:
        self.tokens_in += decision.read
        self.tokens_out += decision.written
        self.tokens_cached += decision.cached
        self.tokens_stored += decision.stored
        self.name = decision.model or self.name
        priced = self.cost is not None and decision.cost is not None
        self.cost = (self.cost or 0.0) + (decision.cost or 0.0) if priced else None
