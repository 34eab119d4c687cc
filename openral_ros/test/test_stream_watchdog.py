"""A suspended process expects its streams again for a bounded time, and exits if they stay lost."""

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
    StreamActivity,
    StreamsLost,
    StreamWatchdog,
    SuspensionPolicy,
)

POLICY = SuspensionPolicy(gap=2.0, settle=1.0, timeout=6.0)
HEAD, WRIST = "/head/image_raw", "/wrist/image_raw"
Streams = dict[str, StreamActivity]


def updates(
    rule: SuspensionPolicy, *seen: tuple[float, Streams]
) -> tuple[list[frozenset[str]], SuspensionPolicy]:
    """Streams lost at each update."""
    lost = []
    for now, streams in seen:
        found, rule = rule.update(now, streams)
        lost.append(found)
    return lost, rule


def head(heard: float, published: float | None = 0.0, rate: float = 5.0) -> Streams:
    return {HEAD: StreamActivity(heard, heard - 4.0 / rate, published)}


def suspended(heard: float = 9.9, rate: float = 5.0) -> SuspensionPolicy:
    """A policy updated at 10 s and then not before 24 s."""
    streams = head(heard, rate=rate)
    _, rule = updates(POLICY, (9.5, streams), (10.0, streams), (24.0, streams))
    return rule


def test_a_stream_that_does_not_come_again_is_lost_after_the_timeout() -> None:
    lost, rule = updates(suspended(), (26.0, head(9.9)), (28.0, head(9.9)), (30.0, head(9.9)))
    assert lost == [frozenset(), frozenset(), frozenset({HEAD})]
    assert rule.suspended_for == 14.0
    assert not rule.expected


def test_what_waited_since_before_the_standstill_does_not_count_as_heard() -> None:
    lost, _ = updates(
        suspended(), (24.5, head(24.1)), (26.5, head(24.1)), (28.5, head(24.1)), (30.0, head(24.1))
    )
    assert lost[-1] == frozenset({HEAD})


def test_a_stream_that_came_again_may_fall_silent() -> None:
    lost, rule = updates(suspended(), (25.5, head(25.4)), *((26.0 + item, head(25.4)) for item in range(20)))
    assert not any(lost)
    assert not rule.expected


def test_a_stream_that_was_silent_before_the_standstill_is_not_expected() -> None:
    lost, _ = updates(suspended(heard=3.0), (26.0, head(3.0)), (28.0, head(3.0)), (31.0, head(3.0)))
    assert not any(lost)


def test_a_stream_that_is_slower_than_the_timeout_is_not_expected() -> None:
    assert not suspended(rate=0.5).expected


def test_a_single_message_is_no_stream() -> None:
    streams = {HEAD: StreamActivity(9.9, None, 0.0)}
    _, rule = updates(POLICY, (10.0, streams), (24.0, streams))
    assert not rule.expected


def test_silence_without_a_standstill_says_nothing() -> None:
    lost, _ = updates(POLICY, *((float(item), head(2.0)) for item in range(60)))
    assert not any(lost)


def test_a_camera_whose_node_is_gone_is_expected_no_more() -> None:
    gone = head(9.9, None)
    lost, _ = updates(
        suspended(),
        (26.0, gone),
        (28.0, gone),
        (30.0, gone),
        (32.0, head(9.9, 32.0)),
        (40.0, head(9.9, 32.0)),
    )
    assert not any(lost)


def test_publishers_that_are_found_again_late_get_as_much_time() -> None:
    found = head(9.9, 28.0)
    lost, _ = updates(
        suspended(), (26.0, head(9.9, None)), (28.0, found), (30.0, found), (32.0, found), (34.0, found)
    )
    assert lost == [frozenset()] * 4 + [frozenset({HEAD})]


def test_a_second_standstill_begins_anew_and_forgets_nothing() -> None:
    lost, _ = updates(
        suspended(),
        (26.0, head(9.9)),
        (40.0, head(9.9)),
        (42.0, head(9.9)),
        (44.0, head(9.9)),
        (46.0, head(9.9)),
    )
    assert lost == [frozenset()] * 4 + [frozenset({HEAD})]


def test_each_stream_is_judged_by_itself() -> None:
    streams = {HEAD: StreamActivity(26.0, 25.0, 0.0), WRIST: StreamActivity(9.9, 9.0, 0.0)}
    _, rule = updates(
        POLICY, (10.0, {HEAD: StreamActivity(9.9, 9.0, 0.0), WRIST: StreamActivity(9.9, 9.0, 0.0)})
    )
    lost, _ = updates(rule, (24.0, streams), (26.0, streams), (28.0, streams), (30.0, streams))
    assert lost[-1] == frozenset({WRIST})


SpinUntil = Callable[..., None]
TOPIC = "/chatter"
RULE = SuspensionPolicy(gap=2.0 * UPDATE_PERIOD, settle=0.5, timeout=3.0)
LONGEST = 30.0


class Pair:
    """A subscriber and a publisher."""

    def __init__(self, context: Any, spin_until: SpinUntil, rule: SuspensionPolicy) -> None:
        self.talker, self.listener = Node("talker", context=context), Node("listener", context=context)
        self.heard: list[str] = []
        self._spin_until = spin_until
        self._publisher = self.talker.create_publisher(String, TOPIC, RELIABLE)
        self.scope = ResourceScope(self.listener)
        watchdog = StreamWatchdog(self.scope, self.listener, rule)
        watchdog.watch(self.scope.subscription(String, TOPIC, lambda m: self.heard.append(m.data), RELIABLE))

    def talk_until_heard(self) -> None:
        """Publish again after an update of the watchdog."""
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
        """Let time pass without spinning."""
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


def test_silence_of_what_is_published_after_a_standstill_ends_the_process(pair: Pair) -> None:
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
