"""Depths of a detection's box and around it: their noise, edges and clusters, heights, and points in map.

The nearest cluster of depths that reaches across the box is the object's.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from openral_core.arrays import Array, Indices, Mask, Points, Vector3
from openral_core.detectors import Box
from openral_core.geometry import transform_points
from openral_core.lazy_modules import lazy_module
from openral_world_state.depth_camera import DepthView

cv2 = lazy_module("cv2")

_MARGIN = 0.5
"""Width of the surroundings on each side, per side of the box [1]."""
_SMOOTHING_THRESHOLD = 0.002
"""Noise of depths from which they are smoothed [m]."""


@dataclass(frozen=True, slots=True)
class DepthClusterConfig:
    """Thresholds of the search for the object's depths in a box.

    A detector's box is tight, so the object spans it; the benchmark `stereo_lift` shows the effect of each.
    """

    min_fraction: float = 0.05  # Fraction of the known pixels from which a cluster is significant [1].
    min_points: int = 6  # Pixels from which a cluster is significant.
    span: float = 0.6  # Fraction of the box's sides that the object reaches across [1].
    corner: float = 0.85  # Part of a cluster beyond a diagonal from which it only cuts a corner [1].
    gap: float = 0.04  # Gap in depth that parts two clusters [m].
    relative_gap: float = 0.03  # The same per depth [1]; depth noise grows with distance.
    jump: float = 0.025  # Difference of neighbouring pixels that is an edge [m].
    relative_jump: float = 3.0  # The same per width of a pixel at that depth [1]; about 70 degrees.
    steep_ramp: float = 3.7  # Slope from which pixels are between two surfaces, not on one [1]; 75 degrees.
    ramp: float = 2.0  # The same for an object of few pixels, per pixel of the depth image per pixel [1].
    ramp_lag: int = 2  # Distance over which that slope is measured [px]; a stereo camera's ramps have stairs.
    floor_slope: float = 1.5  # Ratio of that slope to that of a level surface seen as grazing [1].


_CLUSTERS = DepthClusterConfig()


@dataclass(frozen=True, eq=False)
class BoxWindow:
    """Depths around a box.

    Args:
        view: Depth image that they are of.
        depth: Depths [m], a fisheye's distances, NaN where unknown, shape (H, W).
        noise: Standard deviation of the noise between neighbouring depths [m].
        error: The same between depths farther apart [m], because a stereo camera's neighbours err alike.
        rows: Of the depth image [px], shape (H,).
        columns: Of the depth image [px], shape (W,).
        step: Pixels of the depth image per pixel.
        inside: Part of the box.
    """

    view: DepthView
    depth: Array
    noise: float
    error: float
    rows: Array
    columns: Array
    step: int
    inside: tuple[slice, slice]

    @property
    def focal(self) -> float:
        """Focal length of the depth image [px]."""
        return float(self.view.depth_intrinsics.K[0, 0])

    @property
    def is_at_border(self) -> bool:
        """True if the image ends at a side of the box."""
        sizes = zip(self.inside, self.depth.shape, strict=True)
        return any(part.start == 0 or part.stop == size for part, size in sizes)

    @property
    def is_fragmented(self) -> bool:
        """True if noise breaks up surfaces."""
        return self.error > _SMOOTHING_THRESHOLD

    def length_at(self, depth: float) -> float:
        """Length of the longer side of the box at a depth [m]."""
        return self.step * int(max(part.stop - part.start for part in self.inside)) / self.focal * depth

    @property
    def median_depth(self) -> float:
        """Median depth of the box [m]."""
        depths = self.depth[self.inside]
        return quantile(depths[~np.isnan(depths)], 0.5)

    def ray_through(self, box: Box) -> Vector3:
        """Ray of a box's centre in map, per unit of the depths, shape (3,)."""
        pixel = np.array([[(box.x_min + box.x_max) / 2.0, (box.y_min + box.y_max) / 2.0]])
        ray = self.view.T_map_camera[:3, :3] @ self.view.intrinsics.rays(pixel)[0]
        return np.asarray(ray / np.linalg.norm(ray) if self.view.intrinsics.is_fisheye else ray)

    def middle(self, depth: float) -> tuple[Vector3, float]:
        """Return the box's centre in map [m] at its median depth near ``depth`` [m], and that depth [m]."""
        depths = self.depth[self.inside]
        near = depths[np.abs(depths - depth) < self.length_at(depth)]
        rows, columns = self.inside
        pixel = np.array([[self.columns[columns].mean(), self.rows[rows].mean()]])
        ray = self._rays(pixel) * (quantile(near, 0.5) if len(near) else depth)
        return np.asarray(transform_points(self.view.T_map_camera, ray)[0]), float(ray[0, 2])

    def edges(self, depth: Array) -> Array:
        """Difference between neighbouring pixels of these depths that is an edge [m]."""
        return np.maximum(_CLUSTERS.jump, _CLUSTERS.relative_jump * self.step / self.focal * depth)

    def smoothed(self) -> "BoxWindow":
        """Return the window with its depths smoothed if they are noisy."""
        return self._with(without_noise(self.depth)) if self.noise > _SMOOTHING_THRESHOLD else self

    def without_ramps(self) -> "BoxWindow":
        """Remove what a stereo camera invents from an object to what is behind: depth rises on both sides.

        An object of few pixels is mostly ramp: unless its edges are sharp, gentler slopes count too.
        """
        ramps = self._ramps(_CLUSTERS.steep_ramp)
        gentle = _CLUSTERS.ramp * self.step
        if gentle < _CLUSTERS.steep_ramp:
            sharp = pixels_behind_edges(self.depth, self.edges(self.depth)) & ~ramps
            if sharp.sum() <= ramps.sum():
                ramps = self._ramps(gentle)
        return self._with(np.where(ramps, np.nan, self.depth))

    def _with(self, depth: Array) -> "BoxWindow":
        """Return the window with other depths, unless none would be left in the box."""
        return self if np.isnan(depth[self.inside]).all() else replace(self, depth=depth)

    def _ramps(self, slope: float) -> Mask:
        """Mask of the pixels on a ramp of at least this slope, and steeper than a level surface would be."""
        lag = -(-_CLUSTERS.ramp_lag // self.step)
        width = self.depth * lag * self.step / self.focal
        up = self.view.T_map_camera[2, :3]
        level = _CLUSTERS.floor_slope / np.maximum(np.abs(self._height_per_depth), 1e-3)
        result = np.zeros(self.depth.shape, dtype=bool)
        for axis, part in enumerate((up[1], up[0])):
            least = np.maximum(np.maximum(slope, level * abs(float(part))) * width, 3.0 * self.noise)
            result |= _rises_on_both_sides(self.depth, least, lag, axis)
        return result

    @cached_property
    def _height_per_depth(self) -> Array:
        """Rise of the ray of each pixel per unit of its depth [1], shape (H, W)."""
        view, slope = self.view, self.view.T_map_camera[2, :3]
        if view.intrinsics.is_distorted:
            pixels = np.stack(np.meshgrid(self.columns, self.rows), axis=-1).reshape(-1, 2)
            return np.asarray((self._rays(pixels) @ slope).reshape(self.depth.shape))
        K = view.depth_intrinsics.K
        x, y = (self.columns - K[0, 2]) / K[0, 0], (self.rows - K[1, 2]) / K[1, 1]
        return np.asarray(slope[0] * x + (slope[1] * y + slope[2])[:, None])

    @cached_property
    def heights(self) -> Array:
        """Heights in map of the pixels [m], NaN where unknown, shape (H, W)."""
        return np.asarray(self.depth * self._height_per_depth + self.view.T_map_camera[2, 3])

    def points(self, mask: Mask) -> Points:
        """Points in map of the pixels of a mask [m], shape (N, 3)."""
        rows, columns = np.nonzero(mask)
        rays = self._rays(np.column_stack((self.columns[columns], self.rows[rows])))
        return transform_points(self.view.T_map_camera, rays * self.depth[mask][:, None])

    def _rays(self, pixels: Array) -> Points:
        """Rays of pixels (N, 2) per unit of their depth, or of a fisheye's distance, shape (N, 3)."""
        rays = self.view.depth_intrinsics.rays(pixels)
        return rays / np.linalg.norm(rays, axis=1, keepdims=True) if self.view.intrinsics.is_fisheye else rays


def window_around(view: DepthView, box: Box, count: int) -> BoxWindow:
    """Crop a box with its surroundings, evenly thinned to about ``count`` pixels of the box."""
    sx, sy = view.depth_scale
    height, width = view.depth.shape
    x0, x1 = _span(box.x_min * sx, box.x_max * sx, width)
    y0, y1 = _span(box.y_min * sy, box.y_max * sy, height)
    step = max(1, int(np.sqrt((x1 - x0) * (y1 - y0) / count)))
    start, end = _surroundings(x0, x1, width, step)
    top, bottom = _surroundings(y0, y1, height, step)
    depth = view.depth[top:bottom:step, start:end:step].astype(np.float64)
    depth[~(np.isfinite(depth) & (depth > 0.0))] = np.nan
    rows, columns = np.arange(top, bottom, step, dtype=float), np.arange(start, end, step, dtype=float)
    if view.intrinsics.is_distorted:  # a pixel may have no ray, as outside a fisheye's image circle
        pixels = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
        length = np.linalg.norm(view.depth_intrinsics.rays(pixels), axis=1).reshape(depth.shape)
        depth[np.isnan(length)] = np.nan
        if view.intrinsics.is_fisheye:  # far off its axis, depth hardly differs between surfaces
            depth *= length
    inside = (
        slice((y0 - top) // step, (y0 - top) // step + len(range(y0, y1, step))),
        slice((x0 - start) // step, (x0 - start) // step + len(range(x0, x1, step))),
    )
    noise = depth_noise(depth)
    return BoxWindow(
        view, depth, noise, max(noise, depth_noise(depth, stride=2)), rows, columns, step, inside
    )


def _span(low: float, high: float, size: int) -> tuple[int, int]:
    """Whole pixels of an interval, at least one, within ``size`` pixels."""
    first = min(int(np.floor(low + 0.5)), size - 1)
    return first, max(min(int(np.floor(high + 0.5)), size), first + 1)


def _surroundings(first: int, end: int, size: int, step: int) -> tuple[int, int]:
    """Extend an interval of pixels by the margin, in whole steps, within ``size`` pixels."""
    margin = max(round(_MARGIN * (end - first) / step), 2) * step
    return first - min(margin, first // step * step), min(end + margin, size)


def depth_noise(depth: Array, stride: int = 1) -> float:
    """Estimate the standard deviation of the noise of depths (H, W) [m] from second differences along rows.

    Their lowest quarter is of smooth surfaces even where edges are many; of a Gaussian, it ends at
    0.3186 sigma. A ``stride`` [px] leaves out neighbours.
    """
    near, middle, far = depth[:, : -2 * stride], depth[:, stride:-stride], depth[:, 2 * stride :]
    second = np.abs(near - 2.0 * middle + far).ravel()
    differences = second[~np.isnan(second)]
    return quantile(differences, 0.25) / (0.3186 * np.sqrt(6.0)) if len(differences) else 0.0


def without_noise(depth: Array) -> Array:
    """Median of depths (H, W) over 3x3 pixels, NaN where unknown; removes flying pixels."""
    has_depth = ~np.isnan(depth)
    smooth = cv2.medianBlur(np.where(has_depth, depth, 0.0).astype(np.float32), 3)
    return np.where(has_depth & (smooth > 0.0), smooth, np.nan)


def _rises_on_both_sides(depth: Array, least: Array, lag: int, axis: int) -> Mask:
    """Mask of depths (H, W) [m] by ``least`` between both neighbours, or the known one, at a ``lag``."""
    d, limit = np.moveaxis(depth, axis, 0), np.moveaxis(least, axis, 0)
    step = d[lag:] - d[:-lag]
    mask = np.zeros(d.shape, dtype=bool)
    before, after, limit = step[:-lag], step[lag:], limit[lag:-lag]
    before, after = np.where(np.isnan(before), after, before), np.where(np.isnan(after), before, after)
    mask[lag:-lag] = (np.minimum(before, after) > limit) | (np.maximum(before, after) < -limit)
    return np.moveaxis(mask, 0, axis)


def quantile(values: Array, fraction: float) -> float:
    """Value below which ``fraction`` of ``values`` (N,) lies; faster than numpy's on small arrays."""
    index = round(fraction * (len(values) - 1))
    return float(np.partition(values, index)[index])


def depth_gap(depth: float) -> float:
    """Gap between neighbouring depths at a depth that parts two objects [m]."""
    return max(_CLUSTERS.gap, _CLUSTERS.relative_gap * depth)


def nearest_depth_cluster(depth: Array, step: float) -> Mask:
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


def nearest_cluster(depth: Array) -> Mask:
    """Nearest cluster, parted from others by a gap in depth, that is significant and spans the box."""
    cells = np.flatnonzero(~np.isnan(depth))
    depths = depth.ravel()[cells]
    order = np.argsort(depths)
    gap = depth_gap(depths[order[len(order) // 2]])
    clusters = np.split(cells[order], np.flatnonzero(np.diff(depths[order]) > gap) + 1)
    min_size = max(_CLUSTERS.min_points, _CLUSTERS.min_fraction * len(cells))
    significant = [cluster for cluster in clusters if len(cluster) >= min_size]
    spanning = (c for c in significant if _spans(np.unravel_index(c, depth.shape), depth.shape))
    chosen = next(spanning, None)
    mask = np.zeros(depth.size, dtype=bool)
    mask[max(significant or clusters, key=len) if chosen is None else chosen] = True
    return mask.reshape(depth.shape)


def nearest_patch(depth: Array, jump: float) -> Mask:
    """Nearest patch without a ``jump`` in depth [m] that spans the box; the whole cluster if none does."""
    has_depth = ~np.isnan(depth)
    smooth = (has_depth & ~pixels_behind_edges(depth, jump)).view(np.uint8)
    count, patches, boxes, _ = cv2.connectedComponentsWithStats(smooth, connectivity=4)
    height, width = boxes[:, cv2.CC_STAT_HEIGHT] - 1, boxes[:, cv2.CC_STAT_WIDTH] - 1
    spans = (height >= _CLUSTERS.span * (depth.shape[0] - 1)) & (
        width >= _CLUSTERS.span * (depth.shape[1] - 1)
    )
    masks = [patches == number for number in range(1, count) if spans[number]]
    if len(masks) < 2:
        return masks[0] if masks else has_depth
    return min(masks, key=lambda mask: quantile(depth[mask], 0.5))


def pixels_behind_edges(depth: Array, jump: float | Array) -> Mask:
    """Mask of the pixels farther than a neighbour by more than their ``jump`` [m], shape (H, W)."""
    jumps = np.broadcast_to(jump, depth.shape)
    result = np.zeros(depth.shape, dtype=bool)
    right, down = np.diff(depth, axis=1), np.diff(depth, axis=0)
    result[:, 1:] |= right > jumps[:, 1:]
    result[:, :-1] |= -right > jumps[:, :-1]
    result[1:] |= down > jumps[1:]
    result[:-1] |= -down > jumps[:-1]
    return result


def _spans(cells: tuple[Indices, ...], shape: tuple[int, ...]) -> bool:
    rows, columns = cells
    is_high = rows.max() - rows.min() >= _CLUSTERS.span * (shape[0] - 1)
    is_wide = columns.max() - columns.min() >= _CLUSTERS.span * (shape[1] - 1)
    # Cells of which nearly all lie beyond one of the box's diagonals only cut its corner.
    u, v = rows / max(shape[0] - 1, 1), columns / max(shape[1] - 1, 1)
    sides = (u + v < 1.0, u + v > 1.0, u < v, u > v)
    cuts_corner = any(float(side.mean()) >= _CLUSTERS.corner for side in sides)
    return bool(is_high and is_wide and not cuts_corner)


def reaches_across(has_depth: Mask) -> bool:
    """Tell if the pixels of known depth reach across the box, as any object in it does."""
    for axis, size in enumerate(reversed(has_depth.shape)):
        cells = np.flatnonzero(has_depth.any(axis=axis))
        if not len(cells) or cells[-1] - cells[0] < _CLUSTERS.span * (size - 1):
            return False
    return True
