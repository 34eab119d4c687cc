"""An ending that comes too early is questioned once, then taken."""

from dataclasses import dataclass, replace
from enum import StrEnum


class Early(StrEnum):
    """What speaks against ending now."""

    SEARCH_OPEN = "places and budget are left to search"
    STILL_HOLDING = "something is still held"
    NOT_PROVEN = "nothing shows that the goal was reached"


@dataclass(frozen=True, slots=True)
class EarlyEndings:
    """What was already said in this mission."""

    said: frozenset[Early] = frozenset()

    def after(self, found: Early | None) -> tuple[bool, "EarlyEndings"]:
        """Whether to say so instead of ending, and the next policy."""
        if found is None or found in self.said:
            return False, self
        return True, replace(self, said=self.said | {found})
