"""Detections of a split matched to its objects: outcomes, recall by apparent size, the operating point."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_training.detector.splits import Objects

MIN_OVERLAP = 0.5
"""Intersection over union from which a box counts as a match, as in PASCAL VOC."""
SIZES = (("under 16 px", 0.0, 16.0), ("16 to 32 px", 16.0, 32.0), ("over 32 px", 32.0, np.inf))
"""Names and ranges of an object's short side [px]."""


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """Detections of one image, best first: corners [px] (N, 4), scores (N,), classes (N,)."""

    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]
    classes: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """All detections and objects of a split.

    ``right`` is True where a detection found an object; detections of regions to ignore are left out.
    ``found_at`` is the score at which an object was found, 0 if it was missed; ``short_sides`` [px].
    """

    scores: NDArray[np.float64]
    classes: NDArray[np.int64]
    right: NDArray[np.bool_]
    found_at: NDArray[np.float64]
    object_classes: NDArray[np.int64]
    short_sides: NDArray[np.float64]

    def recall(self, threshold: float, sizes: tuple[float, float] = (0.0, np.inf)) -> float:
        """Return the share of objects of a size found above a threshold; NaN if there are none."""
        chosen = (self.short_sides >= sizes[0]) & (self.short_sides < sizes[1])
        return float((self.found_at[chosen] > threshold).mean()) if chosen.any() else float("nan")

    def precision(self, threshold: float) -> float:
        """Return the share of detections above a threshold that are right; NaN if there are none."""
        chosen = self.scores > threshold
        return float(self.right[chosen].mean()) if chosen.any() else float("nan")

    def operating_point(self) -> float:
        """Return the threshold with the best F1 score over all classes, midway between two scores."""
        if not self.right.any():
            return 0.5
        order = np.argsort(-self.scores, kind="stable")
        hits = self.right[order].cumsum()
        f1 = 2 * hits / (np.arange(1, len(hits) + 1) + len(self.found_at))
        last = int(f1.argmax())
        below = self.scores[order][last + 1] if last + 1 < len(order) else 0.0
        return float((self.scores[order][last] + below) / 2)


def match(detections: Sequence[Detections], objects: Sequence[Objects]) -> Matches:
    """Match greedily, best score first, each object once, only to detections of its class."""
    rows = [_matched(each, true) for each, true in zip(detections, objects, strict=True)]
    return Matches(*(np.concatenate(column) for column in zip(*rows, strict=True)))


def _matched(detections: Detections, true: Objects) -> tuple[NDArray[np.generic], ...]:
    real, regions = true.only(~true.ignored), true.only(true.ignored)
    shared = overlap_matrix(detections.boxes, real.boxes)
    shared *= detections.classes[:, None] == real.classes
    found_at = np.zeros(len(real.boxes), np.float64)
    right = np.zeros(len(detections.scores), np.bool_)
    for row in range(len(detections.scores)) if len(real.boxes) else ():
        best = int(np.where(found_at > 0, -1.0, shared[row]).argmax())
        if found_at[best] == 0 and shared[row, best] >= MIN_OVERLAP:
            found_at[best], right[row] = detections.scores[row], True
    counted = right | ~(_covered(detections.boxes, regions.boxes) >= MIN_OVERLAP)
    sides = real.boxes[:, 2:] - real.boxes[:, :2]
    short = sides.min(axis=1).astype(np.float64) if len(sides) else np.zeros(0)
    scores = detections.scores[counted].astype(np.float64)
    return scores, detections.classes[counted], right[counted], found_at, real.classes, short


def _intersections(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.float32]:
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum(first[:, None, 2:], second[None, :, 2:])
    return np.asarray(np.prod(np.maximum(high - low, 0.0), axis=2), np.float32)


def _areas(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(np.maximum(np.prod(boxes[:, 2:] - boxes[:, :2], axis=1), 1e-6), np.float32)


def overlap_matrix(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return intersection over union of all pairs, shape (N, M)."""
    inner = _intersections(first, second)
    return np.asarray(inner / (_areas(first)[:, None] + _areas(second) - inner), np.float32)


def _covered(boxes: NDArray[np.float32], regions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the largest share of each box that lies in a region, shape (N,)."""
    if not len(regions):
        return np.zeros(len(boxes), np.float32)
    return np.asarray((_intersections(boxes, regions) / _areas(boxes)[:, None]).max(axis=1), np.float32)
