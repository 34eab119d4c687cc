"""Pictures of the simulated home, of any shape."""

import pytest

from openral_core.detections import Detection
from openral_perception_ros.conformance.scenes import GOLDENS, SIZES, overlap, phrases, resized, true_boxes
from openral_perception_ros.conformance.subject import Subject

MATCH = 0.5
MOST_WORDS = 16


def _inside(found: tuple[Detection, ...], size: tuple[int, int]) -> bool:
    boxes = [each.box for each in found]
    return all(
        0.0 <= box.x_min < box.x_max <= size[0] and 0.0 <= box.y_min < box.y_max <= size[1] for box in boxes
    )


@pytest.mark.parametrize("size", SIZES)
def test_boxes_lie_inside_frames_of_any_shape(subject: Subject, size: tuple[int, int]) -> None:
    """In source pixels, also of frames that are not square."""
    assert _inside(subject.look(resized(subject.picture(), size), subject.words), size)


def test_it_finds_what_is_in_the_pictures(
    subject: Subject, measured: dict[str, object], min_recall: float | None
) -> None:
    """A box over half of each thing it can name; the share is told, and judged with --min-recall."""
    known = set(subject.detector.labels or phrases()[:MOST_WORDS])
    words = None if subject.detector.labels else phrases()[:MOST_WORDS]
    found, asked = 0, 0
    for name in GOLDENS:
        frame = subject.picture(name)
        seen = subject.look(frame, words)
        assert _inside(seen, frame.size)
        things = [(phrase, box) for phrase, box in true_boxes(name) if phrase in known]
        asked += len(things)
        found += sum(any(_matches(each, *thing) for each in seen) for thing in things)
    measured["things found in the pictures"] = f"{found} of {asked} that it can name"
    if not asked:
        pytest.skip("nothing in the pictures is in its vocabulary")
    if min_recall is None:
        pytest.skip(f"{found} of {asked} found; --min-recall says how many are enough")
    assert found >= min_recall * asked


def _matches(seen: Detection, phrase: str, box: tuple[float, float, float, float]) -> bool:
    mine = (seen.box.x_min, seen.box.y_min, seen.box.x_max, seen.box.y_max)
    return seen.label == phrase and overlap(mine, box) >= MATCH
