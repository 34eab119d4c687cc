import os
from pathlib import Path

import numpy as np
import pytest

from openral_core.documents import InvalidDocument
from openral_training.teach.lesson import (
    LABELS_FILE,
    BoxVerdict,
    Lesson,
    LessonNotWritten,
    NotALesson,
    NothingTaught,
    TaughtBox,
)


def picture(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (48, 64, 3)).astype(np.uint8)


def box(frame: str = "000001.jpg", **changes: object) -> TaughtBox:
    content = {"frame": frame, "label": "pot", "x": 4, "y": 5, "width": 10, "height": 12, **changes}
    return TaughtBox.model_validate(content)


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    begun = Lesson(tmp_path / "lesson")
    for seed in range(2):
        begun = begun.with_frame(picture(seed), f"picture {seed}")
    begun = begun.with_boxes([box(), box(label="jar", x=30), box("000002.jpg")])
    begun.save()
    return begun


def test_a_lesson_is_read_as_it_was_saved(lesson: Lesson) -> None:
    again = Lesson.read(lesson.folder)
    assert (again.frames, again.boxes) == (lesson.frames, lesson.boxes)
    assert [each.id for each in again.boxes] == [1, 2, 3]
    assert again.image(again.frames[0]).shape == (48, 64, 3)


def test_frames_that_are_there_or_hardly_differ_are_left_out(lesson: Lesson) -> None:
    assert lesson.with_frame(picture(7), "picture 1").frames == lesson.frames
    assert lesson.with_frame(lesson.image(lesson.frames[-1]), "the same again").frames == lesson.frames
    assert len(lesson.with_frame(picture(7), "another").frames) == 3


def test_another_labelling_adds_boxes_and_keeps_verdicts(lesson: Lesson) -> None:
    judged = lesson.judged(1, BoxVerdict.REJECT)
    again = judged.with_boxes([box(x=5), box(x=40), box(label="can")])
    assert [(each.id, each.label, each.verdict) for each in again.boxes] == [
        (1, "pot", BoxVerdict.REJECT),
        (2, "jar", BoxVerdict.UNREVIEWED),
        (3, "pot", BoxVerdict.UNREVIEWED),
        (4, "pot", BoxVerdict.UNREVIEWED),
        (5, "can", BoxVerdict.UNREVIEWED),
    ]


def test_a_person_renames_rejects_and_adds_rows(lesson: Lesson) -> None:
    table = lesson.folder / LABELS_FILE
    lines = table.read_text().splitlines()
    lines[1] = lines[1].replace("pot", "kettle")
    lines[2] += "reject"
    table.write_text("\n".join([*lines, ",000002.jpg,jar,1,2,3,4,,,"]) + "\n")
    accepted = Lesson.read(lesson.folder).accepted()
    assert [(each.id, each.label) for each in accepted] == [(1, "kettle"), (3, "pot"), (4, "jar")]
    assert accepted[-1].teacher == "person"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("1,000001.jpg,pot,1,2,3,4,1,me,maybe", "line 5: verdict"),
        (",000009.jpg,pot,1,2,3,4,1,me,", "line 5: frame: there is no frame '000009.jpg'"),
        (",000001.jpg,pot,1,2,0,4,1,me,", "line 5: width"),
        (",000001.jpg,,1,2,3,4,1,me,", "line 5: missing key 'label'"),
        ("1,000001.jpg,pot,1,2,3,4,1,me,", "line 5: id: 1 is used twice"),
    ],
)
def test_a_wrong_row_is_named(lesson: Lesson, row: str, problem: str) -> None:
    table = lesson.folder / LABELS_FILE
    table.write_text(table.read_text() + row + "\n")
    with pytest.raises(InvalidDocument, match=problem):
        Lesson.read(lesson.folder)


def test_a_table_without_a_column_names_it(lesson: Lesson) -> None:
    (lesson.folder / LABELS_FILE).write_text("frame,label,x,y,width\n")
    with pytest.raises(InvalidDocument, match="columns 'height' are missing"):
        Lesson.read(lesson.folder)


def test_a_lesson_without_accepted_boxes_teaches_nothing(lesson: Lesson) -> None:
    for number in (1, 2, 3):
        lesson = lesson.judged(number, BoxVerdict.REJECT)
    with pytest.raises(NothingTaught, match="none of its 3 boxes is accepted"):
        lesson.accepted()


def test_another_folder_is_no_lesson(tmp_path: Path) -> None:
    with pytest.raises(NotALesson, match="openral teach collect"):
        Lesson.read(tmp_path)


def test_a_damaged_frame_is_named(lesson: Lesson) -> None:
    (lesson.folder / "frames" / "000002.jpg").write_bytes(b"no image")
    with pytest.raises(InvalidDocument, match=r"000002.jpg: no image: expected an image of 64x48"):
        lesson.image(lesson.frames[1])


def test_a_full_disk_leaves_what_was_saved(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (lesson.folder / LABELS_FILE).read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LessonNotWritten, match="No space left on device; what was saved before is unchanged"):
        lesson.judged(1, BoxVerdict.REJECT).save()
    assert (lesson.folder / LABELS_FILE).read_bytes() == before
