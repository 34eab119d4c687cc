"""Watchdog that exits the process if its subscriptions stay silent after the process was suspended.

The rule is pure (`SuspensionPolicy`); all times are steady, in [s].
"""

import time
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from rclpy.node import Node
from rclpy.subscription import Subscription

from openral_core.errors import format_choices
from openral_ros.callback_guard import FatalNodeError
from openral_ros.rclpy_internals import intercept_messages
from openral_ros.resources import ResourceScope


@dataclass(frozen=True, slots=True)
class StreamActivity:
    """Times of one stream: its last message and the start of its current publisher; None without one.

    ``burst_start`` is the time of the `MIN_MESSAGES`-th last message, which tells the rate.
    """

    last_message: float | None = None
    burst_start: float | None = None
    published_since: float | None = None


@dataclass(frozen=True, slots=True)
class SuspensionPolicy:
    """Streams that a process must receive again after it was suspended for more than ``gap``.

    Expected are the streams with steady messages within ``timeout`` before the suspension; slow or silent
    ones are not. Messages within ``settle`` after it may be older than the suspension and do not count.
    A stream without a publisher at the end of its ``timeout`` is no longer expected.
    """

    gap: float = 3.0
    settle: float = 1.0
    timeout: float = 6.0
    last_update: float | None = None
    resumed: float = 0.0
    suspended_for: float = 0.0
    expected: frozenset[str] = field(default=frozenset())

    def update(self, now: float, streams: Mapping[str, StreamActivity]) -> tuple[frozenset[str], Self]:
        """Return the streams that are published but lost for this process, and the next policy."""
        policy = self._detect_suspension(now, streams)
        silent = {name for name in policy.expected & streams.keys() if not policy._received(streams[name])}
        overdue = {name for name in silent if now >= policy._deadline(streams[name])}
        lost = frozenset(name for name in overdue if streams[name].published_since is not None)
        return lost, replace(policy, last_update=now, expected=frozenset(silent - overdue))

    def _detect_suspension(self, now: float, streams: Mapping[str, StreamActivity]) -> Self:
        """Return the policy that expects the live streams if updates were more than ``gap`` apart."""
        if self.last_update is None or now - self.last_update <= self.gap:
            return self
        since = self.last_update - self.timeout
        alive = {name for name, s in streams.items() if s.burst_start is not None and s.burst_start >= since}
        suspended_for = now - self.last_update
        return replace(self, resumed=now, suspended_for=suspended_for, expected=self.expected | alive)

    def _received(self, stream: StreamActivity) -> bool:
        return stream.last_message is not None and stream.last_message > self.resumed + self.settle

    def _deadline(self, stream: StreamActivity) -> float:
        """Return the end of the timeout, which restarts when a publisher is discovered again."""
        return max(self.resumed, stream.published_since or 0.0) + self.timeout


UPDATE_PERIOD = 0.5
"""Time between two updates of the policy [s]."""
MIN_MESSAGES = 5
"""Number of messages that make a stream."""


class StreamsLost(FatalNodeError):
    """Published streams no longer reach this process since it was suspended."""

    kind = "deaf"

    def __init__(self, suspended_for: float, streams: Iterable[str], waited: float) -> None:
        super().__init__(
            f"process was suspended for {suspended_for:.1f} s and has received nothing on "
            f"{format_choices(streams)} for {waited:.0f} s since then, although they are published; "
            "exiting so that the supervisor restarts it"
        )


@dataclass(slots=True)
class _WatchedStream:
    subscription: Subscription
    arrivals: deque[float] = field(default_factory=lambda: deque(maxlen=MIN_MESSAGES))
    published_since: float | None = None

    def activity(self, now: float) -> StreamActivity:
        """Return the times of the stream."""
        is_published = self.subscription.get_publisher_count() > 0
        self.published_since = (self.published_since or now) if is_published else None
        arrivals = tuple(self.arrivals)
        burst_start = arrivals[0] if len(arrivals) == MIN_MESSAGES else None
        return StreamActivity(arrivals[-1] if arrivals else None, burst_start, self.published_since)


class StreamWatchdog:
    """Watches subscriptions on which messages arrive continuously.

    A process that was suspended, by a signal or a debugger, can lose its link to another one for good:
    Fast DDS writers replace the shared-memory port of an unresponsive reader, which may not find the new one.

    Args:
        scope: Holds the timer.
        node: Its executor raises `StreamsLost`; a blocked executor counts as suspended too.
        policy: The rule.
    """

    def __init__(self, scope: ResourceScope, node: Node, policy: SuspensionPolicy) -> None:
        self._scope, self._node, self._policy = scope, node, policy
        self._streams: dict[str, _WatchedStream] = {}
        scope.timer(UPDATE_PERIOD, self._update)

    def watch(self, subscription: Subscription, scope: ResourceScope | None = None) -> None:
        """Watch a subscription of the same scope, or of the ``scope`` of a part of the node."""
        topic = subscription.topic_name
        stream = self._streams[topic] = _WatchedStream(subscription)
        (scope or self._scope).callback(self._streams.pop, topic, None)
        intercept_messages(subscription, lambda _: stream.arrivals.append(time.monotonic()))

    def _update(self) -> None:
        now, before = time.monotonic(), self._policy
        activities = {name: stream.activity(now) for name, stream in tuple(self._streams.items())}
        lost, self._policy = before.update(now, activities)
        if self._policy.resumed != before.resumed:
            self._node.get_logger().warning(f"process was suspended for {self._policy.suspended_for:.1f} s")
        if lost:
            raise StreamsLost(self._policy.suspended_for, sorted(lost), self._policy.timeout)
