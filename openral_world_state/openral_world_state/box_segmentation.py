"""Segmentation of a detection's box: the surface or the cluster of depths that is the object's.

A box may be larger or smaller than its object, or beside it. An object ends within about its box; its
support, a wall, and the robot's own arm continue beyond it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from openral_core.arrays import Mask, Points
from openral_core.lazy_modules import lazy_module
from openral_world_state.box_depth import (
    BoxWindow,
    depth_gap,
    nearest_depth_cluster,
    pixels_behind_edges,
    quantile,
)

cv2 = lazy_module("cv2")


@dataclass(frozen=True, slots=True)
class BoxSegmentationConfig:
    """Thresholds of the search for the object of a box."""

    tight: float = 0.8  # Fraction of the box's sides from which a surface spans it [1].
    layer: float = 0.012  # Height above a support up to which pixels are taken for it [m].
    standing_height: float = 0.03  # Height above a support from which depth tells an object from it [m].
    lowest: float = 0.02  # Quantile of the heights of an object that is its support's [1].
    flat: float = 0.3  # Part of the points above the layer below which a flat object keeps all [1].
    bin: float = 0.01  # Height of a bin of the histogram of heights [m].
    level: float = 0.06  # Fraction of the pixels in a bin from which it is a horizontal surface [1].
    peak: float = 2.0  # Ratio of such a bin to the median one [1]; a wall fills all bins alike.
    most: float = 0.3  # Fraction of the pixels in a bin from which it is one in any case [1].
    supports: int = 2  # Number of horizontal surfaces tried.
    min_fraction: float = 0.04  # Fraction of the box from which a surface may be the object's [1].
    min_points: int = 6  # Pixels from which a surface may be the object's.
    leak: float = 0.75  # Ratio of densities around and in the box above which it is another's [1].
    rival: float = 0.35  # Difference of costs below which two surfaces cannot be told apart [1].
    likely: float = 0.4  # Cost up to which no other support is tried [1].
    unlikely: float = 0.85  # Cost above which a surface is hardly the object's [1].
    cut: float = 0.08  # Fraction of a surface's outline at which something nearer hides the rest [1].
    apart: float = 0.05  # Difference in depth from which two surfaces are of different objects [m].
    surface_in_cluster: float = 0.9  # Part of a surface in the nearest cluster if both are of one object [1].
    cluster_in_surface: float = 0.4  # Ratio of sizes below which they are not [1], as a cup's inside.
    continuation: float = 0.1  # Part of a box's outline at which the object may continue [1].


_CONFIG = BoxSegmentationConfig()


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """Pixels of a surface or a cluster, shape (H, W), and the height of what it stands on [m]."""

    mask: Mask
    support: float


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceCandidate(Patch):
    """A surface that ends within about the box, with its median depth [m]; a likely one costs little [1]."""

    depth: float
    cost: float

    def is_rival_of(self, best: "SurfaceCandidate") -> bool:
        """Tell if this surface of another depth is nearly as likely as the best one."""
        return abs(self.depth - best.depth) > _CONFIG.apart and self.cost < best.cost + _CONFIG.rival


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Visible part of the object of a box.

    Args:
        points: In map [m], shape (N, 3).
        depth: Of its nearest points [m].
        support: Height of its support, or of its lowest point [m].
        depth_ambiguity: Distance along the view by which the object may lie elsewhere [m].
        is_flat: True if depth does not tell it from its support.
        is_cut: True if something nearer hides a part of it.
    """

    points: Points
    depth: float
    support: float
    depth_ambiguity: float
    is_flat: bool
    is_cut: bool

    @property
    def is_ambiguous(self) -> bool:
        """True if other depths are of other objects, any of which may be meant."""
        return self.depth_ambiguity > _CONFIG.apart


def find_object(window: BoxWindow) -> Segment:
    """Segment the object of a box: a surface that stands out, else the nearest cluster, else a guess."""
    candidates = surface_candidates(window)
    surface = standing_surface(window, candidates)
    if surface is not None:
        return surface
    cluster = nearest_cluster_above_support(window)
    return isolated_cluster(window, cluster, candidates) or ambiguous_surface(window, cluster, candidates)


def standing_surface(window: BoxWindow, candidates: Sequence[SurfaceCandidate]) -> Segment | None:
    """Segment the likeliest surface, unless it is flat or unlikely, or the image ends at the box.

    In a tight box, all pixels of its depths belong to it, as inside a cup.
    """
    if window.is_at_border or not has_likely_surface(window, candidates):
        return None
    best = candidates[0]
    gaps = (abs(other.depth - best.depth) for other in candidates[1:] if other.is_rival_of(best))
    patch: Patch = best
    if is_tight(window, best.mask):
        cluster = nearest_cluster_above_support(window)
        surface_size, cluster_size = best.mask.sum(), cluster.mask.sum()
        shared = float((cluster.mask & best.mask).sum())
        if (
            shared >= _CONFIG.surface_in_cluster * surface_size
            and surface_size >= _CONFIG.cluster_in_surface * cluster_size
        ):
            patch = cluster
    return segment_of(window, patch, depth_ambiguity=max(gaps, default=0.0))


def isolated_cluster(
    window: BoxWindow, cluster: Patch, candidates: Sequence[SurfaceCandidate]
) -> Segment | None:
    """Segment a cluster that spans the box and ends there; a flat one only if no surface stands out."""
    if not is_tight(window, cluster.mask) or continuation(window, cluster) > _CONFIG.continuation:
        return None
    if not stands(window, cluster) and candidates and stands(window, candidates[0]):
        return None
    return segment_of(window, cluster)


def ambiguous_surface(window: BoxWindow, cluster: Patch, candidates: Sequence[SurfaceCandidate]) -> Segment:
    """Segment the likeliest surface, else the cluster; it may lie at any depth in the box if unlikely."""
    patch = candidates[0] if candidates else cluster
    is_likely = has_likely_surface(window, candidates)
    return segment_of(window, patch, depth_ambiguity=0.0 if is_likely else depth_spread(window, patch.mask))


def has_likely_surface(window: BoxWindow, candidates: Sequence[SurfaceCandidate]) -> bool:
    """Tell if the best of the candidates stands out and looks like the object of the box."""
    return bool(candidates) and candidates[0].cost <= _CONFIG.unlikely and stands(window, candidates[0])


def segment_of(window: BoxWindow, patch: Patch, *, depth_ambiguity: float = 0.0) -> Segment:
    """Measure the pixels of a patch."""
    depth = quantile(window.depth[patch.mask], 0.05)
    points = window.points(patch.mask)
    lowest = quantile(points[:, 2], _CONFIG.lowest)
    hangs = lowest - patch.support >= 2.0 * _CONFIG.standing_height  # or a hand holds it
    support = lowest if hangs else patch.support
    is_flat = not stands(window, patch)
    return Segment(points, depth, support, depth_ambiguity, is_flat, is_cut(window, patch.mask, depth))


def stands(window: BoxWindow, patch: Patch) -> bool:
    """Tell if a patch rises above its support, by more than a plate."""
    return quantile(window.heights[patch.mask], 0.95) - patch.support > _CONFIG.standing_height


def is_tight(window: BoxWindow, mask: Mask) -> bool:
    """Tell if a mask spans nearly the whole box in both directions."""
    part = mask[window.inside]
    return all(
        float(np.ptp(np.flatnonzero(part.any(axis=axis)))) + 1.0 >= _CONFIG.tight * size
        for axis, size in enumerate(reversed(part.shape))
    )


def continuation(window: BoxWindow, patch: Patch) -> float:
    """Fraction of the box's outline where a patch in the box, but for its support, continues beyond it."""
    rows, columns = window.inside
    depth, mask, continued, total = window.depth, patch.mask, 0, 0
    height, width = depth.shape
    above = window.heights > patch.support + _CONFIG.layer
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
        close = np.abs(depth[outer] - depth[inner]) <= window.edges(depth[inner])
        continued += int((mask[inner] & above[outer] & close).sum())
        total += len(close)
    return continued / max(total, 1)


def depth_spread(window: BoxWindow, mask: Mask) -> float:
    """Distance in depth from a surface to the others in its box [m]."""
    depths = window.depth[window.inside]
    depths, near = depths[~np.isnan(depths)], quantile(window.depth[mask], 0.05)
    return max(quantile(depths, 0.95) - near, near - quantile(depths, 0.05))


def is_cut(window: BoxWindow, mask: Mask, depth: float) -> bool:
    """Tell if something nearer than a surface's depth [m] hides a part of it at its outline."""
    ring = cv2.dilate(mask.view(np.uint8), np.ones((3, 3), np.uint8)).view(bool) & ~mask
    around = window.depth[ring]
    return float((around < depth - depth_gap(depth)).sum()) > _CONFIG.cut * len(around)


def nearest_cluster_above_support(window: BoxWindow) -> Patch:
    """Nearest cluster of depths that spans the box.

    The support is removed between two searches, because it joins the object to the objects behind.
    """
    step = window.step / window.focal
    first, second = np.zeros((2, *window.depth.shape), dtype=bool)
    first[window.inside] = nearest_depth_cluster(window.depth[window.inside], step)
    above, support = without_support(window.points(first))
    rest = np.full(window.depth.shape, np.nan)
    rest[first] = np.where(above, window.depth[first], np.nan)
    second[window.inside] = nearest_depth_cluster(rest[window.inside], step)
    return Patch(second, support)


def without_support(points: Points) -> tuple[Mask, float]:
    """Mask of the points (N, 3) above the object's support, all of a flat object; and its height [m]."""
    support = quantile(points[:, 2], _CONFIG.lowest)
    above = points[:, 2] > support + _CONFIG.layer
    return (above if above.mean() > _CONFIG.flat else np.ones(len(points), dtype=bool)), support


def surface_candidates(window: BoxWindow) -> list[SurfaceCandidate]:
    """Surfaces that end within about the box, the likeliest first."""
    edges = pixels_behind_edges(window.depth, np.maximum(window.edges(window.depth), 4.0 * window.noise))
    smooth = ~np.isnan(window.depth) & ~edges
    layer = max(_CONFIG.layer, 2.0 * window.noise)
    candidates: list[SurfaceCandidate] = []
    for support in horizontal_surfaces(window):
        candidates += _surfaces(window, smooth & (window.heights > support + layer), support)
        if any(surface.cost < _CONFIG.likely for surface in candidates):
            break
    return sorted(candidates or _surfaces(window, smooth, None), key=lambda surface: surface.cost)


def horizontal_surfaces(window: BoxWindow) -> list[float]:
    """Heights of the largest horizontal surfaces around the box [m], the largest first.

    A support continues beyond the box; the top of an object does not.
    """
    around = np.ones(window.depth.shape, dtype=bool)
    around[window.inside] = False
    heights = window.heights[around & ~np.isnan(window.heights)]
    if not len(heights):
        return []
    bins = ((heights - float(heights.min())) / _CONFIG.bin).astype(int)
    counts, sums = np.bincount(bins), np.bincount(bins, heights)
    level = counts.copy()
    level[1:] += counts[:-1]
    level[:-1] += counts[1:]
    least = max(_CONFIG.level * len(heights), _CONFIG.peak * float(np.median(level[level > 0])))
    least = min(least, _CONFIG.most * len(heights))
    surfaces: list[float] = []
    for index in np.argsort(-level, kind="stable").tolist():
        if level[index] < least or len(surfaces) == _CONFIG.supports:
            break
        near = slice(max(index - 1, 0), index + 2)
        height = float(sums[near].sum() / counts[near].sum())
        if all(abs(height - other) > 3.0 * _CONFIG.bin for other in surfaces):
            surfaces.append(height)
    return surfaces


def _surfaces(window: BoxWindow, mask: Mask, support: float | None) -> Iterator[SurfaceCandidate]:
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
        x, y, width, height, _ = boxes[part].tolist()
        a, b = np.log(width / wide), np.log(height / high)
        dx = (x + width / 2.0 - (columns.start + columns.stop) / 2.0) / wide
        dy = (y + height / 2.0 - (rows.start + rows.stop) / 2.0) / high
        cost = abs(a - b) + 0.5 * abs(a + b) / 2.0 + max(abs(dx), abs(dy)) + 0.5 * leak[part]
        pixels = parts == part
        base = quantile(window.heights[pixels], _CONFIG.lowest) if support is None else support
        yield SurfaceCandidate(pixels, base, quantile(window.depth[pixels], 0.5), float(cost))
