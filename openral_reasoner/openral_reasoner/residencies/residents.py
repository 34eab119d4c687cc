"""One peer that holds memory while it is active."""

from dataclasses import dataclass

LONG_AGO = float("-inf")


@dataclass(frozen=True, slots=True)
class Resident:
    """A peer as the planner sees it; memory in [MB], times in [s].

    ``declared`` counts until something was ``measured``; ``since`` is when it was activated last.
    """

    id: str
    declared: float
    measured: float = 0.0
    active: bool = False
    streams: bool = False
    pinned: bool = False
    in_use: bool = False
    load_time: float = 1.0
    since: float = LONG_AGO

    @property
    def memory(self) -> float:
        """What it holds, or will hold, while active [MB]."""
        return self.measured or self.declared

    @property
    def fixed(self) -> bool:
        """Whether it may never be sent away now."""
        return self.pinned or self.in_use
