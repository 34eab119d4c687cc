"""A locator as the teacher: what was labelled stays, frames are asked once; the worker is not tested here."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy")

from openral_core.detectors import Box, Detection, LocateResult, LocateStatus
from openral_perception_ros.parameters import DetectorParameters
from openral_training.ros import locators
from openral_training.teach.lesson import Lesson
from openral_training.teach.teachers import TeacherFailed

OPTIONS = DetectorParameters(rskill="-")


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    rng, begun = np.random.default_rng(0), Lesson(tmp_path)
    for number in range(4):
        begun = begun.with_frame(rng.integers(0, 256, (48, 64, 3)).astype(np.uint8), str(number))
    return begun


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[[LocateStatus, int], list[str]]:
    """`asked(status, until)`: queries of a locator that sees a pot until it answers with a status instead."""

    def install(status: LocateStatus, until: int) -> list[str]:
        queries: list[str] = []

        class Locator:
            id = "locator"

            def __init__(self, *_: object) -> None: ...

            def locate(self, query: str, camera: str, _image: object) -> LocateResult:
                queries.append(query)
                found = (Detection(Box(1, 2, 30, 40), "pot", 0.5),) if len(queries) <= until else ()
                return LocateResult(
                    LocateStatus.FOUND if found else status, "out", query, camera, self.id, found
                )

            def close(self) -> None: ...

        monkeypatch.setattr(locators, "RecordedImageDetector", Locator)
        return queries

    return install


def label(lesson: Lesson) -> Lesson:
    return locators.label_by_locator(
        lesson, "locator", ["pot", "jar"], [], OPTIONS, lambda _done, _total: None
    )


def test_every_frame_is_asked_for_all_names(
    lesson: Lesson, asked: Callable[[LocateStatus, int], list[str]]
) -> None:
    queries = asked(LocateStatus.NOT_IN_VIEW, 3)
    assert len(label(lesson).boxes) == 3
    assert queries == ["pot, jar"] * 4
    assert len(Lesson.read(lesson.folder).boxes) == 3


def test_a_failure_keeps_what_was_labelled_and_the_next_labelling_goes_on(
    lesson: Lesson, asked: Callable[[LocateStatus, int], list[str]]
) -> None:
    asked(LocateStatus.DETECTOR_ERROR, 2)
    with pytest.raises(TeacherFailed, match=r"frame 000003\.jpg \(DETECTOR_ERROR\)"):
        label(lesson)
    queries = asked(LocateStatus.NOT_IN_VIEW, 9)
    assert len(label(Lesson.read(lesson.folder)).boxes) == 4
    assert len(queries) == 2
