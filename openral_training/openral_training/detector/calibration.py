"""Calibration of scores: per class, a line through the logits that makes a score the share of right boxes.

Source: Platt 1999; Guo et al. 2017 for the expected calibration error.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_training.detector.matching import Detections, Matches

BINS = 15
"""Bins of the expected calibration error [count]; Guo et al. 2017."""
LEAST_SCORE = 0.05
"""Score from which detections count in the calibration error [1]: nothing uses weaker ones."""
PRIOR_COUNT = 20.0
"""Detections to which the line of all classes is worth in that of one class [count]."""
STEPS = 30
"""Newton steps, of which a convex problem of two unknowns needs fewer than ten [count]."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Slope and offset of the logit of each class."""

    slopes: tuple[float, ...]
    offsets: tuple[float, ...]

    @classmethod
    def identity(cls, classes: int) -> "Calibration":
        """Return the calibration that changes nothing."""
        return cls((1.0,) * classes, (0.0,) * classes)

    def apply(self, detections: Sequence[Detections]) -> list[Detections]:
        """Return detections with calibrated scores, best first."""
        return [self._applied(each) for each in detections]

    def _applied(self, detections: Detections) -> Detections:
        slopes, offsets = np.array(self.slopes), np.array(self.offsets)
        logits = slopes[detections.classes] * logit(detections.scores) + offsets[detections.classes]
        scores = (1.0 / (1.0 + np.exp(-logits))).astype(np.float32)
        order = np.argsort(-scores, kind="stable")
        return Detections(detections.boxes[order], scores[order], detections.classes[order])


def logit(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the logits of scores in [0, 1]."""
    inside = scores.astype(np.float64).clip(1e-6, 1 - 1e-6)
    return np.log(inside / (1 - inside))


def fit_calibration(matches: Matches, classes: int) -> Calibration:
    """Fit the lines on matched detections; a class with few follows that of all."""
    if matches.right.all() or not matches.right.any():
        return Calibration.identity(classes)
    logits, right = logit(matches.scores), matches.right.astype(np.float64)
    common = _line(logits, right, np.array([1.0, 0.0]), 1e-3)
    lines = []
    for number in range(classes):
        own = matches.classes == number
        lines.append(_line(logits[own], right[own], common, PRIOR_COUNT / 4) if own.any() else common)
    return Calibration(
        tuple(float(max(line[0], 0.05)) for line in lines), tuple(float(line[1]) for line in lines)
    )


def _line(
    logits: NDArray[np.float64], right: NDArray[np.float64], prior: NDArray[np.float64], weight: float
) -> NDArray[np.float64]:
    """Fit a logistic line by damped Newton steps, drawn to ``prior`` with a quadratic penalty."""
    inputs = np.column_stack([logits, np.ones_like(logits)])
    line = prior.copy()
    for _ in range(STEPS):
        expected = 1.0 / (1.0 + np.exp(-np.clip(inputs @ line, -30.0, 30.0)))
        gradient = inputs.T @ (expected - right) + weight * (line - prior)
        curvature = (inputs * (expected * (1 - expected))[:, None]).T @ inputs + weight * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        line = line - step * min(1.0, 1.0 / max(1e-9, float(np.abs(step).max())))
    return line


def calibration_error(scores: NDArray[np.floating], right: NDArray[np.bool_]) -> float:
    """Return the expected calibration error of detections of at least `LEAST_SCORE`; NaN without any."""
    counted = scores >= LEAST_SCORE
    if not counted.any():
        return float("nan")
    bins = np.minimum((scores[counted] * BINS).astype(int), BINS - 1)
    weights = np.bincount(bins, minlength=BINS)
    expected = np.bincount(bins, scores[counted], minlength=BINS)
    true = np.bincount(bins, right[counted], minlength=BINS)
    return float(np.abs(expected - true).sum() / weights.sum())
