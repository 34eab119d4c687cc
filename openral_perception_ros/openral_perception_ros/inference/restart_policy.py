"""Restart policy of a lost worker: exponential back-off behind a circuit breaker; limits of a worker."""

from dataclasses import dataclass, field, replace
from typing import Self

from openral_core.backoff import ExponentialBackoff


@dataclass(frozen=True, slots=True)
class RestartDecision:
    """Restart after ``delay`` [s]; ``given_up`` if the worker counts as unavailable until then."""

    delay: float
    given_up: bool = False


@dataclass(frozen=True, slots=True)
class CircuitBreaker:
    """Circuit breaker of worker restarts; times in [s].

    Closed: at most ``limit`` quick restarts per ``window``, with a delay that doubles each time. Another loss
    opens it: no restart for ``cool_down``. Then it is half open with a single worker: the first successful
    inference closes it, a loss opens it again for twice as long, at most ``max_cooldown``. The doubling
    starts over once it has been closed for a ``window``.
    """

    limit: int = 3
    window: float = 600.0
    first_delay: float = 0.5
    cool_down: float = 60.0
    max_cooldown: float = 900.0
    failures: tuple[float, ...] = ()
    last_cooldown: float = 0.0
    half_open: bool = False
    closed_at: float = float("-inf")

    def on_failure(self, now: float) -> tuple[RestartDecision, Self]:
        """Decide on a worker loss at steady time ``now`` [s]; return the decision and the next state."""
        recent = tuple(failure for failure in self.failures if now - failure < self.window)
        if not self.half_open and len(recent) < self.limit:
            quick = RestartDecision(ExponentialBackoff(self.first_delay).delay(len(recent) + 1))
            return quick, replace(self, failures=(*recent, now))
        delay = self._next_cooldown(now)
        return RestartDecision(delay, given_up=True), replace(
            self, failures=(), last_cooldown=delay, half_open=True
        )

    def on_success(self, now: float) -> Self:
        """Return the state after a successful inference at steady time ``now`` [s]."""
        return replace(self, half_open=False, closed_at=now) if self.half_open else self

    def _next_cooldown(self, now: float) -> float:
        fresh = not self.half_open and now - self.closed_at >= self.window
        longer = self.cool_down if fresh else 2.0 * self.last_cooldown
        return max(self.cool_down, min(longer, self.max_cooldown))


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Limits of one worker; times in [s].

    ``load`` bounds loading the model, ``inference`` one inference before the worker counts as hung;
    ``capacity`` is the length of the request queue.
    """

    load: float = 60.0
    inference: float = 30.0
    capacity: int = 8
    restarts: CircuitBreaker = field(default_factory=CircuitBreaker)
