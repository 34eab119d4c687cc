import json
from pathlib import Path

import numpy as np
import pytest

from openral_core.detectors import Box, Detection, LocateResult, LocateStatus
from openral_training.coco import NotCoco
from openral_training.teach.lesson import Lesson, Verdict
from openral_training.teach.teachers import NoSuchFrames, NotAnnotated, boxes_of, label_by_coco


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
        ("pot", 1, Verdict.UNREVIEWED),
        ("pot", 30, Verdict.IGNORE),
    ]
    assert {each.label for each in label_by_coco(lesson, coco, ()).boxes} == {"pot", "jar"}


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
