"""How often the continuous leg looks."""

from dataclasses import dataclass, replace
from typing import Self

FORGIVEN = 0.25
"""Part of a period a frame may come early, so that a camera of exactly this rate loses none to jitter."""


@dataclass(frozen=True, slots=True)
class Cadence:
    """At most ``rate`` looks per second [Hz], on average."""

    rate: float
    not_before: float = float("-inf")

    def at(self, now: float) -> tuple[bool, Self]:
        """Whether to look at a frame that arrives at ``now`` [s], and the cadence after it."""
        period = 1.0 / self.rate
        if now < self.not_before - FORGIVEN * period:
            return False, self
        return True, replace(self, not_before=max(now, self.not_before) + period)
