"""What a camera gives."""

from dataclasses import dataclass
from math import radians, tan

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Frame:
    """Colour and depth of one instant, top row first.

    Attributes:
        rgb: Colour, uint8, shape (H, W, 3).
        depth: Distance along the optical axis in [m], float32, shape (H, W); 0 where unknown.
        K: Intrinsics in [px], shape (3, 3); pixel centres at whole coordinates.
        time: Simulated time [s].
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    K: NDArray[np.float64]
    time: float


def intrinsics(width: int, height: int, fovy: float) -> NDArray[np.float64]:
    """The pinhole intrinsics of a vertical field of view [deg], shape (3, 3)."""
    focal = 0.5 * height / tan(radians(fovy) / 2)
    return np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
