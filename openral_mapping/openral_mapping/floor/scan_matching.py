"""Correction of a drifting pose by aligning the upright surfaces of depth images with those seen before.

Walls, fronts and sides of furniture are kept as points on the floor plan with the direction that they face. A
new image is moved until its surfaces lie in those of the same direction, measured across them alone: along a
wall nothing pulls, the two sides of a thin wall are never taken for each other, and what is new has no
partner. The pose is held to the odometry by its covariance, which grows with the way and shrinks in the
directions that an image decides.

If from one image to the next the surfaces lose their partners, the pose has jumped: a wheel slipped, or the
robot was pushed. It is then searched for around where it seems to be, and nothing is learned until it is
found.

Source: Censi (2008), "An ICP variant using a point-to-line metric"; Thrun, Burgard and Fox (2005),
"Probabilistic Robotics", extended Kalman filter.
"""

from dataclasses import dataclass
from math import cos, sin
from pathlib import Path
from typing import Self
from zipfile import BadZipFile

import numpy as np

from openral_core.arrays import Array, Array32, Transform
from openral_core.geometry import planar_part, yaw_matrix
from openral_mapping.floor.depth_mapper import InvalidMapFile
from openral_mapping.floor.surfaces import SURFACES, SurfaceMap, UprightSurfaces, upright_surfaces

FORMAT = 1
"""Version of the file [1]."""


@dataclass(frozen=True)
class MatchConfig:
    """Parameters of the matching.

    Attributes:
        width: Distance from which an error counts less than its square [m].
        iterations: Largest number of pairings per image [1].
        least_pairs: Pairs from which an image is used [1].
        spread: Standard deviation of a surface's distance [m]: large, since neighbouring points err alike.
        position_drift, heading_drift: Standard deviation that the odometry adds per root of a metre [m] and
            of a radian [rad]; a metre turns the robot as well.
        unsure: Standard deviation of the pose in a map of an earlier visit [m], [rad].
        largest: Largest correction of one image [m], [rad].
        recognised, lost: Share of an image's surfaces with a partner from which the pose is right, and below
            which it has jumped if it was right one image before [1].
        same_view: Motion of the camera up to which two images show mostly the same [m], [rad].
        search, search_step: Half extent and spacing of the poses that are tried after a jump [m], [rad].
        search_points, search_best: UprightSurfaces and best poses used in the search [1].
        unique: Difference by which the best pose surpasses all that are elsewhere [1].
        patience: Images after a jump until the best pose counts although others are as good, or the odometry
            if there is none [1]; 3 s at 5 Hz.
    """

    width: float = 0.05
    iterations: int = 12
    least_pairs: int = 20
    spread: float = 0.1
    position_drift: float = 0.02
    heading_drift: float = 0.02
    unsure: tuple[float, float] = (0.1, 0.05)
    largest: tuple[float, float] = (0.2, 0.15)
    recognised: float = 0.7
    lost: float = 0.45
    same_view: tuple[float, float] = (1.0, 0.6)
    search: tuple[float, float] = (1.0, 0.5)
    search_step: tuple[float, float] = (0.25, 0.125)
    search_points: int = 120
    search_best: int = 8
    unique: float = 0.04
    patience: int = 15


MATCHING = MatchConfig()


class ScanMatcher:
    """Matches depth images with the surfaces of those before.

    Args:
        config: Parameters.
        earlier: UprightSurfaces of an earlier visit, in the same map.
    """

    def __init__(self, config: MatchConfig = MATCHING, earlier: UprightSurfaces | None = None) -> None:
        self._config = config
        self._map = SurfaceMap()
        if earlier is not None:
            self._map.add(earlier)
        self._last: Transform | None = None
        # In a known map, the first image has to fit as well.
        self._share, self._lost_for = float(earlier is not None), 0
        self._camera: Transform | None = None
        spread = 1e-3 if earlier is None else config.unsure[0]
        turned = 1e-3 if earlier is None else config.unsure[1]
        self._covariance = np.diag(np.square([spread, spread, turned]))

    def known_share(self, depth: Array32, rays: Array, T_map_camera: Transform) -> float:
        """Return the share of an image's surfaces that have a partner if it was taken from this pose [1]."""
        surfaces = upright_surfaces(depth, rays, T_map_camera)
        return float(self._map.pair(surfaces)[2].mean()) if len(surfaces.points) else 0.0

    @property
    def surfaces(self) -> UprightSurfaces:
        """Surfaces of the map."""
        return self._map.surfaces

    @property
    def is_lost(self) -> bool:
        """True after a jump of the pose, until it was found again: images then belong nowhere."""
        return self._lost_for > 0

    def correction(
        self, depth: Array32, rays: Array, T_map_camera: Transform, T_map_base: Transform
    ) -> Transform:
        """Return the motion (4, 4) in map that brings the robot from where it seems to be to where it is.

        Identity if the robot has not moved since the image before, or if the image does not tell.

        Args:
            depth: Along the optical axis [m], shape (H, W), without the robot itself.
            rays: Points at depth 1 in the optical frame, shape (H, W, 3).
            T_map_camera: Optical frame to map as believed, shape (4, 4).
            T_map_base: Base to map as believed, shape (4, 4).
        """
        config, before = self._config, self._last
        surfaces = upright_surfaces(depth, rays, T_map_camera)
        has_moved = True
        if before is not None:
            x, y, turned = planar_part(np.linalg.inv(before) @ T_map_base)
            way, turn = float(np.hypot(x, y)), abs(turned)
            added = [config.position_drift**2 * way] * 2 + [config.heading_drift**2 * (turn + way)]
            self._covariance = self._covariance + np.diag(added)
            has_moved = way > 1e-3 or turn > 1e-3
        motion = self._align(surfaces, T_map_base[:2, 3]) if has_moved else np.eye(4)
        share = self._share_of(surfaces.moved(motion))
        tells = len(surfaces.points) >= config.least_pairs
        if tells and (self.is_lost or self._has_jumped(share, T_map_camera)):
            motion, share = self._search(surfaces, T_map_base[:2, 3], share)
        if tells:
            self._camera, self._share = motion @ T_map_camera, share
        self._last = motion @ T_map_base
        if not self.is_lost:
            self._map.add(surfaces.moved(motion))
        return motion

    def save(self, path: Path) -> None:
        """Write the surfaces; a crash leaves the file that was there.

        Raises:
            OSError: If the disk refuses.
        """
        surfaces, temporary = self.surfaces, path.with_name(f".{path.name}.tmp.npz")
        np.savez_compressed(temporary, format=FORMAT, points=surfaces.points, normals=surfaces.normals)
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
        return cls(config, UprightSurfaces(points, normals))

    def _align(self, surfaces: UprightSurfaces, base: Array) -> Transform:
        """Return the motion in map; identity if too few surfaces have partners."""
        fit = self._fit(surfaces, base, np.zeros(3), np.linalg.inv(self._covariance))
        if fit is None:
            return np.eye(4)
        change, information = fit
        largest = self._config.largest
        if np.hypot(*change[:2]) > largest[0] or abs(change[2]) > largest[1]:
            return np.eye(4)
        self._covariance = np.linalg.inv(information)
        return about(base, change)

    def _fit(
        self, surfaces: UprightSurfaces, base: Array, change: Array, certainty: Array
    ) -> tuple[Array, Array] | None:
        """Return the change (x, y, angle) and its information; None if too few surfaces have partners.

        Args:
            surfaces: Surfaces as believed.
            base: Position of the base as believed, shape (2,).
            change: Where to begin, shape (3,).
            certainty: Information on which the belief rests, shape (3, 3).
        """
        config, information = self._config, certainty
        for _ in range(config.iterations):
            here = surfaces.moved(about(base, change))
            distance, normals, paired = self._map.pair(here)
            if paired.sum() < config.least_pairs:
                return None
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
        return change, information

    def _share_of(self, surfaces: UprightSurfaces) -> float:
        """Return the share of an image's surfaces that lie in one of the map [1]."""
        distance, _, _ = self._map.pair(surfaces)
        return float((np.abs(distance) < self._config.width).sum()) / max(len(surfaces.points), 1)

    def _has_jumped(self, share: float, T_map_camera: Transform) -> bool:
        config, before = self._config, T_map_camera if self._camera is None else self._camera
        moved = np.linalg.inv(before) @ T_map_camera
        turned = float(np.arccos(np.clip((np.trace(moved[:3, :3]) - 1.0) / 2.0, -1.0, 1.0)))
        same = np.linalg.norm(moved[:3, 3]) < config.same_view[0] and turned < config.same_view[1]
        return bool(same and self._share >= config.recognised and share < config.lost)

    def _search(self, surfaces: UprightSurfaces, base: Array, share: float) -> tuple[Transform, float]:
        """Search for the pose; return the motion in map and its share, identity while it is not certain."""
        config, self._lost_for = self._config, self._lost_for + 1
        least = np.diag(1.0 / np.square([config.search[0], config.search[0], config.search[1]]))
        fits = [self._fit(surfaces, base, change, least) for change in self._candidates(surfaces, base)]
        ranked = sorted(
            (
                (self._closeness(surfaces.moved(about(base, fit[0]))), number, fit)
                for number, fit in enumerate(fits)
                if fit is not None and self._decides(fit[1])
            ),
            reverse=True,
        )
        tired = self._lost_for > config.patience
        if ranked and (tired or self._is_unique(ranked)):
            _, _, (change, information) = ranked[0]
            best = self._share_of(surfaces.moved(about(base, change)))
            if best >= config.recognised:
                self._lost_for, self._covariance = 0, np.linalg.inv(information)
                return about(base, change), best
        if share >= config.recognised or tired:
            self._lost_for = 0
        return np.eye(4), share

    def _closeness(self, surfaces: UprightSurfaces) -> float:
        """Return 1 if all surfaces lie exactly in those of the map, 0 if none has a partner."""
        distance, _, _ = self._map.pair(surfaces)
        sharp = self._config.width / 2
        return float((1.0 / (1.0 + (distance / sharp) ** 2)).sum()) / max(len(surfaces.points), 1)

    def _decides(self, information: Array) -> bool:
        """Return True if an image decides the pose in all directions."""
        spread = np.sqrt(np.diag(np.linalg.inv(information)))
        return bool(spread[:2].max() < self._config.unsure[0] and spread[2] < self._config.unsure[1])

    def _candidates(self, surfaces: UprightSurfaces, base: Array) -> Array:
        """Return the changes (N, 3) around the belief at which most surfaces have a partner."""
        config = self._config
        steps = [np.arange(-end, end + step / 2, step) for end, step in zip(*self._spans, strict=True)]
        changes = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 3)
        chosen = np.linspace(0, len(surfaces.points) - 1, min(len(surfaces.points), config.search_points))
        few = UprightSurfaces(surfaces.points[chosen.astype(int)], surfaces.normals[chosen.astype(int)])
        scores = [self._map.pair(few.moved(about(base, change)))[2].mean() for change in changes]
        return np.asarray(changes[np.argsort(scores)[::-1][: config.search_best]])

    @property
    def _spans(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        (way, turn), (step, turn_step) = self._config.search, self._config.search_step
        return (way, way, turn), (step, step, turn_step)

    def _is_unique(self, fits: list[tuple[float, int, tuple[Array, Array]]]) -> bool:
        """Return True if the first pose surpasses all that are elsewhere."""
        closeness, _, (best, _) = fits[0]
        config = self._config
        elsewhere = (
            other
            for other, _, (change, _) in fits[1:]
            if np.hypot(*(change - best)[:2]) > SURFACES.reach or abs(change[2] - best[2]) > config.largest[1]
        )
        return max(elsewhere, default=0.0) < closeness - config.unique


def surfaces_path(map_path: Path) -> Path:
    """Path of the surfaces' file beside that of the floor."""
    return map_path.with_name(f"{map_path.stem}.surfaces.npz")


def about(base: Array, change: Array) -> Transform:
    """Return the motion that shifts by x, y [m] and turns around the base by an angle [rad], shape (4, 4)."""
    c, s = cos(change[2]), sin(change[2])
    T = yaw_matrix(0.0, 0.0, float(change[2]))
    T[:2, 3] = base + change[:2] - np.array([[c, -s], [s, c]]) @ base
    return T
