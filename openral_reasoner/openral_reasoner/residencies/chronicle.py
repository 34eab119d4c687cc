"""What became of the peers so far: when they came, what loading took, who is owed what."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from openral_reasoner.residencies.residents import LONG_AGO


@dataclass(frozen=True, slots=True)
class Chronicle:
    """Times in [s]; ``woken`` are to sleep again, ``displaced`` to come back, first gone first.

    ``borrower`` is the skill goal that may still hold the memory of those that are displaced.
    """

    since: Mapping[str, float] = field(default_factory=dict)
    used: Mapping[str, float] = field(default_factory=dict)
    load_times: Mapping[str, float] = field(default_factory=dict)
    woken: tuple[str, ...] = ()
    displaced: tuple[str, ...] = ()
    borrower: str = ""

    def came(self, peer: str, now: float, load_time: float) -> "Chronicle":
        """After a peer was activated, whoever wanted it."""
        return replace(
            self,
            since={**self.since, peer: now},
            load_times={**self.load_times, peer: load_time},
            displaced=tuple(each for each in self.displaced if each != peer),
        )

    def left(self, peer: str) -> "Chronicle":
        """After a peer was deactivated."""
        return replace(self, woken=tuple(each for each in self.woken if each != peer))

    def woke(self, peer: str) -> "Chronicle":
        """A peer came for one task only."""
        return replace(self, woken=(*(each for each in self.woken if each != peer), peer))

    def sent_away(self, peer: str) -> "Chronicle":
        """A peer had to go for another and is to come back."""
        return replace(self.left(peer), displaced=(*(e for e in self.displaced if e != peer), peer))

    def let_go(self, peer: str) -> "Chronicle":
        """A peer is owed nothing any more: it is gone, or somebody decided otherwise."""
        return replace(
            self,
            woken=tuple(each for each in self.woken if each != peer),
            displaced=tuple(each for each in self.displaced if each != peer),
        )

    def reconciled(self, awake: Collection[str]) -> "Chronicle":
        """Who is awake need not come back, who sleeps need not go; somebody else saw to it."""
        return replace(
            self,
            woken=tuple(each for each in self.woken if each in awake),
            displaced=tuple(each for each in self.displaced if each not in awake),
        )

    def touched(self, peer: str, now: float) -> "Chronicle":
        """A peer was of use just now."""
        return replace(self, used={**self.used, peer: now})

    def lent_to(self, call_id: str) -> "Chronicle":
        """A goal holds memory from now on; "" gives it back."""
        return replace(self, borrower=call_id)

    def reclaimed(self, *, idle: bool) -> "Chronicle":
        """A skill server that says it is idle holds nothing for a goal whose end it never told."""
        return self.lent_to("") if idle and self.borrower else self

    def sleep_at(self, peer: str, keep_warm: float) -> float:
        """When a woken peer is to sleep again [s]."""
        return max(self.used.get(peer, LONG_AGO), self.since.get(peer, LONG_AGO)) + keep_warm
