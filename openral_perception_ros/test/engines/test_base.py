import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.detectors import Box, Detection
from openral_perception_ros.engines import BadDetections, clip_detections, detections_from

SIZE = (320, 200)
edge = st.floats(-1e4, 1e4)


def test_boxes_come_best_first_and_cut_to_the_image() -> None:
    found = detections_from([[-5, 10, 50, 400], [1, 2, 3, 4]], [0.4, 0.9], ["a", "b"], SIZE)
    assert [item.label for item in found] == ["b", "a"]
    assert found[1].box == Box(0.0, 10.0, 50.0, 200.0)


def test_boxes_beside_the_image_or_without_area_are_dropped() -> None:
    boxes = [[400, 0, 500, 10], [5, 5, 5, 9], [9, 9, 2, 12]]
    assert detections_from(boxes, [0.5, 0.5, 0.5], ["a", "b", "c"], SIZE) == []


def test_no_boxes_are_no_detections() -> None:
    assert detections_from(np.zeros((0, 4)), [], [], SIZE) == []


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_box_that_is_not_finite_is_an_error_and_not_an_empty_view(value: float) -> None:
    with pytest.raises(BadDetections, match="not finite"):
        detections_from([[0, 0, value, 5]], [0.5], ["a"], SIZE)


@pytest.mark.parametrize("score", [math.nan, -0.1, 1.1])
def test_a_score_outside_0_to_1_is_an_error(score: float) -> None:
    with pytest.raises(BadDetections, match="scores"):
        detections_from([[0, 0, 5, 5]], [score], ["a"], SIZE)


@given(st.lists(st.tuples(edge, edge, edge, edge)))
def test_whatever_the_model_says_boxes_lie_inside_the_image(boxes: list[tuple[float, ...]]) -> None:
    found = detections_from(np.reshape(boxes, (-1, 4)), [0.5] * len(boxes), ["a"] * len(boxes), SIZE)
    for item in found:
        assert 0.0 <= item.box.x_min < item.box.x_max <= SIZE[0]
        assert 0.0 <= item.box.y_min < item.box.y_max <= SIZE[1]


def test_clipping_keeps_label_score_and_track() -> None:
    (kept,) = clip_detections([Detection(Box(-5, -5, 10, 10), "a", 0.5, "7")], SIZE)
    assert kept == Detection(Box(0, 0, 10, 10), "a", 0.5, "7")
