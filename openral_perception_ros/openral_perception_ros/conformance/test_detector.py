"""What every detector must do, whoever made it."""

import pytest

from openral_perception_ros.conformance.subject import OPEN_WORDS, Subject
from openral_perception_ros.looks import Seen


def test_it_loads_and_says_what_it_can_name(subject: Subject) -> None:
    """The worker's labels are the manifest's vocabulary."""
    assert subject.supervised.ready.result().labels == subject.detector.labels


def test_labels_are_its_vocabulary_or_the_words_asked(subject: Subject) -> None:
    """Nothing else reaches the graph."""
    allowed = set(subject.detector.labels or OPEN_WORDS)
    assert {each.label for each in subject.look(subject.picture(), subject.words)} <= allowed


def test_the_same_frame_gives_the_same_answer(subject: Subject) -> None:
    """Whatever was asked in between, and of whichever camera."""
    frame = subject.picture(stamp=7)
    first = subject.look(frame, subject.words)
    subject.look(subject.picture("dining_table", "wrist", 8), subject.words)
    assert subject.look(frame, subject.words) == first


def test_concurrent_prompts_never_mix(subject: Subject) -> None:
    """Each caller gets boxes of its own words alone."""
    if subject.words is None:
        pytest.skip("never prompted: its vocabulary is closed")
    asked = [(f"thing number {index}",) if index % 2 else ("red mug",) for index in range(20)]
    answers = [subject.begin(subject.picture(stamp=index), terms) for index, terms in enumerate(asked)]
    for terms, answer in zip(asked, answers, strict=True):
        outcome = answer.result(300.0)
        assert isinstance(outcome, Seen)
        assert {each.label for each in outcome.detections} <= set(terms)
