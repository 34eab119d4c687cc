"""Which nodes have been away for so long that somebody should be told. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Absences:
    """Since when nodes do not answer [s]; each absence is told of once."""

    since: Mapping[str, float] = field(default_factory=dict)
    told: frozenset[str] = frozenset()

    def observed(self, name: str, now: float, *, answers: bool) -> "Absences":
        """After a look at one node."""
        if answers:
            return Absences({each: t for each, t in self.since.items() if each != name}, self.told - {name})
        return replace(self, since={name: now, **self.since})

    def overdue(self, now: float, patience: float) -> tuple[str, ...]:
        """Nodes away for longer than ``patience`` [s] that nobody was told of."""
        away = (name for name, since in self.since.items() if now - since > patience)
        return tuple(sorted(name for name in away if name not in self.told))

    def telling(self, name: str) -> "Absences":
        """After somebody was told."""
        return replace(self, told=self.told | {name})
