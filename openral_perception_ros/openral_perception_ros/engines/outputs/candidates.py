"""The best (query, class) pairs of a DETR-like head."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_perception_ros.engines.errors import BadDetections


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Boxes x_min, y_min, x_max, y_max relative to the model's input, shape (N, 4); best score first."""

    corners: NDArray[np.float64]
    scores: NDArray[np.float64]
    classes: NDArray[np.int64]

    def only(self, indices: NDArray[np.int64]) -> "Candidates":
        """Those at these positions."""
        return Candidates(self.corners[indices], self.scores[indices], self.classes[indices])


def candidates_of(logits: NDArray[np.floating], boxes: NDArray[np.floating], threshold: float) -> Candidates:
    """At most one candidate per query on average, as DETR with focal loss is read.

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
