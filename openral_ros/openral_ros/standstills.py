"""Whether a process that stood still hears again what it heard before. Pure: times in [s], steady."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Stream:
    """When something last came on it, and since when somebody publishes it; None for never and nobody.

    ``steady`` is when the last but a few of what came on it came: how far it reaches back tells its rate.
    """

    heard: float | None = None
    steady: float | None = None
    published: float | None = None


@dataclass(frozen=True, slots=True)
class Hearing:
    """What a process expects to hear again after its own looks at the clock were ``gap`` apart.

    Only streams that came again and again within ``patience`` before the standstill are expected: one that
    was silent already, or is slow, says nothing. What comes within ``settle`` after it may have waited since
    before. A stream that nobody publishes when its time is over is expected no more.
    """

    gap: float = 3.0
    settle: float = 1.0
    patience: float = 6.0
    looked: float | None = None
    resumed: float = 0.0
    stood: float = 0.0
    expected: frozenset[str] = field(default=frozenset())

    def at(self, now: float, streams: Mapping[str, Stream]) -> tuple[frozenset[str], Self]:
        """The streams that are published and lost for this process, and what is expected after them."""
        awake = self._awake(now, streams)
        waiting = {name for name in awake.expected & streams.keys() if not awake._heard(streams[name])}
        over = {name for name in waiting if now >= awake._due(streams[name])}
        lost = frozenset(name for name in over if streams[name].published is not None)
        return lost, replace(awake, looked=now, expected=frozenset(waiting - over))

    def _awake(self, now: float, streams: Mapping[str, Stream]) -> Self:
        """As it is, or expecting what came before it stood still."""
        if self.looked is None or now - self.looked <= self.gap:
            return self
        since = self.looked - self.patience
        alive = {name for name, each in streams.items() if each.steady is not None and each.steady >= since}
        return replace(self, resumed=now, stood=now - self.looked, expected=self.expected | alive)

    def _heard(self, stream: Stream) -> bool:
        return stream.heard is not None and stream.heard > self.resumed + self.settle

    def _due(self, stream: Stream) -> float:
        """Publishers that were only found again afterwards get as much time."""
        return max(self.resumed, stream.published or 0.0) + self.patience
