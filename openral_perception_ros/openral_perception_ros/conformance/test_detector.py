"""What every detector must do, whoever made it."""

import psutil
import pytest

from openral_perception_ros.conformance.scenes import SIZES
from openral_perception_ros.conformance.subject import LOAD, OPEN_WORDS, Subject
from openral_perception_ros.looks import Seen
from openral_perception_ros.supervision import EventKind

LEAK = 20.0
"""Growth over all lives that is still noise [MB]."""


def test_it_loads_and_says_what_it_can_name(subject: Subject) -> None:
    """The worker's labels are the manifest's vocabulary."""
    assert subject.supervised.ready.result().labels == subject.detector.labels


@pytest.mark.parametrize("size", SIZES)
def test_boxes_lie_inside_frames_of_any_shape(subject: Subject, size: tuple[int, int]) -> None:
    """In source pixels, also of frames that are not square."""
    for each in subject.look(subject.picture(size), subject.words):
        assert 0.0 <= each.box.x_min < each.box.x_max <= size[0]
        assert 0.0 <= each.box.y_min < each.box.y_max <= size[1]


def test_labels_are_its_vocabulary_or_the_words_asked(subject: Subject) -> None:
    """Nothing else reaches the graph."""
    allowed = set(subject.detector.labels or OPEN_WORDS)
    assert {each.label for each in subject.look(subject.picture(), subject.words)} <= allowed


def test_the_same_frame_gives_the_same_answer(subject: Subject) -> None:
    """Whatever was asked in between, and of whichever camera."""
    frame = subject.picture(stamp=7)
    first = subject.look(frame, subject.words)
    subject.look(subject.picture((320, 240), "wrist", 8), subject.words)
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


def test_a_killed_worker_comes_back(subject: Subject) -> None:
    """Its supervision says so, and looks are answered again."""
    subject.worker.kill()
    assert subject.events.get(timeout=10.0).kind is EventKind.WORKER_LOST
    assert subject.events.get(timeout=LOAD).kind is EventKind.WORKER_RESTORED
    subject.look(subject.picture(), subject.words)


def test_unloading_gives_all_memory_back(subject: Subject, lives: int, measured: dict[str, object]) -> None:
    """No process stays, and the node's own memory does not grow."""
    node, workers, sizes = psutil.Process(), [], []
    for _ in range(lives):
        subject.look(subject.picture(), subject.words)
        worker = subject.worker
        workers.append(round(worker.memory_info().rss / 1e6))
        subject.close()
        assert not worker.is_running()
        sizes.append(node.memory_info().rss / 1e6)
    measured["worker memory [MB]"] = workers
    measured["node memory after each unload [MB]"] = [round(each, 1) for each in sizes]
    assert sizes[-1] - sizes[0] < LEAK
