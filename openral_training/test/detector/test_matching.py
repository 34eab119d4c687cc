"""Detections against objects: each object once, in its class; regions to ignore; the operating point."""

import numpy as np
import pytest

from openral_training.detector.matching import Detections, match
from openral_training.detector.splits import Objects

BOX, OTHER = [0, 0, 10, 10], [50, 50, 90, 90]


def objects(*rows: tuple[list[int], int, bool]) -> Objects:
    boxes = np.array([row[0] for row in rows], np.float32).reshape(-1, 4)
    return Objects(boxes, np.array([row[1] for row in rows], int), np.array([row[2] for row in rows], bool))


def found(*rows: tuple[list[int], int, float]) -> Detections:
    boxes = np.array([row[0] for row in rows], np.float32).reshape(-1, 4)
    scores = np.array([row[2] for row in rows], np.float32)
    return Detections(boxes, scores, np.array([row[1] for row in rows], int))


def test_an_object_is_found_once_by_its_best_detection_of_its_class() -> None:
    seen = found((BOX, 1, 0.9), (BOX, 0, 0.8), (BOX, 0, 0.7))
    result = match([seen], [objects((BOX, 0, False), (OTHER, 0, False))])
    assert result.right.tolist() == [False, True, False]
    assert result.found_at.tolist() == pytest.approx([0.8, 0.0])
    assert result.short_sides.tolist() == [10.0, 40.0]
    assert result.recall(0.0) == 0.5
    assert result.recall(0.0, (0.0, 16.0)) == 1.0
    assert result.precision(0.75) == 0.5


def test_what_is_detected_in_a_region_to_ignore_does_not_count() -> None:
    result = match([found((BOX, 0, 0.9), (OTHER, 0, 0.5))], [objects(([0, 0, 30, 30], 0, True))])
    assert result.right.tolist() == [False]
    assert result.scores.tolist() == pytest.approx([0.5])


def test_the_operating_point_lies_below_the_last_score_that_pays() -> None:
    seen = [found((BOX, 0, 0.9)), found((BOX, 0, 0.6)), found((OTHER, 0, 0.3))]
    result = match(seen, [objects((BOX, 0, False))] * 3)
    assert 0.3 < result.operating_point() < 0.6
    assert result.recall(result.operating_point()) == pytest.approx(2 / 3)


def test_nothing_at_all_has_neither_recall_nor_precision() -> None:
    result = match([found()], [objects()])
    assert np.isnan(result.recall(0.5))
    assert np.isnan(result.precision(0.5))
    assert result.operating_point() == 0.5
