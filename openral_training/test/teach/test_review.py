from pathlib import Path

import cv2
import numpy as np
import pytest

from openral_training.teach.lesson import BoxVerdict, Lesson, TaughtBox
from openral_training.teach.review import COLOURS, drawn, review_in_terminal, write_pages


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    rng = np.random.default_rng(0)
    begun = Lesson(tmp_path)
    for number in range(11):
        begun = begun.with_frame(rng.integers(0, 100, (60, 80, 3)).astype(np.uint8), str(number))
    boxes = (
        TaughtBox(frame=frame.file, label="pot", x=20, y=20, width=30, height=20)
        for frame in begun.frames[1:]
    )
    return begun.with_boxes(boxes)


def test_pages_show_the_frames_that_have_boxes(lesson: Lesson) -> None:
    pages = write_pages(lesson)
    assert [page.name for page in pages] == ["page_01.jpg", "page_02.jpg"]
    assert cv2.imread(str(pages[0])).shape == (1080, 1440, 3)


def test_a_box_has_the_colour_of_its_verdict(lesson: Lesson) -> None:
    for verdict in BoxVerdict:
        tile = drawn(lesson.judged(1, verdict), lesson.frames[1])
        assert tuple(tile[200, 120]) == COLOURS[verdict]  # its left edge, at 6 times the size
    assert tuple(drawn(lesson, lesson.frames[0])[200, 120]) not in COLOURS.values()


def test_verdicts_are_saved_one_by_one_and_the_next_review_goes_on(lesson: Lesson) -> None:
    answers = iter(["a", "r", "kettle", "i", "q"])
    review_in_terminal(lesson, lambda _question: next(answers))
    again = Lesson.read(lesson.folder)
    assert [(each.label, each.verdict) for each in again.boxes[:5]] == [
        ("pot", BoxVerdict.ACCEPT),
        ("pot", BoxVerdict.REJECT),
        ("kettle", BoxVerdict.ACCEPT),
        ("pot", BoxVerdict.IGNORE),
        ("pot", BoxVerdict.UNREVIEWED),
    ]
    asked = list[str]()

    def quit_at_once(question: str) -> str:
        asked.append(question)
        return "q"

    review_in_terminal(again, quit_at_once)
    assert asked[0].startswith("5: 'pot'")
