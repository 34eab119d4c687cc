"""Budget of one mission: its limits, the ledger of what was used, and the cost of its decisions."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, ConfigDict, Field

from openral_core.errors import OpenRALError


class SearchBudget(BaseModel):
    """Limits of one mission; every loop of the reasoner spends from one of these lines."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    candidates: int = Field(default=24, ge=0, le=1000, description="budget: places searched")
    recalls: int = Field(default=60, ge=0, le=10000, description="budget: memory queries")
    locates: int = Field(default=60, ge=0, le=10000, description="budget: detection requests")
    model_calls: int = Field(default=80, ge=0, le=10000, description="budget: decisions of the model")
    tokens: int = Field(default=500_000, ge=0, le=1_000_000_000, description="budget: tokens of the model")
    dollars: float = Field(default=10.0, ge=0.0, le=1e6, description="budget: known cost of decisions [US$]")
    unpriced_calls: int = Field(
        default=10_000, ge=0, le=10_000, description="budget: decisions of unknown cost; 0 allows none"
    )
    transitions: int = Field(default=40, ge=0, le=1000, description="budget: lifecycle transitions")
    skills: int = Field(default=120, ge=0, le=10000, description="budget: skill goals")
    handoffs: int = Field(default=1, ge=0, le=100, description="budget: questions to a human")
    seconds: float = Field(default=900.0, ge=1.0, le=86400.0, description="budget: wall-clock time [s]")


_FORMATS = {"dollars": ".2f"}
CACHED = 0.1
"""Tokens charged for one that a prompt cache served, as the vendors price them [1]."""
LOW = 0.2
"""Share of a line from which on a model is told what remains [1]."""


class BudgetExhausted(OpenRALError):
    """A line of a mission's budget is used up."""

    def __init__(self, line: str, limit: float) -> None:
        self.line = line
        super().__init__(f"the budget of {limit:g} {line} is used up")


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """One line of the budget, for reports."""

    name: str
    used: float
    limit: float


@dataclass(frozen=True, slots=True)
class BudgetLedger:
    """Ledger of one mission's budget; ``spend`` returns the next ledger, and nothing is ever given back.

    Seconds run only between ``resumed`` and ``paused``: waiting for a human costs nothing.
    """

    limits: SearchBudget
    used: Mapping[str, float] = field(default_factory=dict)
    running_since: float | None = None

    def spend(self, line: str, amount: float = 1) -> "BudgetLedger":
        """Return the ledger after spending ``amount`` of a line.

        Raises:
            BudgetExhausted: If that line has less than ``amount`` left.
        """
        if amount > self.left(line):
            raise BudgetExhausted(line, self.limit(line))
        return self._add(line, amount)

    def charge(self, line: str, amount: float) -> "BudgetLedger":
        """Return the ledger after charging what was already used, such as tokens; it may be overdrawn."""
        return self._add(line, max(0.0, amount))

    def resumed(self, now: float) -> "BudgetLedger":
        """Return the ledger with its clock running from ``now`` [s]."""
        return replace(self, running_since=now) if self.running_since is None else self

    def paused(self, now: float) -> "BudgetLedger":
        """Return the ledger with its clock paused from ``now`` [s]."""
        if self.running_since is None:
            return self
        return replace(self._add("seconds", max(0.0, now - self.running_since)), running_since=None)

    def limit(self, line: str) -> float:
        """Return the limit of a line."""
        return float(getattr(self.limits, line))

    def overdrawn(self, line: str) -> bool:
        """Return True if more was charged than allowed."""
        return self._used(line, None) > self.limit(line)

    def left(self, line: str, now: float | None = None) -> float:
        """Return the rest of this line, never below zero."""
        return max(0.0, self.limit(line) - self._used(line, now))

    def lines(self, now: float | None = None) -> tuple[BudgetLine, ...]:
        """Return every line with its use at ``now`` [s]."""
        names = type(self.limits).model_fields
        return tuple(BudgetLine(name, self._used(name, now), self.limit(name)) for name in names)

    def words(self, now: float) -> str:
        """Summarise the lines that were used and run low, for the end of a tool reply; "" for none."""
        low = [
            f"{self.left(each.name, now):{_FORMATS.get(each.name, '.0f')}} {each.name}"
            for each in self.lines(now)
            if each.used and self.left(each.name, now) <= LOW * each.limit
        ]
        return f"Remaining: {', '.join(low)}" if low else ""

    def _used(self, line: str, now: float | None) -> float:
        running = 0.0
        if line == "seconds" and now is not None and self.running_since is not None:
            running = max(0.0, now - self.running_since)
        return self.used.get(line, 0.0) + running

    def _add(self, line: str, amount: float) -> "BudgetLedger":
        return replace(self, used={**self.used, line: self.used.get(line, 0.0) + amount})


def cost_words(used: Mapping[str, float]) -> str:
    """Describe the cost of the decisions, never guessing an unknown price."""
    dollars, unpriced = used.get("dollars", 0.0), int(used.get("unpriced_calls", 0))
    if not unpriced:
        return f"{dollars:.4f} US$" if dollars else "nothing"
    unknown = f"{unpriced} decision{'s' if unpriced > 1 else ''} by a model without a listed price"
    return f"at least {dollars:.4f} US$, and {unknown}" if dollars else f"unknown: {unknown}"
