"""Average precision against values that are computed by hand."""

from pathlib import Path

import numpy as np
import pytest

from openral_core.detectors import Box, Detection
from openral_testing.detectors.average_precision import Photograph, average_precisions


def photograph(*boxes: tuple[float, float, float, float], crowd: bool = False) -> Photograph:
    crowds = np.full(len(boxes), crowd)
    return Photograph(Path("a.jpg"), {"cup": np.array(boxes, float)}, {"cup": crowds})


def cup(score: float, *box: float, label: str = "cup") -> Detection:
    return Detection(Box(*box), label, score)


ONE, TWO = (0.0, 0.0, 10.0, 10.0), (20.0, 0.0, 30.0, 10.0)


@pytest.mark.parametrize(
    ("detections", "expected"),
    [
        ([cup(0.9, *ONE), cup(0.8, *TWO)], 1.0),
        ([cup(0.9, *ONE)], 51 / 101),  # recalls up to 0.5
        ([cup(0.9, 50.0, 0.0, 60.0, 10.0), cup(0.8, *ONE), cup(0.7, *TWO)], 2 / 3),
        ([cup(0.9, *ONE), cup(0.8, *ONE), cup(0.7, *TWO)], (51 + 50 * 2 / 3) / 101),
        ([cup(0.9, 0.0, 0.0, 10.0, 4.0)], 0.0),
        ([cup(0.9, *ONE, label="bowl")], 0.0),
        ([], 0.0),
    ],
)
def test_precision_is_interpolated_over_recall(detections: list[Detection], expected: float) -> None:
    found = average_precisions([photograph(ONE, TWO)], [detections], ("cup", "bowl"))
    assert found == {"cup": pytest.approx(expected)}


def test_detections_of_a_crowd_do_not_count() -> None:
    pictures = [photograph(ONE), photograph((0.0, 0.0, 100.0, 100.0), crowd=True)]
    detections = [[cup(0.5, *ONE)], [cup(0.9, 5.0, 5.0, 15.0, 15.0), cup(0.8, 40.0, 40.0, 50.0, 50.0)]]
    assert average_precisions(pictures, detections, ("cup",)) == {"cup": pytest.approx(1.0)}


@pytest.mark.real
def test_the_photographs_are_read_with_every_box(real_data: Path) -> None:
    photographs = Photograph.read(real_data / "photos")
    assert len(photographs) == 47
    assert sum(len(boxes) for each in photographs for boxes in each.boxes.values()) == 406
    assert sum(each.group == "household" for each in photographs) == 32
