"""Subscriptions that end their process when it stood still and hears no more, so that it is started again."""

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from rclpy.node import Node
from rclpy.subscription import Subscription

from openral_core.errors import listed
from openral_ros.callback_guard import CannotGoOn
from openral_ros.scopes import Scope
from openral_ros.standstills import Hearing, Stream

LOOKS = 0.5
"""Between two looks at the clock [s]."""
STEADY = 5
"""So many messages make a stream."""


class Deaf(CannotGoOn):
    """This process was stopped for a while and since then nothing reaches it of what is published."""

    kind = "deaf"

    def __init__(self, stood: float, streams: Iterable[str], waited: float) -> None:
        super().__init__(
            f"this process stood still for {stood:.1f} s and has heard nothing of {listed(streams)} for "
            f"{waited:.0f} s since, although they are published: it ends, to be started again"
        )


@dataclass(slots=True)
class _Ear:
    subscription: Subscription
    heard: deque[float] = field(default_factory=lambda: deque(maxlen=STEADY))
    published: float | None = None

    def look(self, now: float) -> Stream:
        """What is known of its stream now."""
        there = self.subscription.get_publisher_count() > 0
        self.published = (self.published or now) if there else None
        heard = tuple(self.heard)
        steady = heard[0] if len(heard) == STEADY else None
        return Stream(heard[-1] if heard else None, steady, self.published)


class Ears:
    """Minds subscriptions that something comes on all the time.

    A process that was stopped, by a signal or a debugger, can lose its link to another one for good: writers
    of Fast DDS replace the shared-memory port of a reader that does not move; it need not find the new one.

    Args:
        scope: Holds the timer.
        node: Its executor raises `Deaf`; what delays that executor counts as standing still too.
        hearing: The rule.
    """

    def __init__(self, scope: Scope, node: Node, hearing: Hearing) -> None:
        self._scope, self._node, self._hearing = scope, node, hearing
        self._ears: dict[str, _Ear] = {}
        scope.timer(LOOKS, self._look)

    def mind(self, subscription: Subscription) -> None:
        """Take note of when messages come on it; its scope must be that of the timer, which reads it."""
        topic = subscription.topic_name
        ear = self._ears[topic] = _Ear(subscription)
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
            raise Deaf(self._hearing.stood, sorted(lost), self._hearing.patience)
