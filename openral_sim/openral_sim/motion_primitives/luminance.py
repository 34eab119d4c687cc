"""Judge from images whether a lamp or screen is on: how bright the part of the image is that shows it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from openral_core.arrays import Image, Points
from openral_core.errors import OpenRALError
from openral_core.home_map import ApplianceKind

_WEIGHTS = np.array([0.2126, 0.7152, 0.0722])
"""Weights of red, green and blue in the luminance (ITU-R BT.709) [1]."""


class NotInImage(OpenRALError):
    """The part to judge is not in the image, or too small in it."""

    def __init__(self, pixels: int) -> None:
        super().__init__(f"{pixels} pixels show the part that lights up: at least {MIN_PIXELS} are needed")


@dataclass(frozen=True)
class LuminanceBounds:
    """Bounds of one look at a part: on from ``lit``, off up to ``dark``, both in [0, 1]."""

    lit: float
    dark: float


BOUNDS: Mapping[ApplianceKind, LuminanceBounds] = {
    "lamp": LuminanceBounds(lit=0.75, dark=0.65),
    "screen": LuminanceBounds(lit=0.30, dark=0.15),
}
"""Bounds by kind of appliance; between them one look does not tell."""
MIN_CHANGE = 0.10
"""Change of the luminance between two looks that shows that it was switched; another view alone is below."""
MIN_PIXELS = 30
"""Smallest number of pixels that are judged [1]."""
MIDDLE = 0.6
"""Fraction of the part's box in the image, about its middle, that is judged [1]."""


def mean_luminance(rgb: Image, corners: Points) -> float:
    """Measure the mean luminance of a part of an image, in [0, 1].

    Args:
        rgb: Colour image, shape (H, W, 3).
        corners: Corners of the part in the image in [px], columns (u, v), shape (N, 2).

    Raises:
        NotInImage: If too few of its pixels are in the image.
    """
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle, half = (low + high) / 2, MIDDLE * (high - low) / 2
    height, width = rgb.shape[:2]
    left, top = np.clip(np.ceil(middle - half), 0, (width, height)).astype(int)
    right, bottom = np.clip(np.floor(middle + half) + 1, 0, (width, height)).astype(int)
    part = rgb[top:bottom, left:right].reshape(-1, 3)
    if len(part) < MIN_PIXELS:
        raise NotInImage(len(part))
    return float((part / 255.0 @ _WEIGHTS).mean())


def state_by_luminance(luminance: float, kind: ApplianceKind) -> bool | None:
    """Return True if one look shows a lamp or screen that is on, False if off, None if it may be either."""
    if luminance >= BOUNDS[kind].lit:
        return True
    return False if luminance <= BOUNDS[kind].dark else None


def was_switched(before: float, after: float, on: bool) -> bool:
    """Return True if two looks show that a part was turned on, or off."""
    return (after - before if on else before - after) >= MIN_CHANGE
