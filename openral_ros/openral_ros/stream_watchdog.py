"""Subscriptions that end their process when it stood still and hears no more, so that it is started again."""
# MERGED Whether a process that stood still hears again what it heard before. Pure: times in [s], steady.

import time
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from rclpy.node import Node
from rclpy.subscription import Subscription

from openral_core.errors import format_choices
from openral_ros.callback_guard import FatalNodeError
from openral_ros.resources import ResourceScope


@dataclass(frozen=True, slots=True)
class StreamActivity:
    """When something last came on it, and since when somebody publishes it; None for never and nobody.

    ``steady`` is when the last but a few of what came on it came: how far it reaches back tells its rate.
    """

    heard: float | None = None
    steady: float | None = None
    published: float | None = None


@dataclass(frozen=True, slots=True)
class SuspensionPolicy:
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

    def at(self, now: float, streams: Mapping[str, StreamActivity]) -> tuple[frozenset[str], Self]:
        """The streams that are published and lost for this process, and what is expected after them."""
        awake = self._awake(now, streams)
        waiting = {name for name in awake.expected & streams.keys() if not awake._heard(streams[name])}
        over = {name for name in waiting if now >= awake._due(streams[name])}
        lost = frozenset(name for name in over if streams[name].published is not None)
        return lost, replace(awake, looked=now, expected=frozenset(waiting - over))

    def _awake(self, now: float, streams: Mapping[str, StreamActivity]) -> Self:
        """As it is, or expecting what came before it stood still."""
        if self.looked is None or now - self.looked <= self.gap:
            return self
        since = self.looked - self.patience
        alive = {name for name, each in streams.items() if each.steady is not None and each.steady >= since}
        return replace(self, resumed=now, stood=now - self.looked, expected=self.expected | alive)

    def _heard(self, stream: StreamActivity) -> bool:
        return stream.heard is not None and stream.heard > self.resumed + self.settle

    def _due(self, stream: StreamActivity) -> float:
        """Publishers that were only found again afterwards get as much time."""
        return max(self.resumed, stream.published or 0.0) + self.patience


LOOKS = 0.5
"""Between two looks at the clock [s]."""
STEADY = 5
"""So many messages make a stream."""


class StreamsLost(FatalNodeError):
    """This process was stopped for a while and since then nothing reaches it of what is published."""

    kind = "deaf"

    def __init__(self, stood: float, streams: Iterable[str], waited: float) -> None:
        super().__init__(
            f"this process stood still for {stood:.1f} s and has heard nothing of "
            f"{format_choices(streams)} for "
            f"{waited:.0f} s since, although they are published: it ends, to be started again"
        )


@dataclass(slots=True)
class _WatchedStream:
    subscription: Subscription
    heard: deque[float] = field(default_factory=lambda: deque(maxlen=STEADY))
    published: float | None = None

    def look(self, now: float) -> StreamActivity:
        """What is known of its stream now."""
        there = self.subscription.get_publisher_count() > 0
        self.published = (self.published or now) if there else None
        heard = tuple(self.heard)
        steady = heard[0] if len(heard) == STEADY else None
        return StreamActivity(heard[-1] if heard else None, steady, self.published)


class StreamWatchdog:
    """Minds subscriptions that something comes on all the time.

    A process that was stopped, by a signal or a debugger, can lose its link to another one for good: writers
    of Fast DDS replace the shared-memory port of a reader that does not move; it need not find the new one.

    Args:
        scope: Holds the timer.
        node: Its executor raises `StreamsLost`; what delays that executor counts as standing still too.
        hearing: The rule.
    """

    def __init__(self, scope: ResourceScope, node: Node, hearing: SuspensionPolicy) -> None:
        self._scope, self._node, self._hearing = scope, node, hearing
        self._ears: dict[str, _WatchedStream] = {}
        scope.timer(LOOKS, self._look)

    def mind(self, subscription: Subscription) -> None:
        """Take note of when messages come on it; its scope must be that of the timer, which reads it."""
        topic = subscription.topic_name
        ear = self._ears[topic] = _WatchedStream(subscription)
        self._scope.callback(self._ears.pop, topic, None)
        receive = subscription.callback

        def heard(message: object) -> None:
            ear.heard.append(time.monotonic())
            receive(message)

        subscription.callback = heard

    def _look(self) -> None:
        now, before = time.monotonic(), self._hearing
        streams = {name: ear.look(now) for name, ear in tuple(self._ears.items())}
        lost, self._hearing = before.at(now, streams)
        if self._hearing.resumed != before.resumed:
            self._node.get_logger().warning(f"stood still for {self._hearing.stood:.1f} s")
        if lost:
            raise StreamsLost(self._hearing.stood, sorted(lost), self._hearing.patience)
