"""What one camera saw at one moment."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from openral_world_state.views.intrinsics import Intrinsics


@dataclass(frozen=True)
class View:
    """A depth image with where it was taken from.

    Args:
        camera: Camera id.
        stamp: Of the image [s].
        depth: Along the optical axis [m], 0 where unknown, shape (H, W); registered to the colour
            image, at its own resolution.
        intrinsics: Of the colour image, in whose pixels boxes are given.
        T_map_camera: Optical frame to map, shape (4, 4).
    """

    camera: str
    stamp: float
    depth: NDArray[np.float32]
    intrinsics: Intrinsics
    T_map_camera: NDArray[np.float64]

    @cached_property
    def depth_intrinsics(self) -> Intrinsics:
        """The camera at the depth image's resolution."""
        height, width = self.depth.shape
        return self.intrinsics.resized(width, height)

    @property
    def depth_scale(self) -> tuple[float, float]:
        """Depth pixels per colour pixel, (x, y)."""
        height, width = self.depth.shape
        return width / self.intrinsics.width, height / self.intrinsics.height

    @property
    def eye(self) -> NDArray[np.float64]:
        """Where the camera is, in map [m], shape (3,)."""
        return self.T_map_camera[:3, 3]

    def to_camera(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Map points (N, 3) in the optical frame."""
        return (points - self.T_map_camera[:3, 3]) @ self.T_map_camera[:3, :3]
