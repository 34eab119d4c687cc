import json
from pathlib import Path

import numpy as np
import pytest

from openral_core.detectors import Box, Detection, LocateResult, LocateStatus
from openral_training.detector.coco import NotCoco
from openral_training.teach.lesson import BoxVerdict, Lesson
from openral_training.teach.teachers import (
    AnotherPicture,
    NoSuchFrames,
    NotAnnotated,
    boxes_of,
    label_by_coco,
)


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    pixels = np.random.default_rng(0).integers(0, 256, (48, 64, 3)).astype(np.uint8)
    return Lesson(tmp_path / "lesson").with_frame(pixels, "/photos/kitchen.jpg")


@pytest.fixture
def coco(tmp_path: Path) -> Path:
    file = tmp_path / "annotations.json"
    rows = [
        (1, 7, [1, 2, 10, 12], 0),
        (1, 8, [20, 2, 5, 5], 0),
        (1, 7, [30, 5, 9, 9], 1),
        (2, 7, [0, 0, 9, 9], 0),
    ]
    content = {
        "images": [
            {"id": number, "file_name": f"images/{name}.jpg", "width": 64, "height": 48}
            for number, name in enumerate(("kitchen", "hall"), start=1)
        ],
        "categories": [{"id": 7, "name": "pot"}, {"id": 8, "name": "jar"}],
        "annotations": [
            {"image_id": image, "category_id": kind, "bbox": bbox, "iscrowd": crowd}
            for image, kind, bbox, crowd in rows
        ],
    }
    file.write_text(json.dumps(content))
    return file


def test_annotations_of_the_lessons_images_are_taken_by_name(lesson: Lesson, coco: Path) -> None:
    pots = label_by_coco(lesson, coco, ["pot"]).boxes
    assert [(each.label, each.x, each.verdict) for each in pots] == [
        ("pot", 1, BoxVerdict.UNREVIEWED),
        ("pot", 30, BoxVerdict.IGNORE),
    ]
    assert {each.label for each in label_by_coco(lesson, coco, ()).boxes} == {"pot", "jar"}


def picture(seed: int, size: tuple[int, int] = (64, 48)) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3)).astype(np.uint8)


@pytest.fixture
def shifted(tmp_path: Path) -> Lesson:
    """Frames whose numbers are not those of their origins; two origins have one name."""
    lesson = Lesson(tmp_path / "lesson")
    for seed, origin in enumerate(("hall/000002.jpg", "den/000002.jpg", "hall/000004.jpg")):
        lesson = lesson.with_frame(picture(seed), f"/photos/{origin}")
    return lesson


def annotated(tmp_path: Path, name: str, size: tuple[int, int] = (64, 48)) -> Path:
    content = {
        "images": [{"id": 1, "file_name": name, "width": size[0], "height": size[1]}],
        "categories": [{"id": 7, "name": "pot"}],
        "annotations": [{"image_id": 1, "category_id": 7, "bbox": [1, 2, 10, 12]}],
    }
    file = tmp_path / "drawn.json"
    file.write_text(json.dumps(content))
    return file


@pytest.mark.parametrize(
    ("name", "frame"),
    [
        ("hall/000002.jpg", "000001.jpg"),
        ("den\\000002.jpg", "000002.jpg"),
        ("images/000004.jpg", "000003.jpg"),
        ("000003.jpg", "000003.jpg"),
        ("frames/000002.jpg", "000002.jpg"),
        ("https://tool.example/data/hall/000002.jpg?x=1", "000001.jpg"),
    ],
)
def test_annotations_reach_the_picture_they_were_drawn_on(
    shifted: Lesson, tmp_path: Path, name: str, frame: str
) -> None:
    (box,) = label_by_coco(shifted, annotated(tmp_path, name), ()).boxes
    assert box.frame == frame


@pytest.mark.parametrize(
    ("name", "size", "words"),
    [
        ("000002.jpg", (64, 48), "may be any of"),
        ("000004.jpg", (32, 24), "is 32x24, but frame 000003.jpg is 64x48"),
        ("hall/000002.jpg", (48, 64), "is 48x64, but frame 000001.jpg is 64x48"),
    ],
)
def test_annotations_of_what_may_be_another_picture_are_refused(
    shifted: Lesson, tmp_path: Path, name: str, size: tuple[int, int], words: str
) -> None:
    with pytest.raises(AnotherPicture, match=words):
        label_by_coco(shifted, annotated(tmp_path, name, size), ())


def test_a_name_in_another_folder_is_another_picture(shifted: Lesson, tmp_path: Path) -> None:
    with pytest.raises(NoSuchFrames):
        label_by_coco(shifted, annotated(tmp_path, "attic/000004.jpg"), ())


def test_annotations_that_teach_nothing_are_refused(lesson: Lesson, coco: Path) -> None:
    with pytest.raises(NotAnnotated, match="no category 'can': it has 'jar', 'pot'"):
        label_by_coco(lesson, coco, ["can"])
    with pytest.raises(NoSuchFrames, match="annotates none of the images"):
        label_by_coco(Lesson(lesson.folder), coco, ["pot"])
    coco.write_text("{}")
    with pytest.raises(NotCoco, match="images"):
        label_by_coco(lesson, coco, ["pot"])


def test_the_boxes_of_a_locator_keep_its_score_and_name(lesson: Lesson) -> None:
    seen = Detection(Box(1.0, 2.0, 11.26, 8.0), "pot", 0.8125)
    answer = LocateResult(LocateStatus.FOUND, "", "pot", "lesson", "teacher", (seen,))
    (box,) = boxes_of(answer, lesson.frames[0], "teacher")
    assert (box.x, box.width, box.score, box.teacher) == (1.0, 10.3, 0.812, "teacher")
