"""What a skill server says it can do, when more than one speaks in its name. Pure: ``now`` in [s], steady.

Nothing on the wire tells who published a catalogue. The server repeats its own; so a stranger's cannot stand
for it, and a verb that one of them does not name is not lost: the server refuses what it does not do.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

KEPT = 3.0
"""A catalogue that has not been repeated for so long counts no more once there is another [s]."""
MOST = 8
"""Different catalogues that are kept; a server that changes its own has one or two at a time."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """One content of `SkillCatalogue`."""

    verbs: tuple[str, ...] = ()
    holding: str = ""
    busy_with: str = ""


@dataclass(frozen=True, slots=True)
class Catalogues:
    """Catalogues with when each was heard last, the newest last."""

    heard: tuple[tuple[Catalogue, float], ...] = ()

    def hear(self, catalogue: Catalogue, now: float) -> Self:
        """After one came."""
        others = tuple((each, at) for each, at in self.heard if each != catalogue)
        return type(self)((*others[-(MOST - 1) :], (catalogue, now)))

    def current(self, now: float) -> tuple[Catalogue, ...]:
        """The newest, and others that were still told of late."""
        latest = self.heard[-1:]
        return tuple(each for each, at in self.heard if now - at < KEPT or (each, at) in latest)

    def verbs(self, now: float) -> tuple[str, ...]:
        """Every verb that any of them names, in the order of the newest first."""
        named: Iterable[str] = (verb for each in reversed(self.current(now)) for verb in each.verbs)
        return tuple(dict.fromkeys(named))

    @property
    def newest(self) -> Catalogue:
        """What was said last."""
        return self.heard[-1][0] if self.heard else Catalogue()
