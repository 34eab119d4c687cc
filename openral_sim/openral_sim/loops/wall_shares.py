"""Where a loop's wall-clock time goes."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic


class WallShares:
    """Sums the wall-clock time spent in named parts."""

    def __init__(self) -> None:
        self._began = monotonic()
        self._spent: dict[str, float] = {}

    def restart(self) -> None:
        """Count from now."""
        self._began = monotonic()
        self._spent.clear()

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Count what happens inside towards ``part``."""
        began = monotonic()
        try:
            yield
        finally:
            self._spent[part] = self._spent.get(part, 0.0) + monotonic() - began

    @property
    def elapsed(self) -> float:
        """Wall-clock time since this began [s]."""
        return monotonic() - self._began

    def words(self) -> str:
        """Every part's share of the elapsed time."""
        total = max(self.elapsed, 1e-9)
        return (
            ", ".join(f"{part} {spent / total:.1%}" for part, spent in self._spent.items()) or "nothing done"
        )
