"""Topics are chosen by pattern and type, and their rates are bounded."""

import pytest

from openral_recorder.selection import CLOCK, IMAGE, RateLimit, TopicSelection

TEXT = "std_msgs/msg/String"


@pytest.mark.parametrize(
    ("selection", "topic", "message_type", "expected"),
    [
        (TopicSelection(), "/openral/mission", TEXT, True),
        (TopicSelection(), "/head/image_raw", IMAGE, True),
        (TopicSelection(), "/openral/perception/x/annotated", IMAGE, False),
        (TopicSelection(), "/head/semantic", IMAGE, False),
        (TopicSelection(include=("annotated",)), "/openral/perception/x/annotated", IMAGE, True),
        (TopicSelection(include=("^/openral/",)), "/tf", TEXT, False),
        (TopicSelection(exclude=("^/tf",)), "/tf", TEXT, False),
        (TopicSelection(include=("tf",), exclude=("static",)), "/tf_static", TEXT, False),
        (TopicSelection(image_rate=0.0), "/head/image_raw", IMAGE, False),
        (TopicSelection(image_rate=0.0), "/head/depth", IMAGE, True),
        (TopicSelection(depth_rate=0.0), "/head/depth", IMAGE, False),
    ],
)
def test_topics_are_chosen(selection: TopicSelection, topic: str, message_type: str, expected: bool) -> None:
    assert selection.accepts(topic, message_type) is expected


def test_each_kind_of_topic_has_its_rate() -> None:
    selection = TopicSelection(image_rate=2.0, depth_rate=1.0, clock_rate=5.0, topic_rate=50.0)
    assert selection.rate("/head/image_raw", IMAGE) == 2.0
    assert selection.rate("/head/depth", IMAGE) == 1.0
    assert selection.rate("/clock", CLOCK) == 5.0
    assert selection.rate("/tf", TEXT) == 50.0


def test_a_fast_topic_is_thinned_to_its_rate_and_a_slow_one_is_whole() -> None:
    fast, slow = RateLimit(2.0), RateLimit(2.0)
    assert sum(fast.passes(tick * 0.01) for tick in range(1000)) == pytest.approx(20, abs=1)
    assert all(slow.passes(tick * 0.5) for tick in range(20))
    assert fast.dropped > 900


def test_a_burst_passes_whole_and_an_endless_one_does_not() -> None:
    limit = RateLimit(50.0, burst=50.0)
    assert all(limit.passes(1.0) for _ in range(50))
    assert not limit.passes(1.0)
