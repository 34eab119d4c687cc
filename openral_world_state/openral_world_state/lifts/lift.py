"""From a box in an image to a thing in the map."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_core.detections import Box, Detection
from openral_core.geometry import Pose, transform_points
from openral_world_state.lifts.depth_modes import front_mode
from openral_world_state.lifts.extents import extent_of, without_support
from openral_world_state.lifts.refusals import NoDepth, OutOfRange, OutsideImage
from openral_world_state.views import View

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Optics:
    """Limits of what depth can be trusted, and its noise.

    ``nearest`` and ``farthest`` [m]; standard deviation of depth ``noise`` [m] + ``noise_growth`` z^2;
    ``samples`` pixels looked at per box.
    """

    nearest: float = 0.15
    farthest: float = 8.0
    noise: float = 0.004
    noise_growth: float = 0.002
    samples: int = 1600


@dataclass(frozen=True, slots=True)
class Lifted:
    """A thing in the map: upright pose, size along its axes [m], covariance of the position (3, 3) [m^2].

    ``truncated`` when the image's border cuts it, so that its size is only a lower bound.
    """

    pose: Pose
    size: tuple[float, float, float]
    covariance: Array
    truncated: bool


def lift(view: View, detection: Detection, optics: Optics) -> Lifted:
    """The thing in a detection's box.

    Raises:
        OutsideImage: If the box does not meet the image.
        NoDepth: If no pixel of it has a known depth.
        OutOfRange: If the thing is nearer or farther than can be trusted.
    """
    intrinsics = view.intrinsics
    box = detection.box.clipped(intrinsics.width, intrinsics.height)
    if box is None:
        raise OutsideImage(detection.label, detection.box, intrinsics.width, intrinsics.height)
    pixels, depths = _samples(view, box, optics.samples)
    if not len(depths):
        raise NoDepth(detection.label, detection.box)
    points, depth, floor = _object_points(view, box, pixels, depths)
    if not optics.nearest <= depth <= optics.farthest:
        raise OutOfRange(detection.label, detection.box, depth, optics.nearest, optics.farthest)
    extent = extent_of(points, view.eye, floor)
    truncated = _touches_border(detection.box, intrinsics.width, intrinsics.height)
    covariance = _covariance(
        view, depth, extent.unseen + (max(extent.size) / 4.0 if truncated else 0.0), optics
    )
    x, y, z = extent.center.tolist()
    return Lifted(Pose.planar(x, y, extent.yaw, z), extent.size, covariance, truncated)


def _samples(view: View, box: Box, count: int) -> tuple[Array, Array]:
    """Pixels (N, 2) of the box with a known depth, evenly thinned to about ``count``; depths (N,)."""
    sx, sy = view.depth_scale
    height, width = view.depth.shape
    x0, x1 = _span(box.x_min * sx, box.x_max * sx, width)
    y0, y1 = _span(box.y_min * sy, box.y_max * sy, height)
    step = max(1, int(np.sqrt((x1 - x0) * (y1 - y0) / count)))
    window = view.depth[y0:y1:step, x0:x1:step]
    rows, columns = np.nonzero(np.isfinite(window) & (window > 0.0))
    pixels = np.column_stack((x0 + columns * step, y0 + rows * step)).astype(np.float64)
    return pixels, window[rows, columns].astype(np.float64)


def _span(low: float, high: float, size: int) -> tuple[int, int]:
    """Whole pixels of an interval, at least one, inside ``size``."""
    first = min(int(np.floor(low + 0.5)), size - 1)
    return first, max(min(int(np.floor(high + 0.5)), size), first + 1)


def _object_points(view: View, box: Box, pixels: Array, depths: Array) -> tuple[Array, float, float]:
    """Points of the object in map (N, 3), its nearest depth [m], and the height it stands at [m]."""
    size = np.array([box.width, box.height]) * view.depth_scale
    chosen = front_mode(depths, pixels, size)
    points = _in_map(view, pixels[chosen], depths[chosen])
    standing, floor = without_support(points)
    pixels, depths, points = pixels[chosen][standing], depths[chosen][standing], points[standing]
    again = front_mode(depths, pixels, size)
    return points[again], float(np.percentile(depths[again], 5.0)), floor


def _in_map(view: View, pixels: Array, depths: Array) -> Array:
    return transform_points(view.T_map_camera, view.depth_intrinsics.rays(pixels) * depths[:, None])


def _touches_border(box: Box, width: int, height: int) -> bool:
    return box.x_min <= 1.0 or box.y_min <= 1.0 or box.x_max >= width - 1.0 or box.y_max >= height - 1.0


def _covariance(view: View, depth: float, unseen: float, optics: Optics) -> Array:
    across = 2.0 * depth / float(view.intrinsics.K[0, 0])
    along = np.hypot(optics.noise + optics.noise_growth * depth**2, unseen / 2.0)
    R = view.T_map_camera[:3, :3]
    return np.asarray(R @ np.diag(np.square([across, across, along])) @ R.T)
