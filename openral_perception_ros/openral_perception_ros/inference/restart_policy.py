"""When a lost worker is started again: a circuit breaker."""
# MERGED The bounds of one worker.

from dataclasses import dataclass, field, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class RestartDecision:
    """Start again after ``delay`` [s]; ``given_up`` when until then nobody should count on it."""

    delay: float
    given_up: bool = False


@dataclass(frozen=True, slots=True)
class CircuitBreaker:
    """Closed, open or on trial; times in [s].

    Closed: at most ``limit`` quick restarts within ``window``, each after twice the wait of the one before.
    One loss more opens it: nothing is started for ``cool_down``. Then one worker is on trial. A look that
    it answers closes the circuit; its loss opens it again for twice as long, at most ``longest``. How long
    it was open is forgotten once it has been closed for a ``window``.
    """

    limit: int = 3
    window: float = 600.0
    first_delay: float = 0.5
    cool_down: float = 60.0
    longest: float = 900.0
    losses: tuple[float, ...] = ()
    cooled: float = 0.0
    on_trial: bool = False
    proven_at: float = float("-inf")

    def lost(self, now: float) -> tuple[RestartDecision, Self]:
        """What follows the loss of a worker at steady time ``now`` [s]."""
        recent = tuple(each for each in self.losses if now - each < self.window)
        if not self.on_trial and len(recent) < self.limit:
            quick = RestartDecision(self.first_delay * 2.0 ** len(recent))
            return quick, replace(self, losses=(*recent, now))
        delay = self._cool_down(now)
        return RestartDecision(delay, given_up=True), replace(self, losses=(), cooled=delay, on_trial=True)

    def proven(self, now: float) -> Self:
        """After a worker has answered a look at steady time ``now`` [s]."""
        return replace(self, on_trial=False, proven_at=now) if self.on_trial else self

    def _cool_down(self, now: float) -> float:
        fresh = not self.on_trial and now - self.proven_at >= self.window
        longer = self.cool_down if fresh else 2.0 * self.cooled
        return max(self.cool_down, min(longer, self.longest))


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Times in [s]: to load the model, and for one inference before the worker counts as hung."""

    load: float = 60.0
    inference: float = 30.0
    capacity: int = 8
    restarts: CircuitBreaker = field(default_factory=CircuitBreaker)
