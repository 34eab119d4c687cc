"""A process that stood still expects again what it heard before, and for a bounded time."""

from openral_ros.stream_watchdog import StreamActivity, SuspensionPolicy

RULE = SuspensionPolicy(gap=2.0, settle=1.0, timeout=6.0)
HEAD, WRIST = "/head/image_raw", "/wrist/image_raw"
Streams = dict[str, StreamActivity]


def looks(
    rule: SuspensionPolicy, *seen: tuple[float, Streams]
) -> tuple[list[frozenset[str]], SuspensionPolicy]:
    """What was lost at each look."""
    lost = []
    for now, streams in seen:
        found, rule = rule.update(now, streams)
        lost.append(found)
    return lost, rule


def head(heard: float, published: float | None = 0.0, rate: float = 5.0) -> Streams:
    return {HEAD: StreamActivity(heard, heard - 4.0 / rate, published)}


def stood(heard: float = 9.9, rate: float = 5.0) -> SuspensionPolicy:
    """It looked at 10 s, and then not before 24 s."""
    streams = head(heard, rate=rate)
    _, rule = looks(RULE, (9.5, streams), (10.0, streams), (24.0, streams))
    return rule


def test_a_stream_that_does_not_come_again_is_lost_after_the_timeout() -> None:
    lost, rule = looks(stood(), (26.0, head(9.9)), (28.0, head(9.9)), (30.0, head(9.9)))
    assert lost == [frozenset(), frozenset(), frozenset({HEAD})]
    assert rule.suspended_for == 14.0
    assert not rule.expected


def test_what_waited_since_before_the_standstill_does_not_count_as_heard() -> None:
    lost, _ = looks(stood(), (24.5, head(24.1)), (26.5, head(24.1)), (28.5, head(24.1)), (30.0, head(24.1)))
    assert lost[-1] == frozenset({HEAD})


def test_a_stream_that_came_again_may_fall_silent() -> None:
    lost, rule = looks(stood(), (25.5, head(25.4)), *((26.0 + each, head(25.4)) for each in range(20)))
    assert not any(lost)
    assert not rule.expected


def test_a_stream_that_was_silent_before_the_standstill_is_not_expected() -> None:
    lost, _ = looks(stood(heard=3.0), (26.0, head(3.0)), (28.0, head(3.0)), (31.0, head(3.0)))
    assert not any(lost)


def test_a_stream_that_is_slower_than_the_timeout_is_not_expected() -> None:
    assert not stood(rate=0.5).expected


def test_a_single_message_is_no_stream() -> None:
    streams = {HEAD: StreamActivity(9.9, None, 0.0)}
    _, rule = looks(RULE, (10.0, streams), (24.0, streams))
    assert not rule.expected


def test_silence_without_a_standstill_says_nothing() -> None:
    lost, _ = looks(RULE, *((float(each), head(2.0)) for each in range(60)))
    assert not any(lost)


def test_a_camera_whose_node_is_gone_is_expected_no_more() -> None:
    gone = head(9.9, None)
    lost, _ = looks(
        stood(), (26.0, gone), (28.0, gone), (30.0, gone), (32.0, head(9.9, 32.0)), (40.0, head(9.9, 32.0))
    )
    assert not any(lost)


def test_publishers_that_are_found_again_late_get_as_much_time() -> None:
    found = head(9.9, 28.0)
    lost, _ = looks(
        stood(), (26.0, head(9.9, None)), (28.0, found), (30.0, found), (32.0, found), (34.0, found)
    )
    assert lost == [frozenset()] * 4 + [frozenset({HEAD})]


def test_a_second_standstill_begins_anew_and_forgets_nothing() -> None:
    lost, _ = looks(
        stood(), (26.0, head(9.9)), (40.0, head(9.9)), (42.0, head(9.9)), (44.0, head(9.9)), (46.0, head(9.9))
    )
    assert lost == [frozenset()] * 4 + [frozenset({HEAD})]


def test_each_stream_is_judged_by_itself() -> None:
    streams = {HEAD: StreamActivity(26.0, 25.0, 0.0), WRIST: StreamActivity(9.9, 9.0, 0.0)}
    _, rule = looks(RULE, (10.0, {HEAD: StreamActivity(9.9, 9.0, 0.0), WRIST: StreamActivity(9.9, 9.0, 0.0)}))
    lost, _ = looks(rule, (24.0, streams), (26.0, streams), (28.0, streams), (30.0, streams))
    assert lost[-1] == frozenset({WRIST})
