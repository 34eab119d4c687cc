"""Calibrated scores are the share of right boxes."""

import numpy as np

from openral_training.detector.calibration import Calibration, calibration_error, fit_calibration
from openral_training.detector.matching import Detections, Matches


def overconfident(count: int, classes: int = 2) -> Matches:
    """Detections of which half of what the score says is right; class 1 less than class 0."""
    rng = np.random.default_rng(0)
    scores, numbers = rng.uniform(0.05, 0.95, count), rng.integers(0, classes, count)
    right = rng.random(count) < scores * np.where(numbers == 0, 0.6, 0.3)
    return Matches(scores, numbers, right, np.zeros(1), np.zeros(1, int), np.zeros(1))


def calibrated(calibration: Calibration, matches: Matches) -> tuple[np.ndarray, np.ndarray]:
    boxes = np.zeros((len(matches.scores), 4), np.float32)
    found = Detections(boxes, matches.scores.astype(np.float32), matches.classes)
    order = np.argsort(-matches.scores, kind="stable")
    sorted_found = Detections(found.boxes, found.scores[order], found.classes[order])
    # One detection per image, so that sorting within an image cannot mix them up.
    single = [
        Detections(boxes[:1], sorted_found.scores[k : k + 1], sorted_found.classes[k : k + 1])
        for k in range(len(order))
    ]
    scores = np.concatenate([each.scores for each in calibration.apply(single)])
    return scores, matches.right[order]


def test_the_error_of_held_out_detections_falls() -> None:
    whole = overconfident(6000)
    first, second = (
        Matches(whole.scores[part], whole.classes[part], whole.right[part], *[np.zeros(1)] * 3)
        for part in (slice(0, 3000), slice(3000, None))
    )
    before = calibration_error(second.scores, second.right)
    after = calibration_error(*calibrated(fit_calibration(first, 2), second))
    assert before > 0.2
    assert after < 0.04


def test_a_class_without_detections_follows_all_others() -> None:
    calibration = fit_calibration(overconfident(500), 3)
    assert calibration.offsets[2] < -0.3
    assert all(slope > 0 for slope in calibration.slopes)


def test_scores_that_are_right_have_no_error() -> None:
    scores = np.repeat([0.1, 0.9], 1000)
    right = np.concatenate([np.arange(1000) < 100, np.arange(1000) < 900])
    assert calibration_error(scores, right) < 1e-9
    assert np.isnan(calibration_error(np.array([0.01]), np.array([True])))


def test_nothing_to_learn_from_changes_nothing() -> None:
    none = Matches(
        np.zeros(0), np.zeros(0, int), np.zeros(0, bool), np.zeros(0), np.zeros(0, int), np.zeros(0)
    )
    assert fit_calibration(none, 2) == Calibration.identity(2)
