"""Exponential back-off of restarts and retries.

Used for worker restarts, node respawns, lifecycle transitions and requests to language models. How many
failures are too many, and when a success resets the count, is the policy of each user.
"""

import math
from dataclasses import dataclass
from random import Random

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
