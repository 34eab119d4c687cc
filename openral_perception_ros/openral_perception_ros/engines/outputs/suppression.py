"""Non-maximum suppression."""

import cv2
import numpy as np

from openral_perception_ros.engines.outputs.candidates import Candidates

PRECISION = 10_000.0


def suppressed(candidates: Candidates, overlap: float, across_classes: bool) -> Candidates:
    """Candidates without those that overlap a better one by more than ``overlap`` (intersection over union).

    Args:
        candidates: Any number.
        overlap: In [0, 1].
        across_classes: Also drop what overlaps a better one of another class.
    """
    if len(candidates.scores) == 0:
        return candidates
    corners = candidates.corners * PRECISION
    boxes = np.hstack([corners[:, :2], corners[:, 2:] - corners[:, :2]])
    groups = np.zeros_like(candidates.classes) if across_classes else candidates.classes
    kept = cv2.dnn.NMSBoxesBatched(boxes.tolist(), candidates.scores.tolist(), groups.tolist(), 0.0, overlap)
    return candidates.only(np.sort(np.asarray(kept, np.int64)))
