"""Bounded retries: jittered, never beyond the deadline, then a typed failure."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from openral_reasoner.models.model import ModelUnavailable

T = TypeVar("T")


class TryAgain(ModelUnavailable):
    """A failure that may pass; ``after`` [s] is what the endpoint asked for, if anything."""

    def __init__(self, condition: str, why: str, after: float | None = None) -> None:
        self.after = after
        super().__init__(condition, why)


@dataclass
class Retries:
    """At most ``attempts`` tries within ``deadline`` [s]."""

    deadline: float
    attempts: int = 4
    base: float = 0.5
    rng: Random = field(default_factory=lambda: Random(0))
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def call(self, once: Callable[[float], T]) -> T:
        """What ``once(seconds left)`` gives.

        Raises:
            ModelUnavailable: The last failure, when trying again is not allowed or would be too late.
        """
        end = self.clock() + self.deadline
        for attempt in range(1, self.attempts + 1):
            try:
                return once(max(0.1, end - self.clock()))
            except TryAgain as failure:
                wait = self._wait(attempt, failure)
                if attempt == self.attempts or self.clock() + wait >= end:
                    raise
                self.sleep(wait)
        raise ModelUnavailable("NO_ATTEMPT", "no attempt is allowed")

    def _wait(self, attempt: int, failure: TryAgain) -> float:
        jitter = self.base * 2.0 ** (attempt - 1) * (0.5 + self.rng.random())
        return jitter if failure.after is None else failure.after + jitter * 0.1
