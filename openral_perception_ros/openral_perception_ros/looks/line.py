"""Who is next: requests in order of arrival, then the newest frame of the continuous leg."""

from collections import deque

from openral_perception_ros.looks.look import Look
from openral_perception_ros.looks.refusals import DeadlinePassed, LineFull, LookRefused


class WaitingLine:
    """Bounded; the continuous leg holds one place of its own, whose look is replaced by a newer one."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._asked: deque[Look] = deque()
        self._streamed: Look | None = None
        self.skipped = 0

    def join(self, look: Look) -> None:
        """Wait, or be refused at once because too many do."""
        if len(self._asked) >= self._capacity:
            look.end(LineFull(self._capacity))
        else:
            self._asked.append(look)

    def offer(self, look: Look) -> None:
        """The continuous leg's newest frame; the one it replaces is skipped."""
        self.skipped += self._streamed is not None
        self._streamed = look

    def expire(self, now: float) -> None:
        """Answer what waited past its deadline."""
        late = [look for look in self._asked if look.due <= now]
        for look in late:
            self._asked.remove(look)
            look.end(DeadlinePassed(look.deadline, "waiting for the model"))

    def next(self) -> Look | None:
        """The look to serve now; requests go first."""
        if self._asked:
            return self._asked.popleft()
        streamed, self._streamed = self._streamed, None
        return streamed

    def clear(self, reason: LookRefused) -> None:
        """Answer everyone with ``reason`` and drop the continuous leg's frame."""
        while self._asked:
            self._asked.popleft().end(reason)
        self._streamed = None

    @property
    def next_due(self) -> float:
        """Steady time [s] of the earliest deadline; infinite when nobody waits."""
        return min((look.due for look in self._asked), default=float("inf"))
