"""A process that stood still and hears no more what is published ends itself; any other silence is borne."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rclpy.node import Node
from std_msgs.msg import String

from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import (
    MIN_MESSAGES,
    UPDATE_PERIOD,
    StreamsLost,
    StreamWatchdog,
    SuspensionPolicy,
)

SpinUntil = Callable[..., None]
TOPIC = "/chatter"
RULE = SuspensionPolicy(gap=2.0 * UPDATE_PERIOD, settle=0.5, timeout=3.0)
LONGEST = 30.0


class Pair:
    """A node that hears another one."""

    def __init__(self, context: Any, spin_until: SpinUntil, rule: SuspensionPolicy) -> None:
        self.talker, self.listener = Node("talker", context=context), Node("listener", context=context)
        self.heard: list[str] = []
        self._spin_until = spin_until
        self._publisher = self.talker.create_publisher(String, TOPIC, RELIABLE)
        self.scope = ResourceScope(self.listener)
        ears = StreamWatchdog(self.scope, self.listener, rule)
        ears.watch(self.scope.subscription(String, TOPIC, lambda m: self.heard.append(m.data), RELIABLE))

    def talk_until_heard(self) -> None:
        """Again after it has looked at the clock."""
        for _ in range(MIN_MESSAGES):
            self._talk()
        self.spin(2.0 * UPDATE_PERIOD)
        self._talk()

    def _talk(self) -> None:
        count = len(self.heard)
        self._spin_until(
            [self.talker, self.listener], lambda: self._said() and len(self.heard) > count, LONGEST
        )

    def spin(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        self._spin_until([self.listener], lambda: time.monotonic() > end, LONGEST)

    def stand_still(self) -> None:
        """Nobody spins."""
        begun = time.monotonic()
        while time.monotonic() - begun < RULE.gap + UPDATE_PERIOD:
            time.sleep(UPDATE_PERIOD)

    def _said(self) -> bool:
        self._publisher.publish(String(data="hello"))
        return True


@pytest.fixture
def rule() -> SuspensionPolicy:
    return RULE


@pytest.fixture
def pair(ros_context: Any, spin_until: SpinUntil, rule: SuspensionPolicy) -> Iterator[Pair]:
    made = Pair(ros_context, spin_until, rule)
    yield made
    made.scope.close()
    made.talker.destroy_node()
    made.listener.destroy_node()


def test_silence_of_what_is_published_after_a_standstill_is_deafness(pair: Pair) -> None:
    pair.talk_until_heard()
    pair.stand_still()
    with pytest.raises(StreamsLost, match=r"suspended for .* '/chatter' .* exiting"):
        pair.spin(LONGEST)


def test_a_standstill_after_which_it_hears_again_is_borne(pair: Pair) -> None:
    pair.talk_until_heard()
    pair.stand_still()
    pair.spin(2.0 * RULE.settle)
    pair.talk_until_heard()
    pair.spin(RULE.timeout + 2.0 * UPDATE_PERIOD)


@pytest.mark.parametrize("rule", [SuspensionPolicy(gap=LONGEST, settle=0.5, timeout=3.0)])
def test_silence_without_a_standstill_is_borne(pair: Pair) -> None:
    pair.talk_until_heard()
    pair.spin(RULE.timeout + 3.0 * UPDATE_PERIOD)


def test_silence_of_what_nobody_publishes_any_more_is_borne(pair: Pair) -> None:
    pair.talk_until_heard()
    pair.stand_still()
    pair.talker.destroy_publisher(pair._publisher)
    pair.spin(RULE.timeout + 3.0 * UPDATE_PERIOD)
