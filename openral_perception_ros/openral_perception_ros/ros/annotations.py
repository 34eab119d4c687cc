"""Boxes drawn on the image they were found in."""

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_core.detections import Detection

COLOUR = (80, 220, 120)
INK = (0, 0, 0)


def annotated(rgb: NDArray[np.uint8], detections: Iterable[Detection]) -> NDArray[np.uint8]:
    """A copy of an image with every box, its label and score.

    Args:
        rgb: Shape (H, W, 3).
        detections: Boxes in pixels of ``rgb``.
    """
    canvas = np.ascontiguousarray(rgb).copy()
    for each in detections:
        corner = (round(each.box.x_min), round(each.box.y_min))
        cv2.rectangle(canvas, corner, (round(each.box.x_max), round(each.box.y_max)), COLOUR, 2)
        _write(canvas, f"{each.label} {each.score:.2f}", corner)
    return canvas


def _write(canvas: NDArray[np.uint8], text: str, corner: tuple[int, int]) -> None:
    (width, height), base = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.45, 1)
    top = max(corner[1] - height - base, 0)
    cv2.rectangle(canvas, (corner[0], top), (corner[0] + width, top + height + base), COLOUR, cv2.FILLED)
    cv2.putText(canvas, text, (corner[0], top + height), cv2.FONT_HERSHEY_SIMPLEX, 0.45, INK, 1, cv2.LINE_AA)
