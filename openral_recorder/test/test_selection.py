"""Topics are chosen by pattern and type, and their rates are bounded."""

import pytest

from openral_recorder.selection import CLOCK, IMAGE, MARKERS, StampSlots, TopicSelection

TEXT = "std_msgs/msg/String"


@pytest.mark.parametrize(
    ("selection", "topic", "message_type", "expected"),
    [
        (TopicSelection(), "/openral/mission", TEXT, True),
        (TopicSelection(), "/head/image_raw", IMAGE, True),
        (TopicSelection(), "/openral/perception/x/annotated", IMAGE, False),
        (TopicSelection(), "/head/semantic", IMAGE, False),
        (TopicSelection(), "/openral/world_state/markers", MARKERS, True),
        (TopicSelection(), "/openral/world_state/objects", TEXT, False),
        (TopicSelection(include=("annotated",)), "/openral/perception/x/annotated", IMAGE, True),
        (TopicSelection(include=("^/openral/",)), "/tf", TEXT, False),
        (TopicSelection(exclude=("^/tf",)), "/tf", TEXT, False),
        (TopicSelection(include=("tf",), exclude=("static",)), "/tf_static", TEXT, False),
        (TopicSelection(), "/openral/recording/reasoner", TEXT, False),
        (TopicSelection(include=(".*",)), "/kitchen/openral/recording/spans/sim", TEXT, False),
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
    assert selection.rate("/openral/world_state/markers", MARKERS) == 0.5


@pytest.mark.parametrize("period", [0.1, 0.2, 0.33])
def test_images_are_chosen_by_their_stamps_so_that_depth_has_the_stamps_of_colour(period: float) -> None:
    colour, depth = StampSlots(2.0), StampSlots(0.5)
    stamps = [100.0 + period * step for step in range(200)]
    chosen = [stamp for stamp in stamps if colour.passes(stamp)]
    assert len(chosen) == pytest.approx(2.0 * 200 * period, abs=2)
    assert {stamp for stamp in stamps if depth.passes(stamp)} <= set(chosen)


def test_images_of_a_restarted_clock_are_chosen_too() -> None:
    slots = StampSlots(2.0)
    assert [slots.passes(stamp) for stamp in (50.0, 50.1, 1.0, 1.1, 1.6)] == [True, False, True, False, True]
