"""Parts of furniture in one depth image with boxes: the smooth faces within each box, as voxels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from openral_core.arrays import Array, Array32, Indices, Mask, Points, Transform, Vector3
from openral_mapping.furniture.kinds import kind_of
from openral_mapping.furniture.voxels import SeenVoxels, columns_of, largest_part


@dataclass(frozen=True)
class FurnitureConfig:
    """Parameters of the search for furniture.

    Args:
        pixels: Pixels of an image that are used [1]; larger images are thinned evenly.
        nearest: Nearest depth used [m].
        farthest: Farthest depth used [m].
        floor: Height up to which a point is floor [m].
        ceiling: Height from which points are left out [m].
        upward: Vertical part of a normal from which a surface faces upwards [1].
        step: Distance of neighbouring points from which a face ends [m].
        bend: Distance of a point from the plane of its neighbours above which it is on an edge [m].
        smooth: Cosine of the angle of their normals below which it ends [1].
        within: Share of a face's pixels in a box from which it is of the box's piece [1].
        flush: The same, of a piece that is flush with others, if no face is its own [1].
        least_pixels: Pixels in a box from which it is used [1].
        same: Overlap from which a box shows a known piece of its kind [1].
        other: Overlap from which it shows one that was given another kind [1].
        hit: Largest gain of evidence per image [1].
        miss: Evidence lost per image that looks at a piece without finding it [1].
        gone: Evidence lost per image that sees through a piece [1].
        most: Largest evidence [1].
        enough: Evidence from which a piece counts [1].
        views: Images that show it from which a piece counts [1].
        moved: Distance up to which a new piece may be one that is gone [m].
    """

    pixels: int = 20000
    nearest: float = 0.3
    farthest: float = 4.5
    floor: float = 0.06
    ceiling: float = 2.2
    upward: float = 0.9
    step: float = 0.1
    bend: float = 0.008
    smooth: float = 0.9
    within: float = 0.7
    flush: float = 0.25
    least_pixels: int = 40
    same: float = 0.35
    other: float = 0.6
    hit: float = 1.0
    miss: float = 0.5
    gone: float = 1.2
    most: float = 8.0
    enough: float = 3.0
    views: int = 4
    moved: float = 3.0


CONFIG = FurnitureConfig()
_NOISE = 4.0
"""Multiple of the image's median bend that is taken for noise [1]."""


class FurnitureBox(NamedTuple):
    """A detector's box: label, calibrated score in [0, 1], and sides (left, top, right, bottom) [px]."""

    label: str
    score: float
    sides: tuple[float, float, float, float]


@dataclass(frozen=True)
class FurnitureView:
    """An image of a depth camera with boxes.

    Args:
        depth: Along the optical axis [m], shape (H, W); unknown where 0, negative, NaN or infinite.
        rays: Points at depth 1 in the optical frame, NaN for pixels without a ray, shape (H, W, 3).
        project: From points (N, 3) in the optical frame to pixels (N, 2) of ``depth``.
        T_map_camera: Optical frame to map, shape (4, 4).
        boxes: Of one detector's image, in pixels of ``depth``.
    """

    depth: Array32
    rays: Array
    project: Callable[[Points], Array]
    T_map_camera: Transform
    boxes: Sequence[FurnitureBox]


@dataclass(frozen=True)
class SeenPart:
    """The largest part, connected on the floor plan, of the voxels that a box covers.

    ``in_box`` tells which voxels of the image the box covers; ``points`` are the means of its own, (N, 3).
    """

    kind: str
    score: float
    voxels: SeenVoxels
    in_box: Mask
    points: Points


@dataclass(frozen=True)
class SeenImage:
    """Points of an image above the floor, with their voxels."""

    view: FurnitureView
    camera: Vector3
    T_camera_map: Transform
    pixels: Array
    points: Points
    is_upward: Mask
    voxels: SeenVoxels
    voxel: Indices
    face: Indices
    margin: float

    @classmethod
    def of(cls, view: FurnitureView, config: FurnitureConfig) -> "SeenImage":
        step = max(1, int(np.sqrt(view.depth.size / config.pixels)))
        rows, columns = (np.arange(step // 2, size, step) for size in view.depth.shape)
        depth = view.depth[np.ix_(rows, columns)].astype(np.float64)
        in_range = np.isfinite(depth) & (depth >= config.nearest) & (depth <= config.farthest)
        optical = view.rays[np.ix_(rows, columns)] * np.where(in_range, depth, np.nan)[..., None]
        T = view.T_map_camera
        points = optical @ T[:3, :3].T + T[:3, 3]
        chosen = (points[..., 2] > config.floor) & (points[..., 2] < config.ceiling)
        normals = _normals(points)
        is_upward = np.abs(normals[..., 2]) > config.upward
        is_bent = _bends(depth) > config.bend
        faces = _faces(points, normals, chosen & ~is_bent, config)
        voxels, voxel = SeenVoxels.gather(points[chosen], is_upward[chosen])
        return cls(
            view=view,
            camera=T[:3, 3],
            T_camera_map=np.linalg.inv(T).astype(np.float64),
            pixels=np.stack(np.meshgrid(columns, rows), axis=-1)[chosen].astype(float),
            points=points[chosen],
            is_upward=is_upward[chosen],
            voxels=voxels,
            voxel=voxel,
            face=faces[chosen],
            margin=0.12,
        )

    def part(self, box: FurnitureBox, config: FurnitureConfig) -> SeenPart | None:
        """Return what a box of a piece of furniture shows; None for other labels, and for too few points."""
        kind = kind_of(box.label)
        x0, y0, x1, y1 = box.sides
        u, v = self.pixels.T
        inside = (u >= x0) & (u <= x1) & (v >= y0) & (v <= y1)
        if not kind or int(inside.sum()) < config.least_pixels:
            return None
        counts = np.bincount(self.voxel[inside], minlength=len(self.voxels.keys))
        in_box = counts >= 0.5 * self.voxels.pixels
        faces = np.bincount(self.face)
        shares = (np.bincount(self.face[inside], minlength=len(faces)) / np.maximum(faces, 1))[self.face]
        least = max(config.least_pixels, 0.1 * int(inside.sum()))
        own = inside & (shares >= config.within)
        if int(own.sum()) < least:
            own = inside & (shares >= config.flush)
        if int(own.sum()) < least:
            return None
        weights = np.bincount(self.voxel[own], minlength=len(in_box)).astype(float)
        mine = in_box & (weights >= 0.5 * self.voxels.pixels)
        if not mine.any():
            return None
        mine[mine] = largest_part(columns_of(self.voxels.keys[mine]), weights[mine])
        voxels = self.voxels.select(mine)
        points = voxels.sums / voxels.pixels[:, None]
        return SeenPart(kind, min(max(box.score, 0.0), 1.0), voxels, in_box, points)

    def compare(self, points: Points) -> tuple[Mask, Mask]:
        """Tell which points in map (N, 3) the image sees through, and at which it sees a surface."""
        beyond, hit = np.zeros((2, len(points)), bool)
        optical = points @ self.T_camera_map[:3, :3].T + self.T_camera_map[:3, 3]
        front = np.flatnonzero((optical[:, 2] > 0.3) & (optical[:, 2] < 4.5))
        if not len(front):
            return beyond, hit
        pixels = np.nan_to_num(self.view.project(optical[front]), nan=-1.0)
        column, row = np.floor(np.clip(pixels, -1.0, 1e6) + 0.5).astype(int).T
        height, width = self.view.depth.shape
        shown = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        front, row, column = front[shown], row[shown], column[shown]
        depth = self.view.depth[row, column]
        expected = optical[front, 2]
        has_depth = np.isfinite(depth) & (depth > 0.0)
        beyond[front] = has_depth & (depth > expected + self.margin)
        hit[front] = has_depth & (np.abs(depth - expected) <= self.margin)
        return beyond, hit


def _normals(points: Points) -> Array:
    """Return the normals of an image of points, (H, W, 3), NaN where a neighbour is unknown."""
    normals = np.full(points.shape, np.nan)
    across = points[1:-1, 2:] - points[1:-1, :-2]
    down = points[2:, 1:-1] - points[:-2, 1:-1]
    normal = np.cross(across, down)
    with np.errstate(invalid="ignore", divide="ignore"):
        normals[1:-1, 1:-1] = normal / np.linalg.norm(normal, axis=-1, keepdims=True)
    return normals


def _bends(depth: Array) -> Array:
    """Return how far depths (H, W) leave the plane of their neighbours [m]; 0 at the image's border.

    Inverse depth is linear on a plane. What is noise all over the image does not count.
    """
    bend = np.zeros(depth.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / depth
        across = np.abs(inverse[1:-1, 2:] + inverse[1:-1, :-2] - 2.0 * inverse[1:-1, 1:-1])
        down = np.abs(inverse[2:, 1:-1] + inverse[:-2, 1:-1] - 2.0 * inverse[1:-1, 1:-1])
        bend[1:-1, 1:-1] = np.nan_to_num(np.maximum(across, down) * depth[1:-1, 1:-1] ** 2, posinf=0.0)
    return np.asarray(np.maximum(bend - _NOISE * np.median(bend), 0.0))


def _faces(points: Points, normals: Array, chosen: Mask, config: FurnitureConfig) -> Indices:
    """Give each smooth face of an image a number, (H, W); a step or an edge ends one."""
    number = np.arange(chosen.size).reshape(chosen.shape)
    pairs = []
    for a, b in ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:])):
        step = np.linalg.norm(points[a] - points[b], axis=-1)
        turn = (normals[a] * normals[b]).sum(axis=-1)
        joined = chosen[a] & chosen[b] & (step < config.step) & (turn > config.smooth)
        pairs.append(np.stack([number[a][joined], number[b][joined]]))
    rows, columns = np.concatenate(pairs, axis=1)
    graph = coo_array((np.ones(len(rows), bool), (rows, columns)), shape=(chosen.size, chosen.size))
    return np.asarray(connected_components(graph, directed=False)[1]).reshape(chosen.shape)
