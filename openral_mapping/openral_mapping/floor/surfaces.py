"""Upright surfaces of depth images, kept as points on the floor plan with the direction that they face."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import KDTree

from openral_core.arrays import Array, Array32, Mask, Points, Transform


@dataclass(frozen=True)
class SurfaceConfig:
    """Parameters of the surfaces.

    Attributes:
        nearest, farthest: Depth used [m].
        lowest, highest: Height above the floor of what is used [m].
        pixels: Pixels of an image's longer side that are used [1].
        upright: Largest vertical part of the normal of a surface [1].
        smooth: Largest difference of depth between neighbouring pixels, as a fraction of the depth [1].
        cell: Side of the cells that keep one surface per direction [m].
        directions: Directions per turn that are kept apart [1].
        settled: Images after which a kept surface moves no more [1].
        reach: Distance up to which surfaces are paired [m].
        agree: Distance that one unit of difference between two normals counts as [m].
    """

    nearest: float = 0.3
    farthest: float = 5.0
    lowest: float = 0.1
    highest: float = 2.0
    pixels: int = 80
    upright: float = 0.3
    smooth: float = 0.1
    cell: float = 0.05
    directions: int = 8
    settled: int = 20
    reach: float = 0.2
    agree: float = 0.3


SURFACES = SurfaceConfig()


@dataclass(frozen=True, eq=False)
class UprightSurfaces:
    """Upright surfaces on the floor plan."""

    points: Points  # Positions [m], shape (N, 2).
    normals: Array  # Unit vectors towards the free side, shape (N, 2).

    def moved(self, T: Transform) -> "UprightSurfaces":
        """Transform by a planar pose, shape (4, 4)."""
        R = T[:2, :2]
        return UprightSurfaces(self.points @ R.T + T[:2, 3], self.normals @ R.T)


def upright_surfaces(
    depth: Array32, rays: Array, T_map_camera: Transform, config: SurfaceConfig = SURFACES
) -> UprightSurfaces:
    """Return the upright surfaces of a depth image.

    Args:
        depth: Along the optical axis [m], shape (H, W).
        rays: Points at depth 1 in the optical frame, shape (H, W, 3).
        T_map_camera: Optical frame to map, shape (4, 4).
    """
    step = max(1, max(depth.shape) // config.pixels)
    ends = depth[step // 2 :: step, step // 2 :: step].astype(float)
    points = rays[step // 2 :: step, step // 2 :: step] * ends[..., None]
    points = points @ T_map_camera[:3, :3].T + T_map_camera[:3, 3]
    inner, right, below = points[:-1, :-1], points[:-1, 1:], points[1:, :-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        normals = np.cross(below - inner, right - inner)
        normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
        normals *= np.sign(((T_map_camera[:3, 3] - inner) * normals).sum(axis=-1, keepdims=True))
        flat = [
            np.abs(each - ends[:-1, :-1]) < config.smooth * ends[:-1, :-1]
            for each in (ends[:-1, 1:], ends[1:, :-1])
        ]
        near = (ends[:-1, :-1] > config.nearest) & (ends[:-1, :-1] < config.farthest)
        used = near & flat[0] & flat[1] & (np.abs(normals[..., 2]) < config.upright)
        used &= (inner[..., 2] > config.lowest) & (inner[..., 2] < config.highest)
    across = normals[used][:, :2]
    return UprightSurfaces(inner[used][:, :2], across / np.linalg.norm(across, axis=-1, keepdims=True))


class SurfaceMap:
    """Surfaces seen up to now: per cell and direction the mean of the first images that saw it."""

    def __init__(self, config: SurfaceConfig = SURFACES) -> None:
        self._config = config
        self._index: dict[tuple[int, int, int], int] = {}
        self._sums = np.zeros((0, 5))
        self._indexed: tuple[KDTree, UprightSurfaces] | None = None

    def add(self, surfaces: UprightSurfaces) -> None:
        """Fold in the surfaces of one image."""
        config = self._config
        cells = np.floor(surfaces.points / config.cell).astype(np.int64)
        turn = np.arctan2(surfaces.normals[:, 1], surfaces.normals[:, 0]) / (2.0 * np.pi) * config.directions
        keys = np.column_stack((cells, np.rint(turn).astype(np.int64) % config.directions))
        unique, inverse, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        means = np.zeros((len(unique), 4))
        np.add.at(means, inverse.ravel(), np.column_stack((surfaces.points, surfaces.normals)))
        means /= counts[:, None]
        for key, mean in zip(map(tuple, unique.tolist()), means, strict=True):
            self._fold(key, mean)
        self._indexed = None

    def _fold(self, key: tuple[int, int, int], mean: Array) -> None:
        at = self._index.get(key)
        if at is None:
            at = self._index[key] = len(self._index)
            if at == len(self._sums):
                self._sums = np.vstack((self._sums, np.zeros((max(256, at), 5))))
        if self._sums[at, 4] < self._config.settled:
            self._sums[at] += (*mean, 1.0)

    @property
    def surfaces(self) -> UprightSurfaces:
        """All of them."""
        sums = self._sums[: len(self._index)]
        normals = sums[:, 2:4] / np.maximum(np.linalg.norm(sums[:, 2:4], axis=1, keepdims=True), 1e-9)
        return UprightSurfaces(sums[:, :2] / np.maximum(sums[:, 4:], 1.0), normals)

    def pair(self, surfaces: UprightSurfaces) -> tuple[Array, Array, Mask]:
        """Return distance across [m] and normal of the partners, and which of the surfaces (N,) have one."""
        if not self._index:
            return np.zeros(0), np.zeros((0, 2)), np.zeros(len(surfaces.points), bool)
        agree = self._config.agree
        if self._indexed is None:
            partners = self.surfaces
            self._indexed = KDTree(np.column_stack((partners.points, agree * partners.normals))), partners
        tree, partners = self._indexed
        rows = np.column_stack((surfaces.points, agree * surfaces.normals))
        away, at = tree.query(rows, distance_upper_bound=self._config.reach)
        paired = np.isfinite(away)
        normals = partners.normals[at[paired]]
        offsets = surfaces.points[paired] - partners.points[at[paired]]
        return (offsets * normals).sum(axis=1), normals, paired
