"""Detections without a place in the map, from world state to reasoner."""

import pytest

pytest.importorskip("vision_msgs")
from vision_msgs.msg import Detection2D, Detection2DArray

from openral_core.detectors import Box, Detection, UnplacedDetection, part_of_image
from openral_ros.conversions.detections import MAX_IN_VIEW_AGE, unplaced_from_message, unplaced_message

BOTTLE = Detection(Box(500.0, 300.0, 600.0, 460.0), "bottle", 0.8)


def test_what_is_in_view_keeps_camera_label_score_part_of_the_image_and_age() -> None:
    message = Detection2DArray(detections=[unplaced_message("head", 10.0, BOTTLE, (640, 480))])
    (each,) = unplaced_from_message(message, 11.5)
    assert (each.camera, each.label, each.where, each.age) == ("head", "bottle", "lower right", 1.5)
    assert each.score == pytest.approx(0.8)
    assert str(each) == "bottle (head, lower right; score 0.80, 1.5 s ago)"


def test_without_the_size_of_the_image_its_part_is_not_known() -> None:
    message = Detection2DArray(detections=[unplaced_message("head", 10.0, BOTTLE, None)])
    (each,) = unplaced_from_message(message, 10.0)
    assert each == UnplacedDetection("head", "bottle", each.score, "", 0.0)


def test_old_and_broken_detections_are_left_out() -> None:
    old = unplaced_message("head", 10.0, BOTTLE, (640, 480))
    message = Detection2DArray(detections=[old, Detection2D()])
    assert list(unplaced_from_message(message, 10.1 + MAX_IN_VIEW_AGE)) == []


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (0.1, 0.1, "upper left"),
        (0.5, 0.5, "middle"),
        (0.9, 0.5, "right"),
        (0.5, 1.0, "lower"),
        (-1.0, 2.0, "lower left"),
    ],
)
def test_a_part_of_an_image_in_words(x: float, y: float, words: str) -> None:
    assert part_of_image(x, y) == words
