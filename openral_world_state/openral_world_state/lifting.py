"""Lift a detection box and a depth image to an object's pose, size and covariance in map.

The object is the surface that ends within about its box, or else the nearest significant cluster of depths in
the box; a box is fitted around its points. The result is ambiguous if no surface fits, or several do.

LiftRefused
├── NoDepth         too few pixels of the box have a known depth
├── AmbiguousDepth  no surface, or several, can be the object's, and no known object tells which
├── OutOfRange      the object is nearer or farther than depth is trusted
└── OutsideImage    the box does not overlap the image
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from openral_core.detectors import Box, Detection
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose, transform_points
from openral_core.lazy_modules import lazy_module
from openral_world_state.box_segmentation import (
    BoxWindow,
    SurfaceCandidate,
    continuation,
    depth_noise,
    is_cut,
    is_tight,
    object_surfaces,
    pixel_heights,
    spread_of,
    window_around,
    without_noise,
)
from openral_world_state.depth_camera import DepthView
from openral_world_state.depth_clusters import (
    DepthClusterConfig,
    nearest_depth_cluster,
    quantile,
    reaches_across,
)

cv2 = lazy_module("cv2")
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ExtentConfig:
    """Rules that complete the shape of an object of which only the front is visible.

    Of a round object seen level the near half is visible: its footprint is about half as deep as wide.

    Args:
        half: Range of the ratio of depth to width of the visible half of a round object [1].
        elongated: Ratio of depth to length below which an object lies along its length [1].
        thin: Ratio of height to depth below which an object shows its whole top [1].
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
    thin: float = 0.5
    upright_facing: float = 0.8
    lying_facing: float = 0.5
    rectangle: float = 0.9
    support_layer: float = 0.012
    flat: float = 0.3
    lowest: float = 0.02
    highest: float = 0.99


_EXTENT, _CLUSTERS = ExtentConfig(), DepthClusterConfig()
SMOOTH = 0.002
"""Noise of depths from which they are smoothed [m]."""
SAME = 0.9
"""Fraction of a surface that the nearest cluster of its box contains if both are of one object [1]."""
SEEN = 0.4
"""Fraction of that cluster that the surface is at least [1]; the inside of a cup is another surface."""
STANDING = 0.03
"""Height from which depth tells an object from its support [m]."""
ASIDE = 0.25
"""Standard deviation of a flat object's centre, which depth does not show, per side of the box [1]."""
APART = 0.05
"""Difference of depths in a box from which the object's is ambiguous [m]."""
SIDE = 0.12
"""Standard deviation of a centre per longest side [1]: surfaces differ from view to view."""
FRAGMENT_SIDE, FRAGMENT = 0.18, 2.0
"""The same for a surface that noise breaks up; and per standard deviation of that noise [1]."""
CLOSED = 0.1
"""Fraction of a box's outline up to which the object may continue beyond it [1]."""


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
    if height < _EXTENT.thin * depth:
        return depth
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

    ``truncated`` if the image's border cuts it, so that its size is only a lower bound;
    ``ambiguous`` if other depths are possible too.
    """

    pose: Pose
    size: tuple[float, float, float]
    covariance: Array
    truncated: bool
    ambiguous: bool = False


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
    window = window_around(view, box, optics.samples)
    known = ~np.isnan(window.depth[window.inside])
    if not known.all() and not reaches_across(known):
        raise NoDepth(detection.label, detection.box, float(known.mean()))
    found = find_object(view, window)
    points, depth, support = found.points, found.depth, found.support
    if not optics.nearest <= depth <= optics.farthest:
        raise OutOfRange(detection.label, detection.box, depth, optics.nearest, optics.farthest)
    extent = estimate_extent(points, view.camera_position, support)
    edges = detection.box
    truncated = (
        min(edges.x_min, edges.y_min) <= 1.0
        or edges.x_max >= intrinsics.width - 1.0
        or edges.y_max >= intrinsics.height - 1.0
    )
    hidden = math.hypot(extent.hidden_depth, 2.0 * found.spread, 2.0 * found.noise)
    covariance = position_covariance(view, depth, hidden, optics)
    side = FRAGMENT_SIDE * max(*extent.size, found.reach) if found.reach else SIDE * max(extent.size)
    aside = math.hypot(side, found.aside, FRAGMENT * found.noise)
    covariance = covariance + np.eye(3) * aside**2
    if truncated or found.cut:
        covariance = covariance + np.eye(3) * (max(extent.size) / 4.0) ** 2
    x, y, z = extent.center.tolist()
    pose = Pose.planar(x, y, extent.yaw, z)
    return LiftedObject(pose, extent.size, covariance, truncated, found.ambiguous)


@dataclass(frozen=True, slots=True, eq=False)
class FoundObject:
    """Points of an object in map, shape (N, 3), the nearest depth, and the height of its support [m].

    ``spread`` is the distance along the view by which it may lie elsewhere, ``aside`` across the view [m];
    ``cut`` if something nearer hides a part of it; ``reach`` is its longest side if noise broke it up [m].
    """

    points: Array
    depth: float
    support: float
    noise: float = 0.0
    ambiguous: bool = False
    spread: float = 0.0
    aside: float = 0.0
    cut: bool = False
    reach: float = 0.0


def find_object(view: DepthView, window: BoxWindow) -> FoundObject:
    """Find the object of a box: the nearest cluster that spans it, unless it continues beyond the box."""
    focal = float(view.depth_intrinsics.K[0, 0])
    noise = depth_noise(window.depth)
    error = max(noise, depth_noise(window.depth, stride=2))
    if noise > SMOOTH:
        window = replace(window, depth=without_noise(window.depth))
    heights = pixel_heights(view, window)
    surfaces = object_surfaces(window, heights, focal, noise)
    best = surfaces[0] if surfaces else None
    is_likely = best is not None and not best.is_unlikely and stands(heights, best.mask, best.support)
    if best is not None and is_likely and not window.is_at_border:
        return chosen_surface(view, window, surfaces, error)
    mask, support = nearest_object(view, window)
    if is_tight(window, mask) and continuation(window, mask, heights, support, focal) <= CLOSED:
        if stands(heights, mask, support):
            return found_object(view, window, mask, support, error)
        if best is None or not stands(heights, best.mask, best.support):
            return found_object(view, window, mask, support, error, aside=ASIDE * window.width / focal)
    if best is not None:
        mask, support = best.mask, best.support
    spread = 0.0 if is_likely else spread_of(window, mask)
    return found_object(view, window, mask, support, error, ambiguous=spread > APART, spread=spread)


def chosen_surface(
    view: DepthView, window: BoxWindow, surfaces: Sequence[SurfaceCandidate], noise: float
) -> FoundObject:
    """Measure the likeliest surface; in a tight box, with the pixels of its depths, as inside a cup."""
    best = surfaces[0]
    rivals = [each for each in surfaces[1:] if each.rivals(best)]
    spread = max((abs(each.depth - best.depth) for each in rivals), default=0.0)
    mask, support = best.mask, best.support
    if is_tight(window, mask):
        tight, base = nearest_object(view, window)
        if float((tight & mask).sum()) >= SAME * mask.sum() and mask.sum() >= SEEN * tight.sum():
            mask, support = tight, base
    return found_object(view, window, mask, support, noise, ambiguous=bool(rivals), spread=spread)


def stands(heights: Array, mask: NDArray[np.bool_], support: float) -> bool:
    """Tell if a surface rises above its support, by more than a plate."""
    return quantile(heights[mask], 0.95) - support > STANDING


def found_object(
    view: DepthView,
    window: BoxWindow,
    mask: NDArray[np.bool_],
    support: float,
    noise: float,
    *,
    ambiguous: bool = False,
    spread: float = 0.0,
    aside: float = 0.0,
) -> FoundObject:
    """Measure the points of a mask; ``aside`` is per depth [1]."""
    near = quantile(window.depth[mask], 0.05)
    cut = is_cut(window, mask, max(_CLUSTERS.gap, _CLUSTERS.relative_gap * near))
    points = _in_map(view, window, mask)
    lowest = quantile(points[:, 2], _EXTENT.lowest)
    support = support if lowest - support < 2.0 * STANDING else lowest  # it hangs, or a hand holds it
    reach = window.width / float(view.depth_intrinsics.K[0, 0]) * near if noise > SMOOTH else 0.0
    return FoundObject(points, near, support, noise, ambiguous, spread, aside * near, cut, reach)


def nearest_object(view: DepthView, window: BoxWindow) -> tuple[NDArray[np.bool_], float]:
    """Mask in a window of the nearest cluster that spans the box, and the height of its support [m].

    The support is removed between two searches, because it joins the object to the objects behind.
    """
    step = window.step / float(view.depth_intrinsics.K[0, 0])
    depth = window.depth[window.inside]
    first = np.zeros(window.depth.shape, dtype=bool)
    first[window.inside] = nearest_depth_cluster(depth, step)
    above, support = without_support(_in_map(view, window, first))
    rest = np.full(window.depth.shape, np.nan)
    rest[first] = np.where(above, window.depth[first], np.nan)
    chosen = np.zeros(window.depth.shape, dtype=bool)
    chosen[window.inside] = nearest_depth_cluster(rest[window.inside], step)
    return chosen, support


def _in_map(view: DepthView, window: BoxWindow, mask: NDArray[np.bool_]) -> Array:
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
