"""Curves of a run's evaluations as a picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np

SIZE = (720, 400)
"""(width, height) of the picture [px]."""
MARGIN = 48
"""Space for the axes [px]."""
CURVES: Mapping[str, tuple[int, int, int]] = {
    "ap50": (180, 90, 20),
    "ap": (40, 140, 40),
    "ap_small": (30, 30, 200),
    "recall": (150, 150, 150),
}
"""Metrics of an evaluation and their colours, BGR [levels of 255]."""
BLACK, GRID = (0, 0, 0), (225, 225, 225)  # BGR [levels of 255].


def draw_curves(history: Sequence[Mapping[str, float]], file: Path) -> None:
    """Draw metrics against image views; without an evaluation only the axes."""
    picture = np.full((SIZE[1], SIZE[0], 3), 255, np.uint8)
    last = max((entry["views"] for entry in history), default=1) or 1
    for tenth in range(0, 11, 2):
        y = _point(0, tenth / 10, last)[1]
        cv2.line(picture, (MARGIN, y), (SIZE[0] - MARGIN // 2, y), GRID, 1)
        _write(picture, f"{tenth / 10:.1f}", (8, y + 4), BLACK)
    _write(picture, f"{last:.0f} image views", (SIZE[0] - 190, SIZE[1] - 14), BLACK)
    for number, (name, colour) in enumerate(CURVES.items()):
        points = [_point(entry["views"], entry.get(name, 0.0), last) for entry in history]
        if points:
            cv2.polylines(picture, [np.array(points, np.int32)], isClosed=False, color=colour, thickness=2)
        _write(picture, name, (MARGIN + 100 * number, 20), colour)
    cv2.imwrite(str(file), picture)


def _point(views: float, value: float, last: float) -> tuple[int, int]:
    width, height = SIZE[0] - MARGIN - MARGIN // 2, SIZE[1] - 2 * MARGIN
    return MARGIN + round(width * views / last), SIZE[1] - MARGIN - round(height * value)


def _write(
    picture: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]",
    text: str,
    at: tuple[int, int],
    colour: tuple[int, int, int],
) -> None:
    cv2.putText(picture, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, colour, 1, cv2.LINE_AA)
