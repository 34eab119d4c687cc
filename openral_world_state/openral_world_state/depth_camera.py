"""Camera model: intrinsics with lens distortion, rays and projection, and a depth image with its pose.

InvalidIntrinsics
├── NotCalibrated            K or the image size describe no camera
├── UnsupportedDistortion    an unknown model, or a wrong number of its coefficients
├── InvalidRegion            a region of interest outside the image
├── SizeMismatch             an image of another size or aspect ratio than its calibration
└── TooManyPixels            an image too large to be registered
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from openral_core.arrays import Array, Array32, Indices, Points, Transform, Vector3
from openral_core.errors import OpenRALError
from openral_core.lazy_modules import lazy_module

cv2 = lazy_module("cv2")

_PINHOLE, _FISHEYE = "plumb_bob", "equidistant"
DISTORTION_MODELS: Mapping[str, tuple[int, ...]] = {
    _PINHOLE: (0, 4, 5),
    "rational_polynomial": (0, 8, 12, 14),
    _FISHEYE: (0, 4),
    "fisheye": (0, 4),
}
"""Valid numbers of coefficients of each distortion model of `sensor_msgs/CameraInfo`; 0 if all are zero."""
_MAX_ROUND_TRIP = 0.5
"""Error of a ray projected back to its pixel [px]; above it, the pixel has no ray."""
_CONVERGED = 100, 1e-8
"""End of the search for an undistorted pixel: OpenCV's default of 5 iterations errs by pixels at a border."""
_MAX_ASPECT_ERROR = 0.02
"""Relative difference of two aspect ratios that rounding of a resized image explains [1]."""
_MAX_SIDE = 3.0
"""Distance from the axis up to which objects are looked for, per depth [1]: 72 degrees off the axis."""
MAX_REGISTERED = 1 << 22
"""Pixels of an image that can be registered [1]: more than any depth camera has; bounds memory to 1 GB."""
_MIN_DEPTH = 0.01
"""Depth from which a point is projected into another camera [m]."""


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
        supported = ", ".join(f"{name} ({listed_counts(name)})" for name in DISTORTION_MODELS)
        super().__init__(
            f"unsupported distortion model {model[:64]!r} with {count} coefficients: "
            f"supported are {supported}, and an empty name if every coefficient is zero"
        )


class InvalidRegion(InvalidIntrinsics):
    """The region of interest is not inside the image."""

    def __init__(self, x: int, y: int, width: int, height: int, of: tuple[int, int]) -> None:
        super().__init__(
            f"the region of interest at ({x}, {y}) of {width}x{height} px is not inside the image of "
            f"{of[0]}x{of[1]} px"
        )


class SizeMismatch(InvalidIntrinsics):
    """An image has another size or aspect ratio than its calibration."""

    def __init__(self, size: tuple[int, int], expected: str) -> None:
        super().__init__(
            f"depth image of {size[0]}x{size[1]} px does not fit its calibration: expected {expected}"
        )


class TooManyPixels(InvalidIntrinsics):
    """An image whose registration would need more memory than that of any depth camera."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(
            f"image of {width}x{height} px is too large for the registration of depth: "
            f"at most {MAX_REGISTERED} pixels are accepted"
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
        unnamed = not self.model and not self.is_distorted
        if not unnamed and len(self.distortion) not in DISTORTION_MODELS.get(self.model, ()):
            raise UnsupportedDistortion(self.model, len(self.distortion))

    @property
    def is_fisheye(self) -> bool:
        """True if the image radius grows with the angle off the axis, not with its tangent."""
        return self.model in (_FISHEYE, "fisheye")

    @property
    def is_distorted(self) -> bool:
        """True unless the camera is a pinhole."""
        return self.is_fisheye or any(self.distortion)

    @cached_property
    def enclosing_ball(self) -> tuple[float, float]:
        """Ball around the field of view up to depth 1: distance of its centre on the axis, and its radius."""
        count = 9 if self.is_distorted else 2
        columns, rows = (np.linspace(0.0, size - 1.0, count) for size in (self.width, self.height))
        pixels = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
        plane = self.rays(pixels)[:, :2]
        corner = float(np.nanmax(np.linalg.norm(plane, axis=1), initial=0.0))
        if corner >= 1.0:
            return 1.0, min(corner, _MAX_SIDE)
        centre = (1.0 + corner**2) / 2.0
        return centre, centre

    def matches(self, other: "Intrinsics") -> bool:
        """Tell if both describe the same camera."""
        same_image = (self.width, self.height) == (other.width, other.height)
        same_lens = self.is_distorted == other.is_distorted and (
            not self.is_distorted or (self.model, self.distortion) == (other.model, other.distortion)
        )
        return same_image and same_lens and bool(np.allclose(self.K, other.K))

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

    def rays(self, pixels: Array) -> Points:
        """Rays of pixels (N, 2), as points at depth 1 in the optical frame, shape (N, 3).

        NaN where a pixel of a distorted image has no ray in front of the camera.
        """
        if not len(pixels):
            return np.zeros((0, 3))
        if self.is_distorted:
            plane = self._undistort(pixels)
            error = np.abs(self._distort(plane) - pixels).max(axis=1, keepdims=True)
            # Where the model has no solution, OpenCV extrapolates.
            plane = np.where(error <= _MAX_ROUND_TRIP, plane, np.nan)
        else:
            plane = (pixels - self.K[:2, 2]) / np.array([self.K[0, 0], self.K[1, 1]])
        return np.column_stack((plane, np.ones(len(plane))))

    def image_rays(self) -> Array:
        """Rays of every pixel, as `rays` gives them, shape (H, W, 3)."""
        shape = self.height, self.width
        pixels = np.indices(shape)[::-1].reshape(2, -1).T.astype(np.float64)
        return self.rays(pixels).reshape(*shape, 3)

    def project(self, points: Points) -> Array:
        """Project points (N, 3) in the optical frame, in front of the camera, to pixels (N, 2).

        NaN beyond the field of view of a distorted camera, where its polynomial folds back into the image.
        """
        if not len(points):
            return np.zeros((0, 2))
        plane: Array = points[:, :2] / points[:, 2:]
        focal: Array = np.array([self.K[0, 0], self.K[1, 1]])
        if not self.is_distorted:
            return plane * focal + self.K[:2, 2]
        pixels = self._distort(plane)
        error = np.abs((self._undistort(pixels) - plane) * focal)
        # Compared as angles, because a fisheye's plane stretches without limit towards 90 degrees.
        error = error.max(axis=1, keepdims=True) / (1.0 + np.square(plane).sum(axis=1, keepdims=True))
        return np.where(error <= _MAX_ROUND_TRIP, pixels, np.nan)

    def _distort(self, plane: Array) -> Array:
        """Project points at depth 1 (N, 2) to pixels (N, 2)."""
        points, zero = np.column_stack((plane, np.ones(len(plane)))).reshape(-1, 1, 3), np.zeros(3)
        if self.is_fisheye:
            pixels = cv2.fisheye.projectPoints(points, zero, zero, self.K, self._coefficients)[0]
        else:
            pixels = cv2.projectPoints(points, zero, zero, self.K, self._coefficients)[0]
        return np.asarray(pixels, np.float64).reshape(-1, 2)

    def _undistort(self, pixels: Array) -> Array:
        """Find the points at depth 1 (N, 2) of pixels (N, 2); wrong where there are none."""
        inputs = pixels.reshape(-1, 1, 2), self.K, self._coefficients
        undistort = getattr(cv2, "undistortPointsIter", cv2.undistortPoints)  # OpenCV 4 or 5
        converged = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, *_CONVERGED)
        plane = (
            cv2.fisheye.undistortPoints(*inputs)
            if self.is_fisheye
            else undistort(*inputs, R=None, P=None, criteria=converged)
        )
        return np.asarray(plane, np.float64).reshape(-1, 2)

    @property
    def _coefficients(self) -> Array:
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
    depth: Array32
    intrinsics: Intrinsics
    T_map_camera: Transform

    def __post_init__(self) -> None:
        height, width = self.depth.shape
        aspect = self.intrinsics.width / self.intrinsics.height
        if (
            abs(width / height / aspect - 1.0) > _MAX_ASPECT_ERROR
            and min(width, height) > 1 / _MAX_ASPECT_ERROR
        ):
            raise SizeMismatch((width, height), f"an aspect ratio of {aspect:.3f}, as of the colour image")

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
    def camera_position(self) -> Vector3:
        """Position of the camera in map [m], shape (3,)."""
        return self.T_map_camera[:3, 3]

    def to_camera(self, points: Points) -> Points:
        """Transform points (N, 3) from map to the optical frame."""
        return (points - self.T_map_camera[:3, 3]) @ self.T_map_camera[:3, :3]


class DepthRegistration:
    """Registration of a depth camera's images to a colour camera.

    Each depth pixel is projected into the colour image, where the nearest of a pixel is kept. What the colour
    camera sees and the depth camera does not stays unknown.

    Args:
        depth: Intrinsics of the depth camera.
        colour: Intrinsics of the colour camera.

    Raises:
        TooManyPixels: If an image is larger than that of any depth camera.
    """

    def __init__(self, depth: Intrinsics, colour: Intrinsics) -> None:
        self.depth, self.colour = depth, colour
        # Not finer than the depth image, so that no surface has holes through which another is seen.
        scale = min(1.0, float(depth.K[0, 0] / colour.K[0, 0]), float(depth.K[1, 1] / colour.K[1, 1]))
        self._target = colour.resized(
            max(1, round(colour.width * scale)), max(1, round(colour.height * scale))
        )
        for image in (depth, self._target):
            if image.width * image.height > MAX_REGISTERED:
                raise TooManyPixels(image.width, image.height)
        columns, rows = np.meshgrid(np.arange(float(depth.width)), np.arange(float(depth.height)))
        self._rays = depth.rays(np.column_stack((columns.ravel(), rows.ravel())))

    def register(self, depth: Array32, T_colour_depth: Transform) -> Array32:
        """Return the depth image of the colour camera [m], 0 where unknown.

        Args:
            depth: Along the depth camera's optical axis [m], 0 where unknown, shape (H, W).
            T_colour_depth: Optical frame of the depth camera to that of the colour camera, shape (4, 4).

        Raises:
            SizeMismatch: If the image is not of the size of the depth camera's calibration.
        """
        if depth.shape != (self.depth.height, self.depth.width):
            expected = f"{self.depth.width}x{self.depth.height} px"
            raise SizeMismatch((depth.shape[1], depth.shape[0]), expected)
        flat = depth.ravel().astype(np.float64)
        has_depth = np.isfinite(flat) & (flat > 0.0) & np.isfinite(self._rays[:, 0])
        points = (self._rays[has_depth] * flat[has_depth, None]) @ T_colour_depth[:3, :3].T + T_colour_depth[
            :3, 3
        ]
        points = points[points[:, 2] > _MIN_DEPTH]
        return self._draw(self._target.project(points), points[:, 2])

    def _draw(self, pixels: Array, depths: Array) -> Array32:
        """Draw each depth [m] to the four pixels around its position, the nearest first."""
        width, height = self._target.width, self._target.height
        image = np.full(height * width, np.inf)
        inside = ((pixels > -1.0) & (pixels < (width, height))).all(axis=1)
        first: Indices = np.floor(pixels[inside]).astype(np.intp)
        depths = depths[inside]
        for right, down in ((0, 0), (1, 0), (0, 1), (1, 1)):
            at = first + np.array([right, down], np.intp)
            hit = ((at >= 0) & (at < (width, height))).all(axis=1)
            np.minimum.at(image, np.ravel_multi_index((at[hit, 1], at[hit, 0]), (height, width)), depths[hit])
        return np.where(np.isfinite(image), image, 0.0).astype(np.float32).reshape(height, width)
