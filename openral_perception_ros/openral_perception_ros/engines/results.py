"""Model output as detections: nothing broken passes, nothing outside the image."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from openral_core.detections import Box, Detection
from openral_perception_ros.engines.errors import BadDetections


def detections_from(
    boxes: ArrayLike, scores: ArrayLike, labels: Sequence[str], size: tuple[int, int]
) -> list[Detection]:
    """Detections of one image, best score first; boxes without area inside the image are dropped.

    Args:
        boxes: x_min, y_min, x_max, y_max in source-image [px], shape (N, 4).
        scores: Shape (N,), each in [0, 1].
        labels: One per box.
        size: (width, height) of the source image [px].

    Raises:
        BadDetections: If any box or score is not finite, or a score lies outside [0, 1].
    """
    corners = np.asarray(boxes, np.float64).reshape(-1, 4)
    values = np.asarray(scores, np.float64).reshape(-1)
    if not np.isfinite(corners).all():
        raise BadDetections("boxes that are not finite", corners[~np.isfinite(corners).all(axis=1)][0])
    if not ((values >= 0.0) & (values <= 1.0)).all():
        raise BadDetections("scores outside [0, 1]", values[~((values >= 0.0) & (values <= 1.0))][0])
    corners[:, 0::2] = corners[:, 0::2].clip(0.0, size[0])
    corners[:, 1::2] = corners[:, 1::2].clip(0.0, size[1])
    inside = (corners[:, 2] > corners[:, 0]) & (corners[:, 3] > corners[:, 1])
    best_first = [int(i) for i in np.argsort(-values, kind="stable") if inside[i]]
    return [Detection(Box(*map(float, corners[i])), labels[i], float(values[i])) for i in best_first]


def clipped(detections: Iterable[Detection], size: tuple[int, int]) -> tuple[Detection, ...]:
    """Detections cut to the image; those wholly outside are dropped."""
    inside = ((each, each.box.clipped(*size)) for each in detections)
    return tuple(
        Detection(box, each.label, each.score, each.track) for each, box in inside if box is not None
    )
