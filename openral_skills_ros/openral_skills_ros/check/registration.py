"""Measured shift between the edges of a depth image and those of a colour image."""

import cv2
import numpy as np
from numpy.typing import NDArray

WIDTH = 160
"""Width at which images are compared [px]: a shift of 1 % is 1.6 px."""
RANGE = 0.2
"""Largest shift that is looked for, of the image's width [1]: sensors are a few centimetres apart."""
DISTINCT = 1.3
"""Ratio of the best correlation to the one without a shift from which a shift is believed [1]."""
STEP = 0.05
"""Relative difference of neighbouring depths that is an edge [1]."""


def alignment(colour: NDArray[np.generic], depth: NDArray[np.generic]) -> tuple[float, float] | None:
    """Return the shift of depth edges to the right and down of colour edges, of the image's width.

    Args:
        colour: RGB, uint8, shape (H, W, 3).
        depth: In [m], shape (h, w); 0 or NaN where unknown.

    Returns:
        None if too few edges are seen to tell; (0, 0) if no shift fits distinctly better than none.
    """
    height = round(WIDTH * colour.shape[0] / colour.shape[1])
    grey = cv2.cvtColor(np.ascontiguousarray(colour, np.uint8), cv2.COLOR_RGB2GRAY)
    edges = _colour_edges(cv2.resize(grey, (WIDTH, height), interpolation=cv2.INTER_AREA))
    small = cv2.resize(depth.astype(np.float32), (WIDTH, height), interpolation=cv2.INTER_NEAREST)
    steps = _depth_edges(small)
    if steps.sum() < WIDTH / 2 or edges.sum() < WIDTH / 2:
        return None
    reach = round(RANGE * WIDTH)
    scores = cv2.matchTemplate(np.pad(edges, reach), steps, cv2.TM_CCORR)
    row, column = np.unravel_index(int(scores.argmax()), scores.shape)
    if scores[row, column] < DISTINCT * scores[reach, reach]:
        return 0.0, 0.0
    return (reach - int(column)) / WIDTH, (reach - int(row)) / WIDTH


def _colour_edges(grey: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return strong edges, widened by a pixel, shape (H, W)."""
    found = cv2.Canny(grey, 50, 150) > 0
    return np.asarray(cv2.GaussianBlur(found.astype(np.float32), (3, 3), 0), np.float32)


def _depth_edges(depth: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 1 at steps between known neighbours, else 0, shape (H, W)."""
    known = np.where(np.isfinite(depth) & (depth > 0.0), depth, np.nan)
    with np.errstate(invalid="ignore"):
        right = np.abs(np.diff(known, axis=1)) > STEP * known[:, 1:]
        down = np.abs(np.diff(known, axis=0)) > STEP * known[1:, :]
    steps = np.zeros(depth.shape, np.float32)
    steps[:, 1:] += right
    steps[1:, :] += down
    return np.minimum(steps, 1.0)
