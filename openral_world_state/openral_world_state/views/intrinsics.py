"""A camera's intrinsics, and the directions its pixels look in."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError

Array = NDArray[np.float64]


class InvalidIntrinsics(OpenRALError):
    """A CameraInfo that describes no camera."""

    def __init__(self, fx: float, fy: float, width: int, height: int) -> None:
        super().__init__(
            f"intrinsics with fx={fx:g}, fy={fy:g} for {width}x{height} px describe no camera: "
            "expected finite focal lengths above 0 and an image of at least 1x1 (is the camera calibrated?)"
        )


@dataclass(frozen=True)
class Intrinsics:
    """Pinhole model with the distortion of OpenCV's `plumb_bob` and `rational_polynomial`.

    Source: sensor_msgs/CameraInfo.

    Args:
        K: Camera matrix in [px], shape (3, 3).
        width: Of the image K belongs to [px].
        height: Of the image K belongs to [px].
        distortion: Coefficients (k1, k2, p1, p2, k3, ...); empty for none.

    Raises:
        InvalidIntrinsics: If K describes no camera.
    """

    K: Array
    width: int
    height: int
    distortion: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        fx, fy = float(self.K[0, 0]), float(self.K[1, 1])
        finite = bool(np.isfinite(self.K).all()) and all(map(np.isfinite, self.distortion))
        if not finite or fx <= 0.0 or fy <= 0.0 or self.width < 1 or self.height < 1:
            raise InvalidIntrinsics(fx, fy, self.width, self.height)

    def resized(self, width: int, height: int) -> "Intrinsics":
        """The same camera read out at another resolution."""
        if (width, height) == (self.width, self.height):
            return self
        scale = np.diag([width / self.width, height / self.height, 1.0])
        return Intrinsics(scale @ self.K, width, height, self.distortion)

    def rays(self, pixels: Array) -> Array:
        """Directions of pixels (N, 2), as points at depth 1 in the optical frame, shape (N, 3)."""
        if any(self.distortion):
            plane = cv2.undistortPoints(pixels.reshape(-1, 1, 2), self.K, np.array(self.distortion)).reshape(
                -1, 2
            )
        else:
            plane = (pixels - self.K[:2, 2]) / np.array([self.K[0, 0], self.K[1, 1]])
        return np.column_stack((plane, np.ones(len(plane))))

    def project(self, points: Array) -> Array:
        """Pixels (N, 2) of points (N, 3) in the optical frame that lie before the camera."""
        if any(self.distortion):
            zero = np.zeros(3)
            return np.asarray(
                cv2.projectPoints(points, zero, zero, self.K, np.array(self.distortion))[0]
            ).reshape(-1, 2)
        focal: Array = np.array([self.K[0, 0], self.K[1, 1]])
        pixels: Array = points[:, :2] / points[:, 2:] * focal + self.K[:2, 2]
        return pixels
