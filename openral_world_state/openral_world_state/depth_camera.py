"""Camera model: intrinsics with lens distortion, rays and projection, and a depth image with its pose.

InvalidIntrinsics
├── NotCalibrated            K or the image size describe no camera
├── UnsupportedDistortion    an unknown model, or a wrong number of its coefficients
└── InvalidRegion            a region of interest outside the image
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError

Array = NDArray[np.float64]
_PINHOLE, _FISHEYE = "plumb_bob", "equidistant"
DISTORTION_MODELS: Mapping[str, tuple[int, ...]] = {
    _PINHOLE: (0, 4, 5),
    "rational_polynomial": (0, 8, 12, 14),
    _FISHEYE: (0, 4),
    "fisheye": (0, 4),
}
"""Valid numbers of coefficients of each distortion model of `sensor_msgs/CameraInfo`; 0 if all are zero."""
_MAX_ROUND_TRIP = 0.5
"""Error of a fisheye's ray projected back to its pixel [px]; above it, the pixel has no ray."""


class InvalidIntrinsics(OpenRALError):
    """Base of the errors that make a CameraInfo unusable."""


class NotCalibrated(InvalidIntrinsics):
    """K or the image size describe no camera."""

    def __init__(self, fx: float, fy: float, width: int, height: int) -> None:
        super().__init__(
            f"invalid intrinsics fx={fx:g}, fy={fy:g} for {width}x{height} px: "
            "expected finite focal lengths above 0 and an image of at least 1x1 px; calibrate the camera"
        )


class UnsupportedDistortion(InvalidIntrinsics):
    """The distortion model is unknown; any other model would misplace every object."""

    def __init__(self, model: str, count: int) -> None:
        known = ", ".join(f"{name} ({listed_counts(name)})" for name in DISTORTION_MODELS)
        super().__init__(
            f"unsupported distortion model {model[:64]!r} with {count} coefficients: "
            f"supported are {known}, and an empty name if every coefficient is zero"
        )


class InvalidRegion(InvalidIntrinsics):
    """The region of interest is not inside the image."""

    def __init__(self, x: int, y: int, width: int, height: int, of: tuple[int, int]) -> None:
        super().__init__(
            f"the region of interest at ({x}, {y}) of {width}x{height} px is not inside the image of "
            f"{of[0]}x{of[1]} px"
        )


def listed_counts(model: str) -> str:
    """Return the valid numbers of coefficients of a model as text."""
    return " or ".join(map(str, DISTORTION_MODELS[model]))


@dataclass(frozen=True)
class Intrinsics:
    """Intrinsics of a camera; pixel centres have whole coordinates.

    Source: sensor_msgs/CameraInfo; `equidistant` and `fisheye` are OpenCV's fisheye model.

    Args:
        K: Camera matrix in [px], shape (3, 3).
        width: Of the image that K is for [px].
        height: Of the image that K is for [px].
        distortion: Coefficients in OpenCV's order; empty for none.
        model: One of `DISTORTION_MODELS`; "" only if every coefficient is zero.

    Raises:
        NotCalibrated: If K describes no camera.
        UnsupportedDistortion: If the model or the number of its coefficients is unknown.
    """

    K: Array
    width: int
    height: int
    distortion: tuple[float, ...] = ()
    model: str = _PINHOLE

    def __post_init__(self) -> None:
        fx, fy = float(self.K[0, 0]), float(self.K[1, 1])
        finite = bool(np.isfinite(self.K).all()) and all(map(np.isfinite, self.distortion))
        if not finite or fx <= 0.0 or fy <= 0.0 or self.width < 1 or self.height < 1:
            raise NotCalibrated(fx, fy, self.width, self.height)
        undistorted = not self.model and not any(self.distortion)
        if not undistorted and len(self.distortion) not in DISTORTION_MODELS.get(self.model, ()):
            raise UnsupportedDistortion(self.model, len(self.distortion))

    @property
    def is_fisheye(self) -> bool:
        """True if the image radius grows with the angle off the axis, not with its tangent."""
        return self.model in (_FISHEYE, "fisheye")

    def resized(self, width: int, height: int) -> "Intrinsics":
        """Return the intrinsics at another resolution."""
        if (width, height) == (self.width, self.height):
            return self
        return self._scaled(width / self.width, height / self.height, width, height)

    def binned(self, x: int, y: int) -> "Intrinsics":
        """Return the intrinsics with ``x`` by ``y`` pixels binned to one."""
        if x <= 1 and y <= 1:
            return self
        x, y = max(x, 1), max(y, 1)
        return self._scaled(1.0 / x, 1.0 / y, self.width // x, self.height // y)

    def cropped(self, x: int, y: int, width: int, height: int) -> "Intrinsics":
        """Return the intrinsics of a region of the image; 0x0 is the whole image.

        Raises:
            InvalidRegion: If the region is not inside the image.
        """
        if not width and not height:
            return self
        if min(x, y) < 0 or min(width, height) < 1 or x + width > self.width or y + height > self.height:
            raise InvalidRegion(x, y, width, height, (self.width, self.height))
        K = self.K - np.array([[0.0, 0.0, x], [0.0, 0.0, y], [0.0, 0.0, 0.0]])
        return replace(self, K=K, width=width, height=height)

    def rays(self, pixels: Array) -> Array:
        """Rays of pixels (N, 2), as points at depth 1 in the optical frame, shape (N, 3).

        NaN where a fisheye's pixel has no ray in front of the camera.
        """
        if not len(pixels):
            return np.zeros((0, 3))
        if self.is_fisheye:
            plane = self._fisheye_plane(pixels)
        elif any(self.distortion):
            plane = cv2.undistortPoints(pixels.reshape(-1, 1, 2), self.K, np.array(self.distortion)).reshape(
                -1, 2
            )
        else:
            plane = (pixels - self.K[:2, 2]) / np.array([self.K[0, 0], self.K[1, 1]])
        return np.column_stack((plane, np.ones(len(plane))))

    def project(self, points: Array) -> Array:
        """Project points (N, 3) in the optical frame, in front of the camera, to pixels (N, 2)."""
        if not len(points):
            return np.zeros((0, 2))
        zero = np.zeros(3)
        if self.is_fisheye:
            pixels = cv2.fisheye.projectPoints(points.reshape(-1, 1, 3), zero, zero, self.K, self._fisheye)[0]
            return np.asarray(pixels).reshape(-1, 2)
        if any(self.distortion):
            return np.asarray(
                cv2.projectPoints(points, zero, zero, self.K, np.array(self.distortion))[0]
            ).reshape(-1, 2)
        focal: Array = np.array([self.K[0, 0], self.K[1, 1]])
        plane: Array = points[:, :2] / points[:, 2:] * focal + self.K[:2, 2]
        return plane

    def _fisheye_plane(self, pixels: Array) -> Array:
        """Undistort pixels; NaN where the result does not project back, because OpenCV extrapolates there."""
        plane = cv2.fisheye.undistortPoints(pixels.reshape(-1, 1, 2), self.K, self._fisheye).reshape(-1, 2)
        back = self.project(np.column_stack((plane, np.ones(len(plane)))))
        is_valid = np.abs(back - pixels).max(axis=1, keepdims=True) <= _MAX_ROUND_TRIP
        return np.where(is_valid, plane, np.nan)

    @property
    def _fisheye(self) -> Array:
        return np.array(self.distortion or (0.0,) * 4)

    def _scaled(self, sx: float, sy: float, width: int, height: int) -> "Intrinsics":
        """Scale K about the image's edge, half a pixel from the centre of the first pixel."""
        K = np.diag([sx, sy, 1.0]) @ self.K
        K[:2, 2] += (sx - 1.0) / 2.0, (sy - 1.0) / 2.0
        return replace(self, K=K, width=width, height=height)


@dataclass(frozen=True)
class DepthView:
    """A depth image with its camera's intrinsics and pose.

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
        """Intrinsics at the depth image's resolution."""
        height, width = self.depth.shape
        return self.intrinsics.resized(width, height)

    @property
    def depth_scale(self) -> tuple[float, float]:
        """Depth pixels per colour pixel, (x, y)."""
        height, width = self.depth.shape
        return width / self.intrinsics.width, height / self.intrinsics.height

    @property
    def camera_position(self) -> NDArray[np.float64]:
        """Position of the camera in map [m], shape (3,)."""
        return self.T_map_camera[:3, 3]

    def to_camera(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Transform points (N, 3) from map to the optical frame."""
        return (points - self.T_map_camera[:3, 3]) @ self.T_map_camera[:3, :3]
