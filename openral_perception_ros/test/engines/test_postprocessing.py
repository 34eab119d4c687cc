import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.detectors import Box
from openral_perception_ros.engines import BadDetections
from openral_perception_ros.engines.postprocessing import (
    Candidates,
    make_candidates,
    non_max_suppression,
)


def logit(score: float) -> float:
    return float(np.log(score / (1.0 - score)))


def test_the_best_pairs_of_query_and_class_come_first() -> None:
    logits = np.array([[logit(0.6), logit(0.9)], [logit(0.2), logit(0.1)]], np.float32)
    boxes = np.array([[0.5, 0.5, 0.2, 0.4], [0.1, 0.1, 0.1, 0.1]], np.float32)
    found = make_candidates(logits, boxes, 0.3)
    assert found.classes.tolist() == [1, 0]
    np.testing.assert_allclose(found.scores, [0.9, 0.6], atol=1e-6)
    np.testing.assert_allclose(found.corners, [[0.4, 0.3, 0.6, 0.7]] * 2, atol=1e-6)


def test_no_more_candidates_than_queries() -> None:
    assert len(make_candidates(np.full((3, 50), 4.0), np.full((3, 4), 0.5), 0.3).scores) == 3


@pytest.mark.parametrize("broken", ["logits", "boxes"])
def test_numbers_that_are_none_are_an_error_and_not_an_empty_view(broken: str) -> None:
    arrays = {"logits": np.zeros((2, 2)), "boxes": np.zeros((2, 4))}
    arrays[broken][0, 0] = np.nan
    with pytest.raises(BadDetections):
        make_candidates(arrays["logits"], arrays["boxes"], 0.3)


def overlapping() -> Candidates:
    corners = np.array([[0.1, 0.1, 0.5, 0.5], [0.12, 0.1, 0.5, 0.5], [0.7, 0.7, 0.9, 0.9]])
    return Candidates(corners, np.array([0.9, 0.8, 0.7]), np.array([0, 1, 0]))


@pytest.mark.parametrize(("across", "kept"), [(True, [0.9, 0.7]), (False, [0.9, 0.8, 0.7])])
def test_overlaps_go_within_a_class_or_across_all(across: bool, kept: list[float]) -> None:
    assert non_max_suppression(overlapping(), 0.5, across).scores.tolist() == kept


@given(st.lists(st.tuples(*[st.floats(0.0, 1.0)] * 4, st.floats(0.01, 1.0)), max_size=30))
def test_what_is_kept_never_overlaps_more_than_allowed(rows: list[tuple[float, ...]]) -> None:
    rows = [row for row in rows if row[2] > 0.01 and row[3] > 0.01]
    table = np.array(sorted(rows, key=lambda row: -row[4]), np.float64).reshape(-1, 5)
    corners = np.hstack([table[:, :2], table[:, :2] + table[:, 2:4]])
    kept = non_max_suppression(Candidates(corners, table[:, 4], np.zeros(len(table), np.int64)), 0.5, True)
    boxes = [Box(*map(float, corner)) for corner in kept.corners]
    assert all(a.iou(b) <= 0.5 + 1e-3 for i, a in enumerate(boxes) for b in boxes[:i])
    assert not len(table) or boxes
