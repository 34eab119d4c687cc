"""Exploration of a floor: the next view that promises the most unknown floor per metre of way.

Source: Yamauchi (1997), "A frontier-based approach for autonomous exploration", for frontiers; Gonzalez-Banos
and Latombe (2002), "Navigation strategies for exploring indoor environments", for gain against way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import numpy as np
from scipy.ndimage import binary_dilation
from scipy.sparse.csgraph import dijkstra

from openral_core.arrays import Array, Indices, Mask
from openral_core.floor_map import UNKNOWN, FloorMap
from openral_core.grid_graph import grid_graph


@dataclass(frozen=True)
class ExplorationConfig:
    """Parameters of exploration."""

    clearance: float = 0.33  # Distance of the base's middle from obstacles [m].
    unknown_margin: float = 0.18  # Distance by which it may be closer to unknown cells [m].
    view_clearance: float = 0.45  # The same where it turns to look, so that a folded arm hits nothing [m].
    max_snap: float = 0.5  # Largest distance from the base to the floor that it can drive on [m].
    # Distance up to which a look shows the floor [m]; a camera at 1.4 m sees it at 25 degrees.
    look_range: float = 3.0
    # Length of unknown space that a ray counts [m]; what is further away, no one knows.
    unknown_depth: float = 1.0
    rays: int = 72  # Rays around a view [1].
    spacing: float = 0.3  # Distance of the views that are compared [m].
    look_width: float = pi / 3  # Horizontal angle that one look covers [rad]; less than the camera's.
    # Cost of the looks of a view as a length of way [m]; turning and waiting for the map.
    look_cost: float = 1.5
    least_gain: float = 0.15  # Smallest area worth a view [m^2]: a strip of 0.5 m x 0.3 m.
    max_views: int = 60  # Views after which exploration ends [1].


CONFIG = ExplorationConfig()


@dataclass(frozen=True)
class LookAround:
    """A place to look from."""

    at: tuple[float, float]  # Position of the base in the map's frame [m].
    bearings: tuple[float, ...]  # Directions to look into, in the map's frame [rad].
    gain: float  # Unknown floor that it may show [m^2].
    way: float  # Length of the way there [m].


@dataclass(frozen=True)
class Exploration:
    """State of an exploration."""

    view: LookAround | None  # The best next view, None if there is none worth it.
    share: float  # Estimated share of the reachable floor that has been seen [1].
    frontier: Array  # Centres of free cells next to unknown ones that a view may show, (N, 2) [m].


@dataclass(frozen=True)
class Fan:
    """Samples of the rays of several views, one at each cell's length; arrays have the shape (V, R, S).

    Attributes:
        row, column: Cell of each sample, clipped to the map.
        shown: Samples of unknown space that a look would show.
        area: Area that each sample stands for [m^2], shape (S,).
        bearing: Of each ray, relative to the map's rows [rad], shape (R,).
    """

    row: Indices
    column: Indices
    shown: Mask
    area: Array
    bearing: Array


def explore(
    floor: FloorMap,
    base: tuple[float, float],
    views: Sequence[LookAround] = (),
    within: Mask | None = None,
    config: ExplorationConfig = CONFIG,
) -> Exploration:
    """Choose the next view.

    Args:
        floor: What has been seen.
        base: Position of the base [m].
        views: Views that were taken; what they did not show, such as floor behind a sofa, counts no more.
        within: Indices that count, shape (H, W); None: all.
    """
    clearance = floor.clearance(config.unknown_margin)
    ways = way_lengths(floor, base, clearance, config)
    counted = np.ones(floor.cells.shape, bool) if within is None else within
    unseen = (floor.cells == UNKNOWN) & counted & ~looked_at(floor, views, config)
    cells, way = candidates(floor, base, clearance, ways, config)
    fan = cast(floor, cells, unseen, config.rays, config)
    visible = np.zeros(floor.cells.shape, bool)
    visible[fan.row[fan.shown], fan.column[fan.shown]] = True
    reachable = int((np.isfinite(ways) & counted).sum())
    share = reachable / max(1, reachable + int(visible.sum()))
    frontier = floor.centres(*np.nonzero(binary_dilation(visible) & floor.free))
    view = best_view(floor, cells, way, fan, config) if len(views) < config.max_views else None
    return Exploration(view, share, frontier)


def best_view(
    floor: FloorMap, cells: Indices, way: Array, fan: Fan, config: ExplorationConfig
) -> LookAround | None:
    """Choose the view with the largest gain per metre, looks included; None if none has enough gain."""
    areas = (fan.shown * fan.area).sum(axis=2)
    gain = areas.sum(axis=1)
    best = int((np.where(gain >= config.least_gain, gain, 0.0) / (way + config.look_cost)).argmax())
    if gain[best] < config.least_gain:
        return None
    x, y = floor.centres(*cells[best][:, None])[0].tolist()
    bearings = tuple((floor.origin.yaw + looks(fan.bearing, areas[best], config)).tolist())
    return LookAround((x, y), bearings, float(gain[best]), float(way[best]))


def way_lengths(
    floor: FloorMap, base: tuple[float, float], clearance: Array, config: ExplorationConfig = CONFIG
) -> Array:
    """Length of the way from the base to each cell that it can reach over known floor [m], shape (H, W).

    Args:
        floor: What has been seen.
        base: Position of the base [m].
        clearance: Of each cell, as `FloorMap.clearance` gives it [m], shape (H, W).
    """
    open_floor = clearance >= config.clearance
    cells = np.argwhere(open_floor)
    if not len(cells):
        return np.full(floor.cells.shape, np.inf)
    distance = np.linalg.norm(floor.centres(*cells.T) - base, axis=1)
    nearest = int(distance.argmin())
    if distance[nearest] > config.max_snap:
        return np.full(floor.cells.shape, np.inf)
    start = int(np.ravel_multi_index(tuple(cells[nearest]), open_floor.shape))
    lengths = dijkstra(grid_graph(open_floor, floor.resolution), indices=start)
    return np.asarray(lengths.reshape(open_floor.shape) + distance[nearest])


def candidates(
    floor: FloorMap, base: tuple[float, float], clearance: Array, ways: Array, config: ExplorationConfig
) -> tuple[Indices, Array]:
    """Return the cells (V, 2) from which to look, the base's own first, and the ways there [m]."""
    own = np.clip(floor.cell(np.array(base)), 0, np.array(floor.cells.shape) - 1)
    stride = max(1, round(config.spacing / floor.resolution))
    cells = np.argwhere(np.isfinite(ways) & (clearance >= config.view_clearance))
    cells = cells[(cells % stride == 0).all(axis=1)]
    return np.vstack([own, cells]), np.append(0.0, ways[tuple(cells.T)])


def cast(floor: FloorMap, cells: Indices, unseen: Mask, rays: int, config: ExplorationConfig) -> Fan:
    """Cast rays from cells (V, 2) around; obstacles end them, and so does enough unknown space."""
    bearing = np.arange(rays) * 2.0 * pi / rays
    steps = np.arange(1.0, config.look_range / floor.resolution)
    offsets = np.stack([np.sin(bearing), np.cos(bearing)], axis=-1)[:, None] * steps[:, None]
    places = np.rint(cells[:, None, None] + offsets).astype(np.intp)
    row, column = (places[..., axis].clip(0, floor.cells.shape[axis] - 1) for axis in (0, 1))
    inside = (row == places[..., 0]) & (column == places[..., 1])
    open_so_far = ~np.logical_or.accumulate(floor.occupied[row, column], axis=2)
    unknown = ~inside | (floor.cells[row, column] == UNKNOWN)
    near = np.cumsum(unknown, axis=2) * floor.resolution <= config.unknown_depth
    shown = inside & unseen[row, column] & open_so_far & near
    return Fan(row, column, shown, steps * floor.resolution**2 * 2.0 * pi / rays, bearing)


def looked_at(floor: FloorMap, views: Sequence[LookAround], config: ExplorationConfig) -> Mask:
    """Return the unknown cells that views have looked at, shape (H, W)."""
    unknown, looked = floor.cells == UNKNOWN, np.zeros(floor.cells.shape, bool)
    finer = int(2.0 * pi * config.look_range / floor.resolution / config.rays) + 1  # no cell is left out
    for view in views:
        fan = cast(floor, floor.cell(np.array([view.at])), unknown, finer * config.rays, config)
        turned = np.subtract.outer(fan.bearing + floor.origin.yaw, view.bearings)
        covered = (np.cos(turned) >= np.cos(0.6 * config.look_width)).any(axis=1)
        shown = fan.shown & covered[:, None]
        looked[fan.row[shown], fan.column[shown]] = True
    return np.asarray(binary_dilation(looked) & unknown)


def looks(bearing: Array, gain: Array, config: ExplorationConfig) -> Array:
    """Choose bearings of looks that together cover every ray (R,) with a gain [m^2]."""
    chosen, remaining = list[float](), gain.copy()
    while remaining.any():
        sums = [remaining[np.cos(bearing - b) >= np.cos(config.look_width / 2.0)].sum() for b in bearing]
        best = bearing[int(np.argmax(sums))]
        chosen.append(float(best))
        remaining[np.cos(bearing - best) >= np.cos(config.look_width / 2.0)] = 0.0
    return np.sort(chosen)
