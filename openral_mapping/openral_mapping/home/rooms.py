"""Segmentation of a floor map into rooms at doorways.

The distance to the nearest wall has a peak in each room and a saddle in each doorway. A peak starts a room
unless its saddle to a higher peak is wider than a doorway or nearly as wide as the peak; a watershed then
assigns the floor. Furniture is filled: islands first, what stands at the walls by the outline of each room.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from openral_core.arrays import Array, Mask
from openral_core.floor_map import FloorMap

_NEIGHBOURS = np.ones((3, 3), bool)
_MAX_LABEL = np.uint16(65_535)
"""Largest label of a 16-bit image [1]."""


@dataclass(frozen=True)
class RoomConfig:
    """Parameters of the segmentation."""

    # Widest passage that separates rooms [m]; a double door. Wider ones join two parts.
    max_doorway: float = 1.6
    # Smallest ratio of the width of both rooms to that of the passage between them [1].
    contrast: float = 1.2
    min_area: float = 1.5  # Smallest room [m^2]; a guest toilet.
    max_island: float = 4.0  # Largest piece of furniture away from the walls [m^2]; a table with chairs.
    wall_thickness: float = 0.3  # Thickness up to which a long island is a wall [m].
    wall_length: float = 1.0  # Length from which a thin island is a wall [m].
    # Fraction of a room's floor that may lie outside its rectangle [1], such as half a doorway.
    stray: float = 0.004
    # Fraction of its rectangle that the floor of a rectangular room covers at least [1].
    rectangularity: float = 0.6
    min_tilt: float = 3.0  # Smallest angle of a room to the axes of the map that is respected [deg].
    step: float = 0.025  # Difference of distances at which saddles are told apart [m].


CONFIG = RoomConfig()


@dataclass(frozen=True)
class Passage:
    """A doorway between two segments: their labels, its middle in the map [m] and its width [m]."""

    labels: tuple[int, int]
    at: tuple[float, float]
    width: float


@dataclass(frozen=True)
class RoomSegments:
    """Rooms of a map."""

    floor: NDArray[np.int32]  # Label of the room on each free or filled cell, 0 elsewhere, shape (H, W).
    regions: NDArray[np.int32]  # The same with the furniture at the walls.
    passages: tuple[Passage, ...]  # Doorways.
    count: int  # Number of rooms; labels are 1 to ``count``.


def segment_rooms(
    floor_map: FloorMap, walls: FloorMap | None = None, config: RoomConfig = CONFIG
) -> RoomSegments:
    """Segment the floor of a map into rooms.

    Args:
        floor_map: Occupancy of the floor.
        walls: The same cells with tall obstacles alone, if heights are known: low furniture is floor.
    """
    cell = floor_map.resolution
    free = floor_map.free if walls is None else walls.free
    if not free.any():
        nothing = np.zeros(free.shape, np.int32)
        return RoomSegments(nothing, nothing, (), 0)
    open_floor = fill_islands(_large_parts(free, config.min_area / cell**2), cell, config)
    distance = ndimage.distance_transform_edt(np.pad(open_floor, 1))[1:-1, 1:-1] * cell
    floor = _flood(distance, _seeds(distance, config), open_floor, config)
    floor = _merge_small(floor, config.min_area / cell**2)
    count = int(floor.max(initial=0))
    regions = _with_furniture(floor, count, config)
    passages = tuple(_passages(floor, distance, floor_map, count))
    return RoomSegments(floor, regions, passages, count)


def fill_islands(free: Mask, cell: float, config: RoomConfig = CONFIG) -> Mask:
    """Return the free cells and the furniture that they surround; walls between two doorways stay."""
    labels, _ = ndimage.label(np.pad(~free, 1, constant_values=True))
    labels = labels[1:-1, 1:-1]
    filled, outside = free.copy(), set(np.unique(_border(labels)).tolist())
    for label, part in enumerate(ndimage.find_objects(labels), start=1):
        if part is None or label in outside:
            continue
        island = labels[part] == label
        if float(island.sum()) * cell**2 <= config.max_island and not has_wall(island, cell, config):
            filled[part] |= island
    return filled


def has_wall(island: Mask, cell: float, config: RoomConfig = CONFIG) -> bool:
    """Test if an island has a long thin part: a wall, perhaps with furniture along it."""
    inner = ndimage.distance_transform_edt(np.pad(island, 1)) * cell
    core = inner > config.wall_thickness / 2.0
    reach = config.wall_thickness / 2.0 + cell
    thick = ndimage.distance_transform_edt(~core) * cell <= reach if core.any() else core
    parts, _ = ndimage.label(np.pad(island, 1) & ~thick, _NEIGHBOURS)
    lengths = [
        float(np.hypot(*(side.stop - side.start for side in part))) * cell
        for part in ndimage.find_objects(parts)
    ]
    return sum(length for length in lengths if length > config.wall_thickness) >= config.wall_length


def _border(cells: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.concatenate((cells[0], cells[-1], cells[:, 0], cells[:, -1]))


def _large_parts(mask: Mask, least: float) -> Mask:
    labels, count = ndimage.label(mask)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    sizes[0] = 0
    return np.asarray(sizes[labels] >= least)


def _seeds(distance: Array, config: RoomConfig) -> NDArray[np.int32]:
    """Return the innermost cells of each room, by label.

    The level falls from the highest peak to the floor. Parts that appear are candidates; where candidates
    meet, only those stay that are clearly wider than the passage between them, which must be a doorway.
    """
    peaks: dict[int, float] = {}
    seeds = np.zeros(distance.shape, np.int32)
    for level in np.arange(float(distance.max(initial=0.0)), config.step / 2, -config.step):
        parts, count = ndimage.label(distance >= level, _NEIGHBOURS)
        held: dict[int, list[int]] = {part: [] for part in range(1, count + 1)}
        rows, columns = np.nonzero(seeds)
        for part, seed in sorted(
            {*zip(parts[rows, columns].tolist(), seeds[rows, columns].tolist(), strict=True)}
        ):
            held[part].append(seed)
        for part, inside in held.items():
            if not inside:
                seed = len(peaks) + 1
                peaks[seed] = float(level)
                where = np.unravel_index(
                    int(np.argmax(np.where(parts == part, distance, -1.0))), distance.shape
                )
                seeds[where] = seed
            for seed in _joined(inside, peaks, float(level), config):
                seeds[seeds == seed] = 0
    return seeds


def _joined(inside: list[int], peaks: dict[int, float], level: float, config: RoomConfig) -> list[int]:
    """Return the seeds of a part that belong to the room of its highest peak, met at a level [m]."""
    highest = max(inside, key=lambda seed: peaks[seed], default=0)
    is_doorway = 2.0 * level <= config.max_doorway
    return [
        seed
        for seed in inside
        if seed != highest and not (is_doorway and peaks[seed] >= config.contrast * level)
    ]


def _flood(
    distance: Array, seeds: NDArray[np.int32], open_floor: Mask, config: RoomConfig
) -> NDArray[np.int32]:
    """Assign every cell of the floor to a seed, from the widest parts to the narrowest."""
    flooded = seeds.astype(np.uint16)
    wide = float(distance.max(initial=0.0))
    # Every distance of a doorway is a level, so that the floors of two rooms meet in its narrowest part.
    narrow = np.unique(distance[distance <= config.max_doorway / 2.0])[::-1].tolist()
    for level in [*np.arange(wide, config.max_doorway / 2.0, -config.step).tolist(), *narrow]:
        open_to = open_floor & (distance >= level)
        while _grow(flooded, open_to & (flooded == 0), distance):
            pass
    return flooded.astype(np.int32)


def _grow(flooded: NDArray[np.uint16], new: Mask, distance: Array) -> bool:
    """Label the new cells next to labelled ones, as their widest neighbour; return False if none is."""
    around = np.ones((3, 3), np.uint8)
    highest = np.where(new, cv2.dilate(flooded, around), 0)
    if not highest.any():
        return False
    lowest = _MAX_LABEL - cv2.dilate(np.where(flooded > 0, _MAX_LABEL - flooded, 0).astype(np.uint16), around)
    rows, columns = np.nonzero((highest > 0) & (lowest < highest))
    padded, depth = np.pad(flooded, 1), np.pad(distance, 1)
    labels = np.stack([padded[rows + dy, columns + dx] for dy in range(3) for dx in range(3)])
    depths = np.stack([depth[rows + dy, columns + dx] for dy in range(3) for dx in range(3)])
    widest = np.argmax(np.where(labels > 0, depths, -1.0), axis=0)
    highest[rows, columns] = labels[widest, np.arange(len(rows))]
    flooded += highest.astype(np.uint16)
    return True


def _merge_small(labels: NDArray[np.int32], least: float) -> NDArray[np.int32]:
    """Give small segments to the neighbour with the longest border; number the others from 1."""
    merged = labels.copy()
    while True:
        sizes = np.bincount(merged.ravel())
        small = [n for n in np.argsort(sizes).tolist() if n and 0 < sizes[n] < least]
        target = next(((n, best) for n in small if (best := _main_neighbour(merged, n))), None)
        if target is None:
            break
        merged[merged == target[0]] = target[1]
    numbers, numbered = np.unique(merged, return_inverse=True)
    return (
        numbered.reshape(labels.shape).astype(np.int32) if 0 in numbers else (numbered + 1).astype(np.int32)
    )


def _main_neighbour(labels: NDArray[np.int32], label: int) -> int:
    """Return the label with the longest border to a segment, 0 if it has none."""
    around = ndimage.binary_dilation(labels == label, _NEIGHBOURS) & (labels != label) & (labels != 0)
    return int(np.bincount(labels[around]).argmax()) if around.any() else 0


def _with_furniture(floor: NDArray[np.int32], count: int, config: RoomConfig) -> NDArray[np.int32]:
    """Extend each room over the furniture at its walls: cells next to it within its outline."""
    nearest = floor[
        tuple(ndimage.distance_transform_edt(floor == 0, return_distances=False, return_indices=True))
    ]
    regions = floor.copy()
    for label in range(1, count + 1):
        within = _outline(floor == label, config)
        regions[(floor == 0) & (nearest == label) & within] = label
    for label in range(1, count + 1):
        filled = ndimage.binary_fill_holes(regions == label)
        regions[filled & (regions == 0)] = label
    return regions


def _outline(room: Mask, config: RoomConfig) -> Mask:
    """Return the rectangle of a rectangular room, else the convex hull of its floor."""
    rows, columns = np.nonzero(room)
    points = np.column_stack((columns, rows)).astype(np.float32)
    tilt = (cv2.minAreaRect(points)[2] + 45.0) % 90.0 - 45.0
    angle = np.deg2rad(tilt if abs(tilt) > config.min_tilt else 0.0)
    axes = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turned = points @ axes
    low, high = np.quantile(turned, (config.stray, 1.0 - config.stray), axis=0)
    everywhere = np.indices(room.shape)[::-1].reshape(2, -1).T @ axes
    rectangle = ((everywhere >= low - 0.5) & (everywhere <= high + 0.5)).all(axis=1).reshape(room.shape)
    if (room & rectangle).sum() >= config.rectangularity * rectangle.sum():
        return np.asarray(rectangle)
    hull = np.zeros(room.shape, np.uint8)
    cv2.fillConvexPoly(hull, cv2.convexHull(points.astype(np.int32)), 1)
    return hull.astype(bool)


def _passages(
    floor: NDArray[np.int32], distance: Array, floor_map: FloorMap, count: int
) -> Iterator[Passage]:
    """Yield the doorways: connected borders of two rooms."""
    for first in range(1, count + 1):
        near = ndimage.binary_dilation(floor == first)
        for second in range(first + 1, count + 1):
            borders, most = ndimage.label(near & (floor == second), _NEIGHBOURS)
            for border in range(1, most + 1):
                rows, columns = np.nonzero(borders == border)
                middle = floor_map.centres(rows, columns).mean(axis=0)
                width = 2.0 * float(distance[rows, columns].max())
                yield Passage((first, second), (float(middle[0]), float(middle[1])), round(width, 3))
