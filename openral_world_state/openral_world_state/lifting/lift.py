"""Lift a detection box and a depth image to an object's pose, size and covariance in map.

LiftRefused
├── NoDepth         no pixel of the box has a known depth
├── OutOfRange      the object is nearer or farther than depth is trusted
└── OutsideImage    the box does not overlap the image
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_core.detectors import Box, Detection
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose, transform_points
from openral_world_state.lifting.camera import DepthView
from openral_world_state.lifting.depth import (
    Array,
    estimate_extent,
    nearest_depth_cluster,
    quantile,
    without_support,
)


class LiftRefused(OpenRALError):
    """Base of the errors that prevent the lift of a box."""


def _describe(label: str, box: Box) -> str:
    return f"{label!r} at x {box.x_min:.0f} to {box.x_max:.0f}, y {box.y_min:.0f} to {box.y_max:.0f} px"


class NoDepth(LiftRefused):
    """No pixel of the box has a known depth."""

    def __init__(self, label: str, box: Box) -> None:
        super().__init__(f"{_describe(label, box)} has no valid depth")


class OutOfRange(LiftRefused):
    """The object is nearer or farther than depth can be trusted."""

    def __init__(self, label: str, box: Box, depth: float, nearest: float, farthest: float) -> None:
        super().__init__(
            f"{_describe(label, box)} is {depth:.2f} m away, out of range {nearest:.2f} m to {farthest:.2f} m"
        )


class OutsideImage(LiftRefused):
    """The box does not overlap its image."""

    def __init__(self, label: str, box: Box, width: int, height: int) -> None:
        super().__init__(f"{_describe(label, box)} is outside the image of {width}x{height} px")


@dataclass(frozen=True, slots=True)
class DepthModel:
    """Range and noise of a depth camera.

    Args:
        nearest: Depth from which it is trusted [m].
        farthest: Depth up to which it is trusted [m].
        noise: Constant part of the standard deviation of depth [m].
        noise_growth: Part that grows with the square of depth, as for stereo [1/m].
        samples: Pixels evaluated per box.
    """

    nearest: float = 0.15
    farthest: float = 8.0
    noise: float = 0.004
    noise_growth: float = 0.002
    samples: int = 1200


@dataclass(frozen=True, slots=True)
class LiftedObject:
    """An object in map: upright pose, size along its axes [m], covariance of the position (3, 3) [m^2].

    ``truncated`` if the image's border cuts it, so that its size is only a lower bound.
    """

    pose: Pose
    size: tuple[float, float, float]
    covariance: Array
    truncated: bool


def lift(view: DepthView, detection: Detection, optics: DepthModel) -> LiftedObject:
    """Lift the object in a detection's box.

    Raises:
        OutsideImage: If the box does not overlap the image.
        NoDepth: If no pixel of it has a known depth.
        OutOfRange: If the object is nearer or farther than depth is trusted.
    """
    intrinsics = view.intrinsics
    box = detection.box.clipped(intrinsics.width, intrinsics.height)
    if box is None:
        raise OutsideImage(detection.label, detection.box, intrinsics.width, intrinsics.height)
    window = _window(view, box, optics.samples)
    if np.isnan(window.depth).all():
        raise NoDepth(detection.label, detection.box)
    points, depth, support = _object_points(view, window)
    if not optics.nearest <= depth <= optics.farthest:
        raise OutOfRange(detection.label, detection.box, depth, optics.nearest, optics.farthest)
    extent = estimate_extent(points, view.camera_position, support)
    truncated = _touches_border(detection.box, intrinsics.width, intrinsics.height)
    covariance = _covariance(view, depth, extent.hidden_depth, optics)
    if truncated:
        covariance = covariance + np.eye(3) * (max(extent.size) / 4.0) ** 2
    x, y, z = extent.center.tolist()
    return LiftedObject(Pose.planar(x, y, extent.yaw, z), extent.size, covariance, truncated)


@dataclass(frozen=True, slots=True)
class _Window:
    """Depths of a box (H, W), NaN where unknown, with the image rows (H,) and columns (W,) they lie in."""

    depth: Array
    rows: Array
    columns: Array
    step: int


def _window(view: DepthView, box: Box, count: int) -> _Window:
    """Crop a box of the depth image, evenly thinned to about ``count`` pixels."""
    sx, sy = view.depth_scale
    height, width = view.depth.shape
    x0, x1 = _span(box.x_min * sx, box.x_max * sx, width)
    y0, y1 = _span(box.y_min * sy, box.y_max * sy, height)
    step = max(1, int(np.sqrt((x1 - x0) * (y1 - y0) / count)))
    depth = view.depth[y0:y1:step, x0:x1:step].astype(np.float64)
    depth[~(np.isfinite(depth) & (depth > 0.0))] = np.nan
    rows, columns = np.arange(y0, y1, step, dtype=float), np.arange(x0, x1, step, dtype=float)
    if view.intrinsics.is_fisheye:
        depth[~_has_ray(view, rows, columns)] = np.nan
    return _Window(depth, rows, columns, step)


def _has_ray(view: DepthView, rows: Array, columns: Array) -> NDArray[np.bool_]:
    """Mask of the pixels with a ray; those outside a fisheye's image circle have none."""
    pixels = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
    known = np.isfinite(view.depth_intrinsics.rays(pixels)).all(axis=1)
    return np.asarray(known.reshape(len(rows), len(columns)))


def _span(low: float, high: float, size: int) -> tuple[int, int]:
    """Whole pixels of an interval, at least one, within ``size`` pixels."""
    first = min(int(np.floor(low + 0.5)), size - 1)
    return first, max(min(int(np.floor(high + 0.5)), size), first + 1)


def _object_points(view: DepthView, window: _Window) -> tuple[Array, float, float]:
    """Points of the object in map (N, 3), its nearest depth [m], and the height of its support [m].

    The support is removed between two searches for the nearest cluster, because it joins the object to
    the objects behind.
    """
    step = window.step / float(view.depth_intrinsics.K[0, 0])
    first = nearest_depth_cluster(window.depth, step)
    points = _in_map(view, window, first)
    above, support = without_support(points)
    rest = np.full(window.depth.shape, np.nan)
    rest[first] = np.where(above, window.depth[first], np.nan)
    chosen = nearest_depth_cluster(rest, step)
    return points[chosen[first]], quantile(window.depth[chosen], 0.05), support


def _in_map(view: DepthView, window: _Window, mask: NDArray[np.bool_]) -> Array:
    rows, columns = np.nonzero(mask)
    rays = view.depth_intrinsics.rays(np.column_stack((window.columns[columns], window.rows[rows])))
    return transform_points(view.T_map_camera, rays * window.depth[mask][:, None])


def _touches_border(box: Box, width: int, height: int) -> bool:
    return box.x_min <= 1.0 or box.y_min <= 1.0 or box.x_max >= width - 1.0 or box.y_max >= height - 1.0


def _covariance(view: DepthView, depth: float, hidden_depth: float, optics: DepthModel) -> Array:
    across = 2.0 * depth / float(view.intrinsics.K[0, 0])
    along = np.hypot(optics.noise + optics.noise_growth * depth**2, hidden_depth / 2.0)
    R = view.T_map_camera[:3, :3]
    return np.asarray(R @ np.diag(np.square([across, across, along])) @ R.T)
