"""Lift a detection box and a depth image to an object's pose, size and covariance in map.

The nearest significant cluster of depths in the box is the object; a box is fitted around its points.

LiftRefused
├── NoDepth         too few pixels of the box have a known depth
├── OutOfRange      the object is nearer or farther than depth is trusted
└── OutsideImage    the box does not overlap the image
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_core.detectors import Box, Detection
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose, transform_points
from openral_world_state.depth_camera import DepthView

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DepthClusterConfig:
    """Thresholds of the search for the object's depths in a box.

    A detector's box is tight, so the object spans it; `benchmarks/lift_cases.py` shows the effect of each.

    Args:
        min_fraction: Fraction of the known pixels from which a cluster is significant [1].
        min_points: Pixels from which a cluster is significant.
        span: Fraction of the box's sides that the object reaches across [1].
        corner: Fraction of a cluster beyond a diagonal of the box from which it only cuts a corner [1].
        gap: Gap in depth that parts two clusters [m].
        relative_gap: The same per depth [1]; depth noise grows with distance.
        jump: Difference of neighbouring pixels that is an edge [m].
        relative_jump: The same per width of a pixel at that depth [1]; a slope of about 70 degrees.
    """

    min_fraction: float = 0.05
    min_points: int = 6
    span: float = 0.6
    corner: float = 0.85
    gap: float = 0.04
    relative_gap: float = 0.03
    jump: float = 0.025
    relative_jump: float = 3.0


@dataclass(frozen=True, slots=True)
class ExtentConfig:
    """Rules that complete the shape of an object of which only the front is visible.

    Of a round object seen level the near half is visible: its footprint is about half as deep as wide.

    Args:
        half: Range of the ratio of depth to width of the visible half of a round object [1].
        elongated: Ratio of depth to length below which an object lies along its length [1].
        upright_facing: Cosine of the angle to the view up to which an upright object is completed [1].
        lying_facing: Cosine of the angle to the view up to which a lying object is completed [1].
        rectangle: Fraction of its bounding rectangle that a fully visible box fills [1].
        support_layer: Thickness of the layer taken for the support [m].
        flat: Fraction of points above that layer below which the object is flat and keeps all points [1].
        lowest: Quantile of the heights that is the support's [1].
        highest: Quantile of the heights that is the object's top [1].
    """

    half: tuple[float, float] = (0.25, 0.75)
    elongated: float = 0.3
    upright_facing: float = 0.8
    lying_facing: float = 0.5
    rectangle: float = 0.9
    support_layer: float = 0.012
    flat: float = 0.3
    lowest: float = 0.02
    highest: float = 0.99


_CLUSTERS, _EXTENT = DepthClusterConfig(), ExtentConfig()


def quantile(values: Array, fraction: float) -> float:
    """Value below which ``fraction`` of ``values`` (N,) lies; faster than numpy's on small arrays."""
    index = round(fraction * (len(values) - 1))
    return float(np.partition(values, index)[index])


def nearest_depth_cluster(depth: Array, step: float) -> NDArray[np.bool_]:
    """Mask of the nearest significant cluster of depths that reaches across a box.

    Pixels of another object that only cuts a corner of the box do not reach across it, such as a drawer's
    front before its contents.

    Args:
        depth: Depths in the box [m], NaN where unknown, shape (H, W), some known.
        step: Width of one pixel at depth 1 [m].
    """
    cluster = nearest_cluster(depth)
    median = quantile(depth[cluster], 0.5)
    jump = max(_CLUSTERS.jump, _CLUSTERS.relative_jump * step * median)
    return nearest_patch(np.where(cluster, depth, np.nan), jump)


def nearest_cluster(depth: Array) -> NDArray[np.bool_]:
    """Nearest cluster, parted from others by a gap in depth, that is significant and spans the box."""
    known = np.flatnonzero(~np.isnan(depth))
    values = depth.ravel()[known]
    order = np.argsort(values)
    gap = max(_CLUSTERS.gap, _CLUSTERS.relative_gap * values[order[len(order) // 2]])
    clusters = np.split(known[order], np.flatnonzero(np.diff(values[order]) > gap) + 1)
    min_size = max(_CLUSTERS.min_points, _CLUSTERS.min_fraction * len(known))
    significant = [cluster for cluster in clusters if len(cluster) >= min_size]
    spanning = (c for c in significant if _spans(np.unravel_index(c, depth.shape), depth.shape))
    chosen = next(spanning, None)
    mask = np.zeros(depth.size, dtype=bool)
    mask[max(significant or clusters, key=len) if chosen is None else chosen] = True
    return mask.reshape(depth.shape)


def nearest_patch(depth: Array, jump: float) -> NDArray[np.bool_]:
    """Nearest patch without a ``jump`` in depth [m] that spans the box; the whole cluster if none does."""
    known = ~np.isnan(depth)
    smooth = (known & ~pixels_behind_edges(depth, jump)).view(np.uint8)
    count, patches, boxes, _ = cv2.connectedComponentsWithStats(smooth, connectivity=4)
    height, width = boxes[:, cv2.CC_STAT_HEIGHT] - 1, boxes[:, cv2.CC_STAT_WIDTH] - 1
    spans = (height >= _CLUSTERS.span * (depth.shape[0] - 1)) & (
        width >= _CLUSTERS.span * (depth.shape[1] - 1)
    )
    masks = [patches == number for number in range(1, count) if spans[number]]
    if len(masks) < 2:
        return masks[0] if masks else known
    return min(masks, key=lambda mask: quantile(depth[mask], 0.5))


def pixels_behind_edges(depth: Array, jump: float) -> NDArray[np.bool_]:
    """Mask of the pixels farther than a neighbour by more than ``jump`` [m]."""
    result = np.zeros(depth.shape, dtype=bool)
    right, down = np.diff(depth, axis=1), np.diff(depth, axis=0)
    result[:, 1:] |= right > jump
    result[:, :-1] |= right < -jump
    result[1:] |= down > jump
    result[:-1] |= down < -jump
    return result


def _spans(cells: tuple[NDArray[np.intp], ...], shape: tuple[int, ...]) -> bool:
    rows, columns = cells
    is_high = rows.max() - rows.min() >= _CLUSTERS.span * (shape[0] - 1)
    is_wide = columns.max() - columns.min() >= _CLUSTERS.span * (shape[1] - 1)
    # Cells of which nearly all lie beyond one of the box's diagonals only cut its corner.
    u, v = rows / max(shape[0] - 1, 1), columns / max(shape[1] - 1, 1)
    sides = (u + v < 1.0, u + v > 1.0, u < v, u > v)
    cuts_corner = any(float(side.mean()) >= _CLUSTERS.corner for side in sides)
    return bool(is_high and is_wide and not cuts_corner)


@dataclass(frozen=True, slots=True)
class Extent:
    """An upright box in map.

    Args:
        center: In map [m], shape (3,).
        yaw: Of its x axis [rad].
        size: Sides (x, y, z) [m].
        hidden_depth: Distance by which the centre may lie deeper than the visible surface tells [m].
    """

    center: Array
    yaw: float
    size: tuple[float, float, float]
    hidden_depth: float


def without_support(points: Array) -> tuple[NDArray[np.bool_], float]:
    """Mask of the points (N, 3) above the object's support, all of a flat object; and its height [m]."""
    support = quantile(points[:, 2], _EXTENT.lowest)
    above = points[:, 2] > support + _EXTENT.support_layer
    return (above if above.mean() > _EXTENT.flat else np.ones(len(points), dtype=bool)), support


def estimate_extent(points: Array, viewpoint: Array, support: float) -> Extent:
    """Fit an upright box around an object.

    Seen level, only the near half of a round object is visible: if its footprint is about half as deep as
    it is wide (upright), or as it is high (lying), the other half is added. A flat front stays flat,
    with its depth unknown.

    Args:
        points: Of its surface, in map [m], shape (N, 3).
        viewpoint: Position of the camera in map [m], shape (3,).
        support: Height of its support, or of its lowest point [m].
    """
    height = max(quantile(points[:, 2], _EXTENT.highest) - support, 0.0)
    outline = np.asarray(cv2.convexHull(points[:, :2].astype(np.float32)))
    center, yaw, (length, depth) = fit_rectangle(outline)
    away = np.array([-np.sin(yaw), np.cos(yaw)])
    forward = center - viewpoint[:2]
    away = away if away @ forward >= 0.0 else -away
    facing = float(away @ forward) / max(float(np.linalg.norm(forward)), 1e-9)
    filled = cv2.contourArea(outline) / max(length * depth, 1e-9)
    whole = whole_depth(length, depth, height, facing, filled)
    center = center + away * (whole - depth) / 2.0
    thickness = min(length, height)
    hidden = thickness / 2.0 if whole < _EXTENT.half[0] * thickness else 0.0
    return Extent(np.array([*center, support + height / 2.0]), yaw, (length, whole, height), hidden)


def whole_depth(length: float, depth: float, height: float, facing: float, filled: float) -> float:
    """Depth of the whole object from its visible part [m]; a filled rectangle is fully visible."""
    least, most = _EXTENT.half
    is_round = filled < _EXTENT.rectangle and least < depth / max(length, 1e-6) < most
    if is_round and facing > _EXTENT.upright_facing:
        return length
    is_lying = depth < _EXTENT.elongated * length and least < depth / max(height, 1e-6) < most
    return height if is_lying and facing > _EXTENT.lying_facing else depth


def fit_rectangle(outline: NDArray[np.float32]) -> tuple[Array, float, tuple[float, float]]:
    """Smallest rectangle around an outline: centre [m], yaw of its long side [rad], (long, short) [m]."""
    offset = outline.reshape(-1, 2).mean(axis=0)
    (x, y), (a, b), degrees = cv2.minAreaRect(outline - offset)
    yaw = np.deg2rad(degrees if a >= b else degrees + 90.0)
    center = offset.astype(np.float64) + np.array([x, y])
    return center, float((yaw + np.pi / 2) % np.pi - np.pi / 2), (max(a, b), min(a, b))


class LiftRefused(OpenRALError):
    """Base of the errors that prevent the lift of a box."""


def _describe(label: str, box: Box) -> str:
    return f"{label!r} at x {box.x_min:.0f} to {box.x_max:.0f}, y {box.y_min:.0f} to {box.y_max:.0f} px"


class NoDepth(LiftRefused):
    """Depth is known in too small a part of the box, as beyond the field of view of the depth camera."""

    def __init__(self, label: str, box: Box, fraction: float) -> None:
        part = f"valid depth in only {fraction:.0%} of it, on one side" if fraction else "no valid depth"
        super().__init__(f"{_describe(label, box)} has {part}")


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
        NoDepth: If too few pixels of it have a known depth.
        OutOfRange: If the object is nearer or farther than depth is trusted.
    """
    intrinsics = view.intrinsics
    box = detection.box.clipped(intrinsics.width, intrinsics.height)
    if box is None:
        raise OutsideImage(detection.label, detection.box, intrinsics.width, intrinsics.height)
    window = _window(view, box, optics.samples)
    known = ~np.isnan(window.depth)
    if not known.all() and not reaches_across(known):
        raise NoDepth(detection.label, detection.box, float(known.mean()))
    points, depth, support = object_points(view, window)
    if not optics.nearest <= depth <= optics.farthest:
        raise OutOfRange(detection.label, detection.box, depth, optics.nearest, optics.farthest)
    extent = estimate_extent(points, view.camera_position, support)
    edges = detection.box
    truncated = (
        min(edges.x_min, edges.y_min) <= 1.0
        or edges.x_max >= intrinsics.width - 1.0
        or edges.y_max >= intrinsics.height - 1.0
    )
    covariance = position_covariance(view, depth, extent.hidden_depth, optics)
    if truncated:
        covariance = covariance + np.eye(3) * (max(extent.size) / 4.0) ** 2
    x, y, z = extent.center.tolist()
    return LiftedObject(Pose.planar(x, y, extent.yaw, z), extent.size, covariance, truncated)


@dataclass(frozen=True, slots=True)
class _Window:
    """Depths of a box (H, W), a fisheye's distances, NaN where unknown, with rows (H,) and columns (W,)."""

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
    if view.intrinsics.is_distorted:  # a pixel may have no ray, as outside a fisheye's image circle
        pixels = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
        length = np.linalg.norm(view.depth_intrinsics.rays(pixels), axis=1).reshape(depth.shape)
        # Far off a fisheye's axis, depth hardly differs between surfaces: its window holds distances.
        depth *= length if view.intrinsics.is_fisheye else length / length
    return _Window(depth, rows, columns, step)


def _span(low: float, high: float, size: int) -> tuple[int, int]:
    """Whole pixels of an interval, at least one, within ``size`` pixels."""
    first = min(int(np.floor(low + 0.5)), size - 1)
    return first, max(min(int(np.floor(high + 0.5)), size), first + 1)


def reaches_across(known: NDArray[np.bool_]) -> bool:
    """Tell if the pixels of known depth reach across the box, as any object in it does."""
    for axis, size in enumerate(reversed(known.shape)):
        cells = np.flatnonzero(known.any(axis=axis))
        if not len(cells) or cells[-1] - cells[0] < _CLUSTERS.span * (size - 1):
            return False
    return True


def object_points(view: DepthView, window: _Window) -> tuple[Array, float, float]:
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
    if view.intrinsics.is_fisheye:
        rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    return transform_points(view.T_map_camera, rays * window.depth[mask][:, None])


def position_covariance(view: DepthView, depth: float, hidden_depth: float, optics: DepthModel) -> Array:
    """Covariance in map of a position measured at a depth [m], shape (3, 3) [m^2]; two pixels wide."""
    across = 2.0 * depth / float(view.intrinsics.K[0, 0])
    along = np.hypot(optics.noise + optics.noise_growth * depth**2, hidden_depth / 2.0)
    R = view.T_map_camera[:3, :3]
    return np.asarray(R @ np.diag(np.square([across, across, along])) @ R.T)
