"""When a lost worker is started again."""

from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """At most ``limit`` restarts within ``window`` [s]; each waits twice as long as the one before."""

    limit: int = 3
    window: float = 600.0
    first_delay: float = 0.5
    losses: tuple[float, ...] = ()

    def lost(self, now: float) -> tuple[float | None, Self]:
        """How long to wait [s] before starting again, or None to give up.

        Args:
            now: Steady time [s].
        """
        recent = tuple(each for each in self.losses if now - each < self.window)
        following = replace(self, losses=(*recent, now))
        if len(recent) >= self.limit:
            return None, following
        return self.first_delay * 2.0 ** len(recent), following
