"""Frames that show nothing, whatever is before the camera."""

import numpy as np
from numpy.typing import NDArray

_STRIDE = 8
_SPREAD = 2
"""Levels by which the pixels of one colour differ in a frame that shows nothing: rounding of a codec."""
_DARK = 8.0
"""Level below which nearly all pixels lie in a frame too dark to see anything: noise of a covered sensor."""


def is_blank(rgb: NDArray[np.uint8]) -> bool:
    """Whether an image, uint8 of shape (H, W, 3), is all of one colour, or black but for noise.

    A detector that sees nothing in it has not seen that something is absent.
    """
    return _shows_nothing(rgb[::_STRIDE, ::_STRIDE]) and _shows_nothing(rgb)


def _shows_nothing(rgb: NDArray[np.uint8]) -> bool:
    low, high = rgb.min(axis=(0, 1)).astype(int), rgb.max(axis=(0, 1)).astype(int)
    return bool((high - low).max() <= _SPREAD or np.percentile(rgb, 99) <= _DARK)
