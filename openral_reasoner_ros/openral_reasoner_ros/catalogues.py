"""Catalogues of skills that were received, also from others than the skill server.

A `SkillCatalogue` does not carry its publisher, so a catalogue of another publisher cannot be told from the
server's. The server repeats its own; `Catalogues` therefore offers the union of the recent ones, and the
server rejects a verb that it does not implement.
"""

from dataclasses import dataclass
from typing import Self

from openral_core.skills import Verb
from openral_msgs.msg import SkillCatalogue

MAX_CATALOGUE_LENGTH = 200
"""Verbs of a catalogue, and characters of its strings, that are read."""
CATALOGUE_EXPIRY = 3.0
"""Age after which a catalogue that is not repeated is dropped, if there is a newer one [s]."""
MAX_CATALOGUES = 8
"""Distinct catalogues that are kept; a server that changes its own has one or two at a time."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Content of one `SkillCatalogue`."""

    verbs: tuple[str, ...] = ()
    holding: str = ""
    busy_with: str = ""
    session: str = ""

    @classmethod
    def of(cls, message: SkillCatalogue) -> Self:
        """Read a message of any size."""
        verbs = tuple(verb for verb in message.verbs[:MAX_CATALOGUE_LENGTH] if verb in set(Verb))
        texts = (
            text[:MAX_CATALOGUE_LENGTH] for text in (message.holding, message.busy_with, message.session)
        )
        return cls(verbs, *texts)


@dataclass(frozen=True, slots=True)
class Catalogues:
    """Received catalogues with the time each was last received [s], the newest last."""

    received: tuple[tuple[Catalogue, float], ...] = ()

    def with_received(self, catalogue: Catalogue, now: float) -> Self:
        """Return the catalogues after one more message."""
        others = tuple((earlier, at) for earlier, at in self.received if earlier != catalogue)
        return type(self)((*others[-(MAX_CATALOGUES - 1) :], (catalogue, now)))

    def current(self, now: float) -> tuple[Catalogue, ...]:
        """Return the newest catalogue and every other one that has not expired."""
        latest = self.received[-1:]
        return tuple(
            each for each, at in self.received if now - at < CATALOGUE_EXPIRY or (each, at) in latest
        )

    def verbs(self, now: float) -> tuple[str, ...]:
        """Return the union of the current catalogues' verbs, those of the newest first."""
        verbs = (verb for catalogue in reversed(self.current(now)) for verb in catalogue.verbs)
        return tuple(dict.fromkeys(verbs))

    def sessions(self, now: float) -> frozenset[str]:
        """Return the sessions of the current catalogues."""
        return frozenset(catalogue.session for catalogue in self.current(now)) - {""}

    @property
    def newest(self) -> Catalogue:
        """The catalogue received last."""
        return self.received[-1][0] if self.received else Catalogue()
