"""Segmentation of the surroundings of a detection's box: the surface that is the object's.

A box may be larger or smaller than its object, or beside it. An object ends within about its box; its
support, a wall, and the robot's own arm continue beyond it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_core.detectors import Box
from openral_core.lazy_modules import lazy_module
from openral_world_state.depth_camera import DepthView
from openral_world_state.depth_clusters import DepthClusterConfig, pixels_behind_edges, quantile

cv2 = lazy_module("cv2")

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class BoxSegmentationConfig:
    """Thresholds of the search for a surface that ends within its box.

    Args:
        margin: Width of the surroundings on each side, per side of the box [1].
        tight: Fraction of the box's sides from which a surface spans it [1].
        layer: Height above a support up to which pixels are taken for it [m].
        bin: Height of a bin of the histogram of heights [m].
        level: Fraction of the pixels in a bin from which it is a horizontal surface [1].
        peak: Ratio of such a bin to the median one [1]; a wall fills all bins alike.
        most: Fraction of the pixels in a bin from which it is one in any case [1].
        supports: Number of horizontal surfaces tried.
        min_fraction: Fraction of the box from which a surface may be the object's [1].
        min_points: Pixels from which a surface may be the object's.
        leak: Ratio of a surface's densities around and in the box above which it is not the object's [1].
        rival: Difference of costs below which two surfaces cannot be told apart [1].
        likely: Cost up to which no other support is tried [1].
        unlikely: Cost above which a surface is hardly the object's [1].
        cut: Fraction of a surface's outline at which something nearer hides the rest [1].
        apart: Difference in depth from which two surfaces are of different objects [m].
    """

    margin: float = 0.5
    tight: float = 0.8
    layer: float = 0.012
    bin: float = 0.01
    level: float = 0.06
    peak: float = 2.0
    most: float = 0.3
    supports: int = 2
    min_fraction: float = 0.04
    min_points: int = 6
    leak: float = 0.75
    rival: float = 0.35
    likely: float = 0.4
    unlikely: float = 0.85
    cut: float = 0.08
    apart: float = 0.05


_CONFIG, _CLUSTERS = BoxSegmentationConfig(), DepthClusterConfig()


@dataclass(frozen=True, slots=True)
class BoxWindow:
    """Depths around a box (H, W), a fisheye's distances, NaN where unknown, with rows (H,) and columns (W,).

    ``inside`` is the part of the box, ``step`` the number of image pixels per pixel.
    """

    depth: Array
    rows: Array
    columns: Array
    step: int
    inside: tuple[slice, slice]

    @property
    def is_at_border(self) -> bool:
        """True if the image ends at a side of the box."""
        sizes = zip(self.inside, self.depth.shape, strict=True)
        return any(part.start == 0 or part.stop == size for part, size in sizes)

    @property
    def width(self) -> int:
        """Longer side of the box [px of the image]."""
        return self.step * int(max(part.stop - part.start for part in self.inside))


def window_around(view: DepthView, box: Box, count: int) -> BoxWindow:
    """Crop a box with its surroundings, evenly thinned to about ``count`` pixels of the box."""
    sx, sy = view.depth_scale
    height, width = view.depth.shape
    x0, x1 = _span(box.x_min * sx, box.x_max * sx, width)
    y0, y1 = _span(box.y_min * sy, box.y_max * sy, height)
    step = max(1, int(np.sqrt((x1 - x0) * (y1 - y0) / count)))
    left, right = _surroundings(x0, x1, width, step)
    top, bottom = _surroundings(y0, y1, height, step)
    depth = view.depth[top:bottom:step, left:right:step].astype(np.float64)
    depth[~(np.isfinite(depth) & (depth > 0.0))] = np.nan
    rows, columns = np.arange(top, bottom, step, dtype=float), np.arange(left, right, step, dtype=float)
    if view.intrinsics.is_distorted:  # a pixel may have no ray, as outside a fisheye's image circle
        pixels = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
        length = np.linalg.norm(view.depth_intrinsics.rays(pixels), axis=1).reshape(depth.shape)
        depth[np.isnan(length)] = np.nan
        if view.intrinsics.is_fisheye:  # far off its axis, depth hardly differs between surfaces
            depth *= length
    inside = (
        slice((y0 - top) // step, (y0 - top) // step + len(range(y0, y1, step))),
        slice((x0 - left) // step, (x0 - left) // step + len(range(x0, x1, step))),
    )
    return BoxWindow(depth, rows, columns, step, inside)


def _span(low: float, high: float, size: int) -> tuple[int, int]:
    """Whole pixels of an interval, at least one, within ``size`` pixels."""
    first = min(int(np.floor(low + 0.5)), size - 1)
    return first, max(min(int(np.floor(high + 0.5)), size), first + 1)


def _surroundings(first: int, end: int, size: int, step: int) -> tuple[int, int]:
    """Extend an interval of pixels by the margin, in whole steps, within ``size`` pixels."""
    margin = max(round(_CONFIG.margin * (end - first) / step), 2) * step
    return first - min(margin, first // step * step), min(end + margin, size)


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceCandidate:
    """A surface in a window.

    Args:
        mask: Its pixels, shape (H, W).
        depth: Its median depth [m].
        support: Height of what it stands on [m].
        cost: How little it looks like the object of the box [1].
    """

    mask: Mask
    depth: float
    support: float
    cost: float

    @property
    def is_unlikely(self) -> bool:
        """True if it hardly looks like the object of the box."""
        return self.cost > _CONFIG.unlikely

    def rivals(self, other: "SurfaceCandidate") -> bool:
        """Tell if this surface of another depth is nearly as likely."""
        is_apart = abs(self.depth - other.depth) > _CONFIG.apart
        return is_apart and self.cost < other.cost + _CONFIG.rival


def is_tight(window: BoxWindow, mask: Mask) -> bool:
    """Tell if a mask spans nearly the whole box in both directions."""
    part = mask[window.inside]
    return all(
        float(np.ptp(np.flatnonzero(part.any(axis=axis)))) + 1.0 >= _CONFIG.tight * size
        for axis, size in enumerate(reversed(part.shape))
    )


def continuation(window: BoxWindow, mask: Mask, heights: Array, support: float, focal: float) -> float:
    """Fraction of the box's outline where a surface continues beyond the box.

    Args:
        window: Depths around the box.
        mask: Surface in the box, shape (H, W).
        heights: Of the pixels in map [m], shape (H, W).
        support: Height of what it stands on [m], which continues beyond any box.
        focal: Focal length [px].
    """
    rows, columns = window.inside
    depth, continued, total = window.depth, 0, 0
    height, width = depth.shape
    above = heights > support + _CONFIG.layer
    sides = [
        (np.s_[inner, columns], np.s_[outer, columns])
        for inner, outer in ((rows.start, rows.start - 1), (rows.stop - 1, rows.stop))
        if 0 <= outer < height
    ] + [
        (np.s_[rows, inner], np.s_[rows, outer])
        for inner, outer in ((columns.start, columns.start - 1), (columns.stop - 1, columns.stop))
        if 0 <= outer < width
    ]
    for inner, outer in sides:
        jump = np.maximum(_CLUSTERS.jump, _CLUSTERS.relative_jump * window.step / focal * depth[inner])
        close = np.abs(depth[outer] - depth[inner]) <= jump
        continued += int((mask[inner] & above[outer] & close).sum())
        total += len(close)
    return continued / max(total, 1)


def pixel_heights(view: DepthView, window: BoxWindow) -> Array:
    """Heights in map of a window's pixels [m], NaN where unknown, shape (H, W)."""
    slope = view.T_map_camera[2, :3]
    if view.intrinsics.is_distorted:
        pixels = np.stack(np.meshgrid(window.columns, window.rows), axis=-1).reshape(-1, 2)
        rays = view.depth_intrinsics.rays(pixels)
        if view.intrinsics.is_fisheye:
            rays /= np.linalg.norm(rays, axis=1, keepdims=True)
        per_depth = (rays @ slope).reshape(window.depth.shape)
    else:
        K = view.depth_intrinsics.K
        x, y = (window.columns - K[0, 2]) / K[0, 0], (window.rows - K[1, 2]) / K[1, 1]
        per_depth = slope[0] * x + (slope[1] * y + slope[2])[:, None]
    return np.asarray(window.depth * per_depth + view.T_map_camera[2, 3])


def depth_noise(depth: Array, stride: int = 1) -> float:
    """Estimate the standard deviation of the noise of depths (H, W) [m] from second differences along rows.

    Their lowest quarter is of smooth surfaces even where edges are many; of a Gaussian, it ends at
    0.3186 sigma. A stereo camera's neighbouring pixels err alike; with a ``stride`` [px] they are left out.
    """
    near, middle, far = depth[:, : -2 * stride], depth[:, stride:-stride], depth[:, 2 * stride :]
    second = np.abs(near - 2.0 * middle + far).ravel()
    known = second[~np.isnan(second)]
    return quantile(known, 0.25) / (0.3186 * np.sqrt(6.0)) if len(known) else 0.0


def without_noise(depth: Array) -> Array:
    """Median of depths (H, W) over 3x3 pixels, NaN where unknown; removes flying pixels."""
    known = ~np.isnan(depth)
    smooth = cv2.medianBlur(np.where(known, depth, 0.0).astype(np.float32), 3)
    return np.where(known & (smooth > 0.0), smooth, np.nan)


def spread_of(window: BoxWindow, mask: Mask) -> float:
    """Distance in depth from a surface to the others in its box [m]."""
    depths = window.depth[window.inside]
    depths, near = depths[~np.isnan(depths)], quantile(window.depth[mask], 0.05)
    return max(quantile(depths, 0.95) - near, near - quantile(depths, 0.05))


def is_cut(window: BoxWindow, mask: Mask, jump: float) -> bool:
    """Tell if something nearer by more than ``jump`` [m] hides a part of a surface at its outline."""
    ring = cv2.dilate(mask.view(np.uint8), np.ones((3, 3), np.uint8)).view(bool) & ~mask
    around = window.depth[ring]
    return float((around < quantile(window.depth[mask], 0.05) - jump).sum()) > _CONFIG.cut * len(around)


def horizontal_surfaces(window: BoxWindow, heights: Array) -> list[float]:
    """Heights of the largest horizontal surfaces around the box [m], the largest first.

    A support continues beyond the box; the top of an object does not.
    """
    around = np.ones(heights.shape, dtype=bool)
    around[window.inside] = False
    known = heights[around & ~np.isnan(heights)]
    if not len(known):
        return []
    low = float(known.min())
    bins = ((known - low) / _CONFIG.bin).astype(int)
    counts, sums = np.bincount(bins), np.bincount(bins, known)
    level = counts.copy()
    level[1:] += counts[:-1]
    level[:-1] += counts[1:]
    least = max(_CONFIG.level * len(known), _CONFIG.peak * float(np.median(level[level > 0])))
    least = min(least, _CONFIG.most * len(known))
    found: list[float] = []
    for index in np.argsort(-level, kind="stable").tolist():
        if level[index] < least or len(found) == _CONFIG.supports:
            break
        near = slice(max(index - 1, 0), index + 2)
        height = float(sums[near].sum() / counts[near].sum())
        if all(abs(height - other) > 3.0 * _CONFIG.bin for other in found):
            found.append(height)
    return found


def object_surfaces(window: BoxWindow, heights: Array, focal: float, noise: float) -> list[SurfaceCandidate]:
    """Surfaces that end within about the box, the likeliest first.

    Args:
        window: Depths around the box.
        heights: Of its pixels in map [m], shape (H, W).
        focal: Focal length [px].
        noise: Standard deviation of the depths' noise [m].
    """
    depth = window.depth
    known = ~np.isnan(depth)
    jump = np.maximum(_CLUSTERS.jump, _CLUSTERS.relative_jump * window.step / focal * depth)
    jump = np.maximum(jump, 4.0 * noise)
    edges = pixels_behind_edges(depth, jump)
    found: list[SurfaceCandidate] = []
    layer = max(_CONFIG.layer, 2.0 * noise)
    smooth = known & ~edges
    for support in horizontal_surfaces(window, heights):
        found += _surfaces(window, smooth & (heights > support + layer), heights, support)
        if any(surface.cost < _CONFIG.likely for surface in found):
            break
    if not found:
        found += _surfaces(window, smooth, heights, None)
    return sorted(found, key=lambda surface: surface.cost)


def _surfaces(
    window: BoxWindow, mask: Mask, heights: Array, support: float | None
) -> Iterator[SurfaceCandidate]:
    """Yield the connected parts of a mask that end within about the box."""
    count, parts, boxes, _ = cv2.connectedComponentsWithStats(mask.view(np.uint8), connectivity=4)
    rows, columns = window.inside
    high, wide = rows.stop - rows.start, columns.stop - columns.start
    area = high * wide
    inside = np.bincount(parts[window.inside].ravel(), minlength=count)
    around = boxes[:, cv2.CC_STAT_AREA] - inside
    leak = (around / max(mask.size - area, 1)) / np.maximum(inside / area, 1e-9)
    enough = inside >= max(_CONFIG.min_points, _CONFIG.min_fraction * area)
    enough[0] = False
    for part in np.flatnonzero(enough & (leak <= _CONFIG.leak)).tolist():
        left, top, width, height, _ = boxes[part].tolist()
        a, b = np.log(width / wide), np.log(height / high)
        dx = (left + width / 2.0 - (columns.start + columns.stop) / 2.0) / wide
        dy = (top + height / 2.0 - (rows.start + rows.stop) / 2.0) / high
        cost = abs(a - b) + 0.5 * abs(a + b) / 2.0 + max(abs(dx), abs(dy)) + 0.5 * leak[part]
        pixels = parts == part
        base = quantile(heights[pixels], 0.02) if support is None else support
        yield SurfaceCandidate(pixels, quantile(window.depth[pixels], 0.5), base, float(cost))
