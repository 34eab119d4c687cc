"""Exponential back-off of restarts and retries, and the circuit breaker that ends them for a while.

Used for worker restarts, node respawns, lifecycle transitions, remote detectors and requests to language
models. Without the circuit breaker, how many failures are too many is the policy of each user.
"""

import math
from dataclasses import dataclass, replace
from random import Random
from typing import Self

_MAX_DOUBLINGS = 60
"""Doublings after which a delay no longer grows [1]; keeps the power finite."""


@dataclass(frozen=True, slots=True)
class ExponentialBackoff:
    """Delays that double with each consecutive failure, from ``initial`` to ``maximum`` [s]."""

    initial: float
    maximum: float = math.inf

    def delay(self, failures: int) -> float:
        """Return the delay [s] before the next attempt, after 1 or more consecutive failures."""
        return min(self.maximum, self.initial * 2.0 ** min(failures - 1, _MAX_DOUBLINGS))

    def jittered_delay(self, failures: int, rng: Random) -> float:
        """Return the delay [s] times a random factor in [0.5, 1.5), so that clients do not retry in step."""
        return self.delay(failures) * (0.5 + rng.random())


@dataclass(frozen=True, slots=True)
class RestartDecision:
    """Try again after ``delay`` [s]; ``circuit_open`` if what failed counts as unavailable until then."""

    delay: float
    circuit_open: bool = False


@dataclass(frozen=True, slots=True)
class CircuitBreaker:
    """Circuit breaker of restarts or requests; times in [s].

    Closed: at most ``limit`` quick restarts per ``window``, with a delay that doubles each time. Another loss
    opens it: no restart for ``cool_down``. Then it is half open with a single trial: the first success
    closes it, a loss opens it again for twice as long, at most ``max_cooldown``. The doubling
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
        fresh = not self.half_open and now - self.closed_at >= self.window
        longer = self.cool_down if fresh else 2.0 * self.last_cooldown
        delay = max(self.cool_down, min(longer, self.max_cooldown))
        return RestartDecision(delay, circuit_open=True), replace(
            self, failures=(), last_cooldown=delay, half_open=True
        )

    def on_success(self, now: float) -> Self:
        """Return the state after a successful inference at steady time ``now`` [s]."""
        return replace(self, half_open=False, closed_at=now) if self.half_open else self
