"""Post-processing of DETR-like heads: the best (query, class) pairs and non-maximum suppression."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_perception_ros.engines.errors import BadDetections


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Candidate boxes, best score first.

    ``corners`` is x_min, y_min, x_max, y_max relative to the model's input, shape (N, 4).
    """

    corners: NDArray[np.float64]
    scores: NDArray[np.float64]
    classes: NDArray[np.int64]

    def only(self, indices: NDArray[np.int64]) -> "Candidates":
        """Select candidates by index."""
        return Candidates(self.corners[indices], self.scores[indices], self.classes[indices])


def make_candidates(
    logits: NDArray[np.floating], boxes: NDArray[np.floating], threshold: float
) -> Candidates:
    """Select at most as many candidates as queries, as for DETR with focal loss.

    Source: Zhao et al. 2024 (RT-DETR), the head's sigmoid scores over all classes of all queries.

    Args:
        logits: Shape (Q, C).
        boxes: Centre x, centre y, width, height in [0, 1], shape (Q, 4).
        threshold: Candidates must score above it.

    Raises:
        BadDetections: If any number is not finite.
    """
    if not (np.isfinite(logits).all() and np.isfinite(boxes).all()):
        raise BadDetections("logits or boxes that are not finite", f"{logits.shape[0]} queries")
    scores = 1.0 / (1.0 + np.exp(-np.clip(logits.astype(np.float64), -60.0, 60.0).reshape(-1)))
    best = np.argsort(-scores, kind="stable")[: logits.shape[0]]
    best = best[scores[best] > threshold]
    centre, half = np.split(boxes.astype(np.float64)[best // logits.shape[1]], 2, axis=1)
    corners = np.hstack([centre - half / 2.0, centre + half / 2.0])
    return Candidates(corners, scores[best], best % logits.shape[1])


NMS_SCALE = 10_000.0
"""Factor from relative to integer boxes, which OpenCV needs: a ten-thousandth of the image."""


def non_max_suppression(candidates: Candidates, overlap: float, across_classes: bool) -> Candidates:
    """Drop candidates that overlap a better one by more than ``overlap`` (intersection over union).

    Args:
        candidates: Any number.
        overlap: In [0, 1].
        across_classes: Compare across classes too.
    """
    if len(candidates.scores) == 0:
        return candidates
    corners = candidates.corners * NMS_SCALE
    boxes = np.hstack([corners[:, :2], corners[:, 2:] - corners[:, :2]])
    groups = np.zeros_like(candidates.classes) if across_classes else candidates.classes
    survivors = cv2.dnn.NMSBoxesBatched(
        boxes.tolist(), candidates.scores.tolist(), groups.tolist(), 0.0, overlap
    )
    return candidates.only(np.sort(np.asarray(survivors, np.int64)))
