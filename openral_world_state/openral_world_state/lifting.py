"""Lift a detection box and a depth image to an object's pose, size and covariance in map.

A segment of the box is found, then an upright box is fitted around its points.

LiftRefused
├── NoDepth         too few pixels of the box have a known depth
├── AmbiguousDepth  no surface, or several, can be the object's, and no known object tells which
├── OutOfRange      the object is nearer or farther than depth is trusted
└── OutsideImage    the box does not overlap the image
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from openral_core.arrays import Array, Array32, Points, Vector3
from openral_core.detectors import Box, Detection
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.lazy_modules import lazy_module
from openral_world_state.box_depth import BoxWindow, quantile, reaches_across, window_around
from openral_world_state.box_segmentation import Segment, find_object
from openral_world_state.depth_camera import DepthView

cv2 = lazy_module("cv2")


class LiftRefused(OpenRALError):
    """Base of the errors that prevent the lift of a box."""


def _describe(label: str, box: Box) -> str:
    return f"{label!r} at x {box.x_min:.0f} to {box.x_max:.0f}, y {box.y_min:.0f} to {box.y_max:.0f} px"


class NoDepth(LiftRefused):
    """Depth is known in too small a part of the box, as beyond the field of view of the depth camera."""

    def __init__(self, label: str, box: Box, fraction: float) -> None:
        part = f"valid depth in only {fraction:.0%} of it, on one side" if fraction else "no valid depth"
        super().__init__(f"{_describe(label, box)} has {part}")


class AmbiguousDepth(LiftRefused):
    """Several surfaces can be the object's, and none is where an object of its kind is known."""

    def __init__(self, label: str) -> None:
        super().__init__(f"{label!r} is not located: its box fits no surface, or several at different depths")


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
    """Range and noise of a depth camera."""

    nearest: float = 0.15  # Depth from which it is trusted [m].
    farthest: float = 8.0  # Depth up to which it is trusted [m].
    noise: float = 0.004  # Constant part of the standard deviation of depth [m].
    noise_growth: float = 0.002  # Part that grows with the square of depth, as for stereo [1/m].
    samples: int = 1200  # Pixels evaluated per box.


@dataclass(frozen=True, slots=True)
class ExtentConfig:
    """Rules that complete the shape of an object of which only the front is visible.

    Of a round object seen level the near half is visible: its footprint is about half as deep as wide.
    """

    half: tuple[float, float] = (
        0.25,
        0.75,
    )  # Ratio of depth to width of the visible half of a round object [1].
    elongated: float = 0.3  # Ratio of depth to length below which an object lies along its length [1].
    thin: float = 0.5  # Ratio of height to depth below which an object shows its whole top [1].
    upright_facing: float = 0.8  # Cosine of the angle to the view of a completed upright object [1].
    lying_facing: float = 0.5  # The same of a lying one [1].
    rectangle: float = 0.85  # Fraction of its bounding rectangle that a fully visible box fills [1].
    highest: float = 0.99  # Quantile of the heights that is the object's top [1].


_EXTENT = ExtentConfig()


@dataclass(frozen=True, slots=True)
class Extent:
    """An upright box in map.

    Args:
        center: In map [m], shape (3,).
        yaw: Of its x axis [rad].
        size: Sides (x, y, z) [m].
        hidden_depth: Distance by which the centre may lie deeper than the visible surface tells [m].
    """

    center: Vector3
    yaw: float
    size: tuple[float, float, float]
    hidden_depth: float

    def face_centers(self) -> Points:
        """Return the centres of the faces in map [m], shape (6, 3)."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        axes = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) * np.array(self.size)[:, None] / 2.0
        return np.concatenate((self.center + axes, self.center - axes))


def estimate_extent(points: Points, viewpoint: Vector3, support: float) -> Extent:
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
    if height < _EXTENT.thin * depth:
        return depth
    is_round = filled < _EXTENT.rectangle and least < depth / max(length, 1e-6) < most
    if is_round and facing > _EXTENT.upright_facing:
        return length
    is_lying = depth < _EXTENT.elongated * length and least < depth / max(height, 1e-6) < most
    return height if is_lying and facing > _EXTENT.lying_facing else depth


def fit_rectangle(outline: Array32) -> tuple[Array, float, tuple[float, float]]:
    """Smallest rectangle around an outline: centre [m], yaw of its long side [rad], (long, short) [m]."""
    offset = outline.reshape(-1, 2).mean(axis=0)
    (x, y), (a, b), degrees = cv2.minAreaRect(outline - offset)
    yaw = np.deg2rad(degrees if a >= b else degrees + 90.0)
    center = offset.astype(np.float64) + np.array([x, y])
    return center, float((yaw + np.pi / 2) % np.pi - np.pi / 2), (max(a, b), min(a, b))


@dataclass(frozen=True, slots=True)
class LiftingConfig:
    """Standard deviations of a centre, which its surfaces alone do not tell."""

    lateral_per_side: float = 0.12  # Per longest side [1]: surfaces differ from view to view.
    fragmented_per_side: float = 0.25  # The same if noise breaks up the surface [1].
    lateral_per_error: float = 2.0  # Per standard deviation of the depths' noise [1].
    flat_per_side: float = 0.25  # Of a flat object, which depth does not show, per side of the box [1].
    cut_per_side: float = 0.25  # Along each axis, if a part of the object is hidden, per longest side [1].
    off_middle: float = 0.06  # Distance from the middle of its box that makes a small object ambiguous [m].
    off_middle_per_side: float = 0.2  # The same per length of the box [1].
    small: float = 0.8  # Longest side of a small object [m].
    layer: float = 0.008  # Height above a support up to which points may be of the support [m].
    level: float = 0.15  # Sine of the angle to the horizon from which a ray tells a flat object's place [1].
    compact: float = 0.4  # Longest side of an object whose box tells its centre; floor fills a chair's [m].
    apart: float = 0.03  # Distance from the place its box tells from which a surface gives way to it [m].
    apart_per_side: float = 0.1  # The same per length of the box [1].
    perspective: float = 0.3  # The same per square of an object's length and per distance [1].
    noisy: float = 0.003  # Noise of depths from which a surface tells no more than its height [m].
    longest: float = 1.25  # Side of an object's image, per side of its box, that makes it ambiguous [1].


_CONFIG = LiftingConfig()


@dataclass(frozen=True, slots=True)
class LiftedObject:
    """An object in map: upright pose, size along its axes [m], covariance of the position (3, 3) [m^2].

    ``truncated`` if the image's border cuts it, so that its size is only a lower bound;
    ``cut`` if something nearer hides a part of it, which may make it longer in truth;
    ``ambiguous`` if other depths are possible too.
    """

    pose: Pose
    size: tuple[float, float, float]
    covariance: Array
    truncated: bool
    ambiguous: bool
    cut: bool = False


def lift(view: DepthView, detection: Detection, optics: DepthModel) -> LiftedObject:
    """Lift the object in a detection's box.

    Raises:
        OutsideImage: If the box does not overlap the image.
        NoDepth: If too few pixels of it have a known depth.
        OutOfRange: If the object is nearer or farther than depth is trusted.
    """
    width, height = view.intrinsics.width, view.intrinsics.height
    box = detection.box.clipped(width, height)
    if box is None:
        raise OutsideImage(detection.label, detection.box, width, height)
    window = window_around(view, box, optics.samples)
    has_depth = ~np.isnan(window.depth[window.inside])
    if not has_depth.all() and not reaches_across(has_depth):
        raise NoDepth(detection.label, detection.box, float(has_depth.mean()))
    segment = find_object(window.smoothed().without_ramps())
    if not optics.nearest <= segment.depth <= optics.farthest:
        raise OutOfRange(detection.label, detection.box, segment.depth, optics.nearest, optics.farthest)
    truncated = is_truncated(detection.box, width, height)
    extent = fit_extent(segment, window, None if truncated else detection.box)
    extent = replace(extent, center=center_by_box(window, detection.box, extent))
    is_long = not truncated and exceeds_box(view, extent, detection.box)
    is_ambiguous = segment.is_ambiguous or is_long or is_behind_middle(window, extent)
    sigma = lateral_sigma(segment, extent, window)
    covariance = position_covariance(view, segment.depth, depth_sigma(segment, extent, window), optics)
    covariance = covariance + np.eye(3) * sigma**2
    if truncated or segment.is_cut:
        covariance = covariance + np.eye(3) * (_CONFIG.cut_per_side * max(extent.size)) ** 2
    x, y, z = extent.center.tolist()
    pose = Pose.planar(x, y, extent.yaw, z)
    return LiftedObject(pose, extent.size, covariance, truncated, is_ambiguous, segment.is_cut)


def is_behind_middle(window: BoxWindow, extent: Extent) -> bool:
    """Tell if a small object's centre is too far behind the middle of its box (`benchmarks stereo_lift`)."""
    depth = float(window.view.to_camera(extent.center[None])[0, 2])
    middle, middle_depth = window.middle(depth)
    allowed = max(_CONFIG.off_middle, _CONFIG.off_middle_per_side * window.length_at(middle_depth))
    is_small = max(extent.size) < _CONFIG.small
    return is_small and depth > middle_depth and math.dist(extent.center, middle) > allowed


def center_by_box(window: BoxWindow, box: Box, extent: Extent) -> Vector3:
    """Correct the centre of a surface, of which noise and ramps may take an end, by its box, shape (3,) [m].

    Along the ray of the box's centre, the median of three places counts: beside the surface's centre, at its
    height, and at the median depth. A surface farther from there than perspective puts the centre of a long
    object gives way; a noisy one counts half. A box that the image cuts tells nothing, nor does that of
    a large object: parts of it are hidden, or let the background through.
    """
    ray, viewpoint, center = window.ray_through(box), window.view.camera_position, extent.center
    height, width = window.view.depth.shape
    if max(extent.size) > _CONFIG.compact or is_truncated(box, width, height):
        return center
    level = center_on_level(viewpoint, ray, center)
    near, at_level = ((np.stack((center, level)) - viewpoint) @ ray / (ray @ ray)).tolist()
    by_box = viewpoint + ray * sorted((near, at_level, window.median_depth))[1]
    perspective = _CONFIG.perspective * max(extent.size) ** 2 / math.dist(center, viewpoint)
    apart = max(_CONFIG.apart, _CONFIG.apart_per_side * window.length_at(near), perspective)
    if math.dist(center, by_box) > apart:
        return np.asarray(by_box)
    return (center + level) / 2.0 if window.error > _CONFIG.noisy else center


def fit_extent(segment: Segment, window: BoxWindow, box: Box | None) -> Extent:
    """Fit an upright box, without the farthest points as long as it is longer than the detection's allows."""
    points, view = segment.points, window.view
    extent = estimate_extent(points, view.camera_position, segment.support)
    if box is not None and segment.is_flat and quantile(points[:, 2], 0.25) < segment.support + _CONFIG.layer:
        return replace(
            extent, center=center_on_level(view.camera_position, window.ray_through(box), extent.center)
        )
    forward = (points[:, :2] - view.camera_position[:2]) @ (extent.center - view.camera_position)[:2]
    for fraction in (0.9, 0.8, 0.7, 0.6, 0.5):
        if box is None or not exceeds_box(view, extent, box):
            break
        near = points[forward <= quantile(forward, fraction)]
        extent = estimate_extent(near, view.camera_position, segment.support)
    return extent


def center_on_level(viewpoint: Vector3, ray: Vector3, center: Vector3) -> Vector3:
    """Return where a ray, unless it is level, meets the height of a centre, shape (3,) [m]."""
    is_level = not ray[2] < -_CONFIG.level * np.linalg.norm(ray)
    return center if is_level else viewpoint + ray * (center[2] - viewpoint[2]) / ray[2]


def exceeds_box(view: DepthView, extent: Extent, box: Box) -> bool:
    """Tell if an object is longer than its detection's box allows."""
    pixels = view.intrinsics.project(view.to_camera(extent.face_centers()))
    width, height = np.ptp(pixels, axis=0).tolist()
    sides = width / (box.x_max - box.x_min), height / (box.y_max - box.y_min)
    return bool(max(sides) > _CONFIG.longest)


def is_truncated(box: Box, width: int, height: int) -> bool:
    """Tell if a box reaches the border of an image of this size [px]."""
    return min(box.x_min, box.y_min) <= 1.0 or box.x_max >= width - 1.0 or box.y_max >= height - 1.0


def lateral_sigma(segment: Segment, extent: Extent, window: BoxWindow) -> float:
    """Return the standard deviation in any direction of a centre, by its size and the depths' noise [m]."""
    side, box_side = max(extent.size), window.length_at(segment.depth)
    by_size = (
        _CONFIG.fragmented_per_side * max(side, box_side)
        if window.is_fragmented
        else _CONFIG.lateral_per_side * side
    )
    by_flatness = _CONFIG.flat_per_side * box_side if segment.is_flat else 0.0
    return math.hypot(by_size, by_flatness, _CONFIG.lateral_per_error * window.error)


def depth_sigma(segment: Segment, extent: Extent, window: BoxWindow) -> float:
    """Return the standard deviation along the view of a centre, by what depth leaves open [m]."""
    return math.hypot(extent.hidden_depth / 2.0, segment.depth_ambiguity, window.error)


def position_covariance(view: DepthView, depth: float, open_depth: float, optics: DepthModel) -> Array:
    """Covariance in map of a position at a depth [m], shape (3, 3) [m^2]; two pixels wide.

    ``open_depth`` is a standard deviation along the view besides that of the camera [m].
    """
    across = 2.0 * depth / float(view.intrinsics.K[0, 0])
    along = np.hypot(optics.noise + optics.noise_growth * depth**2, open_depth)
    R = view.T_map_camera[:3, :3]
    return np.asarray(R @ np.diag(np.square([across, across, along])) @ R.T)
