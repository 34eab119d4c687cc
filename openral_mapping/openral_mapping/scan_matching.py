"""Correction of a drifting pose by aligning the upright surfaces of depth images with those seen before.

Walls, fronts and sides of furniture are kept as points on the floor plan with the direction that they face. A
new image is moved until its surfaces lie in those of the same direction, measured across them alone: along a
wall nothing pulls, the two sides of a thin wall are never taken for each other, and what is new has no
partner. The pose is held to the odometry by its covariance, which grows with the way and shrinks in the
directions that an image decides.

Source: Censi (2008), "An ICP variant using a point-to-line metric"; Thrun, Burgard and Fox (2005),
"Probabilistic Robotics", extended Kalman filter.
"""

from dataclasses import dataclass
from math import cos, sin
from pathlib import Path
from typing import Self
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from openral_core.geometry import planar_part, yaw_matrix
from openral_mapping.depth_mapper import InvalidMapFile

Array = NDArray[np.float64]
FORMAT = 1
"""Version of the file [1]."""


@dataclass(frozen=True)
class MatchConfig:
    """Parameters of the matching.

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
        width: Distance from which an error counts less than its square [m].
        iterations: Largest number of pairings per image [1].
        least_pairs: Pairs from which an image is used [1].
        spread: Standard deviation of a surface's distance [m]: large, since neighbouring points err alike.
        position_drift, heading_drift: Standard deviation that the odometry adds per root of a metre [m] and
            of a radian [rad]; a metre turns the robot as well.
        unsure: Standard deviation of the pose in a map of an earlier visit [m], [rad].
        largest: Largest correction of one image [m], [rad].
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
    width: float = 0.05
    iterations: int = 12
    least_pairs: int = 20
    spread: float = 0.1
    position_drift: float = 0.02
    heading_drift: float = 0.02
    unsure: tuple[float, float] = (0.1, 0.05)
    largest: tuple[float, float] = (0.2, 0.15)


MATCHING = MatchConfig()


@dataclass(frozen=True, eq=False)
class Surfaces:
    """Upright surfaces on the floor plan.

    Attributes:
        points: Positions [m], shape (N, 2).
        normals: Unit vectors towards the free side, shape (N, 2).
    """

    points: Array
    normals: Array

    def moved(self, T: Array) -> "Surfaces":
        """Transform by a planar pose, shape (4, 4)."""
        R = T[:2, :2]
        return Surfaces(self.points @ R.T + T[:2, 3], self.normals @ R.T)


def upright_surfaces(
    depth: NDArray[np.float32], rays: Array, T_map_camera: Array, config: MatchConfig = MATCHING
) -> Surfaces:
    """Return the upright surfaces of a depth image.

    Args:
        depth: Along the optical axis [m], shape (H, W).
        rays: Points at depth 1 in the optical frame, shape (H, W, 3).
        T_map_camera: Optical frame to map, shape (4, 4).
        config: Parameters.
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
    return Surfaces(inner[used][:, :2], across / np.linalg.norm(across, axis=-1, keepdims=True))


class SurfaceMap:
    """Surfaces seen up to now: per cell and direction the mean of the first images that saw it.

    Args:
        config: Parameters.
    """

    def __init__(self, config: MatchConfig = MATCHING) -> None:
        self._config = config
        self._index: dict[tuple[int, int, int], int] = {}
        self._sums = np.zeros((0, 5))
        self._indexed: tuple[KDTree, Surfaces] | None = None

    def add(self, seen: Surfaces) -> None:
        """Fold in the surfaces of one image."""
        config = self._config
        cells = np.floor(seen.points / config.cell).astype(np.int64)
        turn = np.arctan2(seen.normals[:, 1], seen.normals[:, 0]) / (2.0 * np.pi) * config.directions
        keys = np.column_stack((cells, np.rint(turn).astype(np.int64) % config.directions))
        unique, inverse, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        means = np.zeros((len(unique), 4))
        np.add.at(means, inverse.ravel(), np.column_stack((seen.points, seen.normals)))
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
    def surfaces(self) -> Surfaces:
        """All of them."""
        kept = self._sums[: len(self._index)]
        normals = kept[:, 2:4] / np.maximum(np.linalg.norm(kept[:, 2:4], axis=1, keepdims=True), 1e-9)
        return Surfaces(kept[:, :2] / np.maximum(kept[:, 4:], 1.0), normals)

    def pair(self, seen: Surfaces) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return distance across [m] and normal of the partners, and which of the surfaces (N,) have one."""
        if not self._index:
            return np.zeros(0), np.zeros((0, 2)), np.zeros(len(seen.points), bool)
        agree = self._config.agree
        if self._indexed is None:
            kept = self.surfaces
            self._indexed = KDTree(np.column_stack((kept.points, agree * kept.normals))), kept
        tree, kept = self._indexed
        asked = np.column_stack((seen.points, agree * seen.normals))
        away, at = tree.query(asked, distance_upper_bound=self._config.reach)
        paired = np.isfinite(away)
        normals = kept.normals[at[paired]]
        offsets = seen.points[paired] - kept.points[at[paired]]
        return (offsets * normals).sum(axis=1), normals, paired


class ScanMatcher:
    """Matches depth images with the surfaces of those before.

    Args:
        config: Parameters.
        known: Surfaces of an earlier visit, in the same map.
    """

    def __init__(self, config: MatchConfig = MATCHING, known: Surfaces | None = None) -> None:
        self._config = config
        self._map = SurfaceMap(config)
        if known is not None:
            self._map.add(known)
        self._last: Array | None = None
        spread = 1e-3 if known is None else config.unsure[0]
        turned = 1e-3 if known is None else config.unsure[1]
        self._covariance = np.diag(np.square([spread, spread, turned]))

    def known_share(self, depth: NDArray[np.float32], rays: Array, T_map_camera: Array) -> float:
        """Return the share of an image's surfaces that have a partner if it was taken from this pose [1]."""
        seen = upright_surfaces(depth, rays, T_map_camera, self._config)
        return float(self._map.pair(seen)[2].mean()) if len(seen.points) else 0.0

    def correction(
        self, depth: NDArray[np.float32], rays: Array, T_map_camera: Array, T_map_base: Array
    ) -> Array:
        """Return the motion (4, 4) in map that brings the robot from where it seems to be to where it is.

        Identity if the robot has not moved since the image before, or if the image does not tell.

        Args:
            depth: Along the optical axis [m], shape (H, W), without the robot itself.
            rays: Points at depth 1 in the optical frame, shape (H, W, 3).
            T_map_camera: Optical frame to map as believed, shape (4, 4).
            T_map_base: Base to map as believed, shape (4, 4).
        """
        config, before = self._config, self._last
        seen = upright_surfaces(depth, rays, T_map_camera, config)
        has_moved = True
        if before is not None:
            x, y, turned = planar_part(np.linalg.inv(before) @ T_map_base)
            way, turn = float(np.hypot(x, y)), abs(turned)
            added = [config.position_drift**2 * way] * 2 + [config.heading_drift**2 * (turn + way)]
            self._covariance = self._covariance + np.diag(added)
            has_moved = way > 1e-3 or turn > 1e-3
        found = self._align(seen, T_map_base[:2, 3]) if has_moved else np.eye(4)
        self._last = found @ T_map_base
        self._map.add(seen.moved(found))
        return found

    def save(self, path: Path) -> None:
        """Write the surfaces; a crash leaves the file that was there.

        Raises:
            OSError: If the disk refuses.
        """
        kept, temporary = self._map.surfaces, path.with_name(f".{path.name}.tmp.npz")
        np.savez_compressed(temporary, format=FORMAT, points=kept.points, normals=kept.normals)
        temporary.replace(path)

    @classmethod
    def load(cls, path: Path, config: MatchConfig = MATCHING) -> Self:
        """Read the surfaces.

        Raises:
            InvalidMapFile: If the file cannot be read.
        """
        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as content:
                version, points, normals = (content[name] for name in ("format", "points", "normals"))
        except (OSError, KeyError, ValueError, EOFError, BadZipFile) as error:
            raise InvalidMapFile(path, f"it cannot be read ({error})") from error
        if int(version) != FORMAT or points.shape != normals.shape or points.shape[1:] != (2,):
            raise InvalidMapFile(path, "its format is another")
        return cls(config, Surfaces(points, normals))

    def _align(self, seen: Surfaces, base: Array) -> Array:
        """Return the motion in map; identity if too few surfaces have partners."""
        config, certainty = self._config, np.linalg.inv(self._covariance)
        change, information = np.zeros(3), certainty
        for _ in range(config.iterations):
            here = seen.moved(about(base, change))
            distance, normals, paired = self._map.pair(here)
            if paired.sum() < config.least_pairs:
                return np.eye(4)
            arms = here.points[paired] - base - change[:2]
            turning = normals[:, 1] * arms[:, 0] - normals[:, 0] * arms[:, 1]
            slopes = np.column_stack((normals, turning)) / config.spread
            weights = 1.0 / np.sqrt(1.0 + (distance / config.width) ** 2)
            information = certainty + slopes.T @ (weights[:, None] * slopes)
            step = np.linalg.solve(
                information, slopes.T @ (weights * distance / config.spread) + certainty @ change
            )
            change = change - step
            if np.abs(step).max() < 1e-4:
                break
        if np.hypot(*change[:2]) > config.largest[0] or abs(change[2]) > config.largest[1]:
            return np.eye(4)
        self._covariance = np.linalg.inv(information)
        return about(base, change)


def surfaces_path(map_path: Path) -> Path:
    """Path of the surfaces' file beside that of the floor."""
    return map_path.with_name(f"{map_path.stem}.surfaces.npz")


def about(base: Array, change: Array) -> Array:
    """Return the motion that shifts by x, y [m] and turns around the base by an angle [rad], shape (4, 4)."""
    c, s = cos(change[2]), sin(change[2])
    T = yaw_matrix(0.0, 0.0, float(change[2]))
    T[:2, 3] = base + change[:2] - np.array([[c, -s], [s, c]]) @ base
    return T
