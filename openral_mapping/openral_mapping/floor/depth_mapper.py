"""Occupancy of the floor from depth images, as log-odds of obstacles in several height bands.

Each image raises the log-odds where it shows an obstacle and lowers them along its rays, both within the
height band concerned: the floor seen below a table does not clear the table top. Log-odds are clamped, so an
obstacle that leaves is forgotten after a bounded number of images however long it stood there.

Source: Moravec and Elfes (1985), "High resolution maps from wide angle sonar", for the update; Hornung et al.
(2013), "OctoMap", for the clamping and for hits that override misses of the same image.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from openral_core.arrays import Array, Array32, Mask, Transform, Vector3
from openral_core.errors import OpenRALError
from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap, check_size, small_gaps
from openral_core.home_map import Pose2
from openral_mapping.floor.robot_body import STEP

GROWTH = 64
"""Cells by which the grid grows at least on a side, so that it is rarely copied [1]."""
FORMAT = 1
"""Version of the file written by `DepthMapper.save`."""
_HOLE, _LOWEST = 0, 2
"""Intervals of height from below: a hole, the floor, the bands from `_LOWEST` on, above the robot."""


@dataclass(frozen=True)
class MapperConfig:
    """Parameters of the mapper; log-odds are natural logarithms.

    Attributes:
        resolution: Side of a cell [m]; a tenth of the diameter of a domestic robot.
        nearest: Smallest trusted depth [m].
        farthest: Largest range used [m]; beyond it, the floor is seen at too flat an angle.
        floor_tolerance: Height up to which a surface is floor [m]: thresholds and rugs.
        floor_noise: Growth of this height with the square of range [1/m], as depth errors grow.
        robot_height: Height above which nothing is an obstacle [m].
        bands: Height bands of obstacles [1]; thin, so that a ray just above a table is in the next one.
        cleared: Bands from the floor up that were seen to be empty where a cell is free [1]. The floor alone
            is no proof: it is seen below chairs whose seats are hidden.
        wall_height: Height from which an obstacle may be a wall, not a table or a bed [m].
        drop: Depth below the floor from which a surface is an obstacle, such as stairs that lead down [m].
        hit: Log-odds of an image that shows an obstacle; probability 0.7.
        miss: Log-odds of an image that sees through a cell; probability 0.4.
        lowest: Lower clamp; probability 0.12.
        highest: Upper clamp; probability 0.97.
        skim: Length before its end over which a ray does not clear the band that it ends in [m]: it skims the
            surface that it hits, such as a table top, whose next pixel is that far away at a flat angle.
        robot_radius: Radius around the base in which nothing is an obstacle [m].
        body_radius: Radius around the lines between the robot's links in which nothing is seen [m].
        largest_gap: Largest area of a gap that is taken for free floor [m^2]: unknown cells with nothing but
            free ones around, such as what the base hides from the camera where the robot was switched on.
        own_margin: Distance beyond it in which the camera may see the robot itself, so that no obstacle is
            added there [m]; a folded arm reaches a little beyond the base.
    """

    resolution: float = 0.05
    nearest: float = 0.2
    farthest: float = 5.0
    floor_tolerance: float = 0.04
    floor_noise: float = 0.005
    robot_height: float = 1.5
    bands: int = 10
    cleared: int = 4
    wall_height: float = 1.2
    drop: float = 0.15
    hit: float = 0.85
    miss: float = -0.4
    lowest: float = -2.0
    highest: float = 3.5
    skim: float = 0.5
    robot_radius: float = 0.3
    largest_gap: float = 0.075
    own_margin: float = 0.1
    body_radius: float = 0.12


CONFIG = MapperConfig()


class InvalidDepthImage(OpenRALError):
    """A depth image that does not fit its camera, or a camera pose that is not finite."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"depth image ignored: {problem}")


class InvalidMapFile(OpenRALError):
    """A file that holds no map of this mapper."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}; expected a file written by the mapper")


@dataclass(frozen=True)
class Rays:
    """Some of a camera's rays.

    Attributes:
        step: Distance between them [px].
        first: Row and column of the first one [px].
        directions: Points at depth 1 in the optical frame, shape (3, N).
        farthest: Depth of each at the largest range used [m], 0 for a pixel without a ray, shape (N,).
    """

    step: int
    first: tuple[int, int]
    directions: Array32
    farthest: Array32

    @classmethod
    def thinned(cls, rays: Array, step: int, farthest: float, phase: tuple[int, int] = (0, 0)) -> Self:
        """Take every ``step``-th pixel of rays, shape (H, W, 3), half a step later in phase 1."""
        row, column = (half * (step // 2) for half in phase)
        directions = np.ascontiguousarray(rays[row::step, column::step].reshape(-1, 3).T, np.float32)
        ranges = np.linalg.norm(directions, axis=0)
        return cls(step, (row, column), directions, np.nan_to_num(farthest / ranges).astype(np.float32))

    def select(self, depth: Array32, nearest: float) -> tuple[Array32, Array32, Array32]:
        """Return directions, depths and largest depths of the pixels whose depth is known."""
        thinned = depth[self.first[0] :: self.step, self.first[1] :: self.step].ravel()
        in_range = np.isfinite(thinned) & (thinned >= nearest) & (self.farthest > 0.0)
        return self.directions[:, in_range], thinned[in_range], self.farthest[in_range]


_RINGS = 3
"""Ranges in which free space is carved by ever fewer rays [1]: each is half of the one beyond it."""
_PHASES = ((0, 0), (1, 1), (0, 1), (1, 0))
"""Shifts of these rays by half of their distance; four images of a camera at rest leave no cell out."""


class PixelRays:
    """Rays of a camera's pixels, thinned to what cells of a resolution can tell apart.

    Args:
        rays: Points at depth 1 in the optical frame, NaN for pixels without a ray, shape (H, W, 3).
        config: Of the mapper that uses them.
    """

    def __init__(self, rays: Array, config: MapperConfig = CONFIG) -> None:
        self.shape: tuple[int, int] = (rays.shape[0], rays.shape[1])
        self.body = np.nan_to_num(rays[::STEP, ::STEP])
        spacing = np.linalg.norm(np.diff(rays, axis=1), axis=-1)
        widths = spacing[np.isfinite(spacing)]
        widest = float(np.median(widths)) * config.farthest if len(widths) else config.resolution
        self.surfaces = Rays.thinned(rays, max(1, int(0.5 * config.resolution / widest)), config.farthest)
        step = max(1, int(2.0 * config.resolution / widest))
        self.rings = tuple(
            tuple(Rays.thinned(rays, step << ring, config.farthest, phase) for ring in range(_RINGS))
            for phase in _PHASES
        )


class DepthMapper:
    """Occupancy grid in the map frame that grows with what is seen.

    Args:
        config: Its parameters.
        frame: Frame of the camera poses, and of the map.
    """

    def __init__(self, config: MapperConfig = CONFIG, frame: str = "map") -> None:
        self.config, self.frame = config, frame
        self._layers = np.zeros((config.bands, 0, 0), np.float32)
        self._first = np.zeros(2, np.int64)  # (row, column) of the first cell; cell (0, 0) begins at (0, 0) m
        self._above = config.bands + _LOWEST
        self.images = 0

    def update(
        self,
        depth: Array32,
        rays: PixelRays,
        T_map_camera: Transform,
        base: tuple[float, float] | None = None,
    ) -> None:
        """Fold in one depth image.

        Args:
            depth: Along the optical axis [m], shape (H, W); ignored where 0, negative, NaN or infinite.
                `without_body` takes the robot out of it.
            rays: Of the camera's pixels.
            T_map_camera: Optical frame to map, shape (4, 4).
            base: Position of the robot's base [m], where the floor is free.

        Raises:
            InvalidDepthImage: If image, camera and pose do not fit; the grid is unchanged.
            MapTooLarge: If the pose is too far from the rest of the map; the grid is unchanged.
        """
        if depth.shape != rays.shape:
            raise InvalidDepthImage(f"its shape is {depth.shape}, that of its camera {rays.shape}")
        if T_map_camera.shape != (4, 4) or not np.isfinite(T_map_camera).all():
            raise InvalidDepthImage("the camera's pose is not a finite 4x4 matrix")
        low, window = self._window(T_map_camera[:2, 3])
        shape = (self._above + 1, *window.shape[1:])
        surface, passed = np.zeros(shape, bool), np.zeros(shape, bool)
        self._mark_surfaces(surface, depth, rays, T_map_camera, low)
        self._mark_passed(passed, depth, rays, T_map_camera, low)
        hit, missed = surface[_LOWEST : self._above], passed[_LOWEST : self._above]
        hit[0] |= surface[_HOLE] | passed[_HOLE]
        if base is not None:
            distance = self._distance(base, low, window.shape[1])
            hit[:, distance <= self.config.robot_radius + self.config.own_margin] = False
            missed[:, distance <= self.config.robot_radius] = True
        missed &= ~hit
        window[missed] = np.maximum(window[missed] + np.float32(self.config.miss), self.config.lowest)
        window[hit] = np.minimum(window[hit] + np.float32(self.config.hit), self.config.highest)
        self.images += 1

    def floor_map(self) -> FloorMap:
        """Return the map: occupied if any band is, free if the lower bands were seen to be empty.

        Small gaps within free floor are free.
        """
        cells = np.full(self._layers.shape[1:], UNKNOWN, np.int8)
        cells[(self._layers[: self.config.cleared] < 0.0).all(axis=0)] = FREE
        cells[(self._layers > 0.0).any(axis=0)] = OCCUPIED
        cells[small_gaps(cells, round(self.config.largest_gap / self.config.resolution**2))] = FREE
        return self._as_map(cells)

    def wall_map(self) -> FloorMap:
        """Return the map of tall obstacles: what is lower than `MapperConfig.wall_height` is free."""
        cells = self.floor_map().cells
        low = self.config.wall_height - self.config.floor_tolerance
        first = math.ceil(low / (self.config.robot_height - self.config.floor_tolerance) * self.config.bands)
        is_tall = (self._layers[first:] > 0.0).any(axis=0)
        return self._as_map(np.where((cells == OCCUPIED) & ~is_tall, FREE, cells).astype(np.int8))

    def _as_map(self, cells: NDArray[np.int8]) -> FloorMap:
        row, column = self._first * self.config.resolution
        return FloorMap(cells, self.config.resolution, Pose2(x=float(column), y=float(row)), self.frame)

    def save(self, path: Path) -> None:
        """Write the grid to a file; a crash leaves the file that was there."""
        temporary = path.with_name(f".{path.name}.tmp.npz")
        np.savez_compressed(
            temporary,
            format=FORMAT,
            frame=self.frame,
            resolution=self.config.resolution,
            heights=self._heights,
            first=self._first,
            layers=self._layers.astype(np.float16),
        )
        temporary.replace(path)

    @classmethod
    def load(cls, path: Path, config: MapperConfig = CONFIG) -> Self:
        """Read a grid.

        Raises:
            InvalidMapFile: If the file cannot be read, or was written with other cells or height bands.
        """
        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as content:
                arrays = {name: content[name] for name in content.files}
            mapper = cls(config, str(arrays["frame"]))
            layers, first = arrays["layers"].astype(np.float32), arrays["first"].astype(np.int64)
            same = float(arrays["resolution"]) == config.resolution and np.array_equal(
                arrays["heights"], mapper._heights
            )
        except (OSError, KeyError, ValueError, EOFError, BadZipFile) as error:
            raise InvalidMapFile(path, f"it cannot be read ({error})") from error
        if layers.ndim != 3 or len(layers) != len(mapper._layers) or first.shape != (2,) or not same:
            raise InvalidMapFile(path, "its resolution or height bands are others")
        mapper._layers, mapper._first = np.clip(layers, config.lowest, config.highest), first
        return mapper

    @property
    def _heights(self) -> Array:
        """Numbers that layers are for: a saved map with others cannot be used."""
        return np.array([self.config.drop, self.config.floor_tolerance, self.config.robot_height])

    def _window(self, centre: Vector3) -> tuple[NDArray[np.int64], Array32]:
        """Return first cell and layers around a camera (x, y), as far as it sees; the grid grows to it."""
        reach = math.ceil(self.config.farthest / self.config.resolution) + 1
        low = np.floor(centre[::-1] / self.config.resolution).astype(np.int64) - reach
        self._grow(low, low + 2 * reach + 1)
        row, column = (low - self._first).tolist()
        return low, self._layers[:, row : row + 2 * reach + 1, column : column + 2 * reach + 1]

    def _grow(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> None:
        size = np.array(self._layers.shape[1:])
        if not size.any():
            self._first, before, after = low, np.zeros(2, np.int64), high - low
        else:
            before = np.maximum(self._first - low, 0)
            after = np.maximum(high - self._first - size, 0)
        if not (before.any() or after.any()):
            return
        before, after = (-(-change // GROWTH) * GROWTH for change in (before, after))
        rows, columns = (size + before + after).tolist()
        check_size(columns, rows)
        padding = ((0, 0), *zip(before.tolist(), after.tolist(), strict=True))
        self._layers, self._first = np.pad(self._layers, padding), self._first - before

    def _mark_surfaces(
        self, surface: Mask, depth: Array32, rays: PixelRays, T: Transform, low: NDArray[np.int64]
    ) -> None:
        """Mark the cells in which rays end, by interval of height."""
        directions, ends, farthest = rays.surfaces.select(depth, self.config.nearest)
        near = ends <= farthest
        points = directions[:, near] * ends[near]
        columns, rows, heights = self._cells(points, T, low)
        lowest = np.flatnonzero(heights == _LOWEST)
        squares = np.square(points[:, lowest]).sum(axis=0)
        rise = T[2, :3].astype(np.float32) @ points[:, lowest] + np.float32(T[2, 3])
        is_floor = rise < self.config.floor_tolerance + np.float32(self.config.floor_noise) * squares
        heights[lowest[is_floor]] = _LOWEST - 1
        surface[heights, rows, columns] = True

    def _mark_passed(
        self, passed: Mask, depth: Array32, rays: PixelRays, T: Transform, low: NDArray[np.int64]
    ) -> None:
        """Mark the cells that rays pass through before they end, by interval of height."""
        outer = self.config.farthest
        for number, ring in enumerate(rays.rings[self.images % len(_PHASES)]):
            inner = outer / 2.0 if number < _RINGS - 1 else self.config.nearest
            directions, ends, farthest = ring.select(depth, self.config.nearest)
            ends = np.minimum(ends, farthest)
            stops = ends - np.float32(1.5 * self.config.resolution)
            reaching = stops > inner
            directions, stops, ends = directions[:, reaching], stops[reaching], ends[reaching]
            if len(stops):
                span = inner, min(outer, float(stops.max()))
                self._mark_ring(passed, directions, (stops, ends), span, T, low)
            outer = inner

    def _mark_ring(
        self,
        passed: Mask,
        directions: Array32,
        depths: tuple[Array32, Array32],
        span: tuple[float, float],
        T: Transform,
        low: NDArray[np.int64],
    ) -> None:
        """Mark what rays pass through between two depths [m], up to their stops; they end at the surface."""
        stops, ends = depths
        step = self.config.resolution / float(np.linalg.norm(directions, axis=0).max())
        steps = np.arange(*span, step, dtype=np.float32)
        ray, sample = np.nonzero(steps[None, :] < stops[:, None])
        columns, rows, heights = self._cells(directions[:, ray] * steps[sample], T, low)
        band = self._cells(directions * ends, T, low)[2]
        skims = (heights == band[ray]) & (steps[sample] > ends[ray] - self.config.skim)
        passed[heights[~skims], rows[~skims], columns[~skims]] = True

    def _cells(
        self, points: Array32, T: Transform, low: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return column, row and interval of height in the window of points (3, N) in the optical frame."""
        x, y, z = T[:3, :3].astype(np.float32) @ points
        inverse = 1.0 / self.config.resolution
        columns = (x * np.float32(inverse) + np.float32(T[0, 3] * inverse - low[1])).astype(np.int32)
        rows = (y * np.float32(inverse) + np.float32(T[1, 3] * inverse - low[0])).astype(np.int32)
        floor = self.config.floor_tolerance
        bands_per_metre = self.config.bands / (self.config.robot_height - floor)
        band = np.floor((z + np.float32(T[2, 3] - floor)) * np.float32(bands_per_metre))
        heights = np.clip(band, -1, self.config.bands).astype(np.int32) + _LOWEST
        heights[z < -self.config.drop - T[2, 3]] = _HOLE
        return columns, rows, heights

    def _distance(self, centre: tuple[float, float], low: NDArray[np.int64], side: int) -> Array:
        """Return the distance of each cell of the window to the robot's base [m]."""
        x, y = ((np.arange(side) + low[axis] + 0.5) * self.config.resolution for axis in (1, 0))
        return np.asarray(np.hypot(x - centre[0], y[:, None] - centre[1]))


def load_saved_maps(path: Path) -> tuple[FloorMap, FloorMap]:
    """Load the floor map and the wall map of a file that a mapper with any parameters saved.

    Raises:
        InvalidMapFile: If the file cannot be read.
    """
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as content:
            drop, floor_tolerance, robot_height = content["heights"].tolist()
            resolution, bands = float(content["resolution"]), len(content["layers"])
    except (OSError, KeyError, ValueError, EOFError, BadZipFile) as error:
        raise InvalidMapFile(path, f"it cannot be read ({error})") from error
    config = MapperConfig(
        resolution=resolution,
        floor_tolerance=floor_tolerance,
        robot_height=robot_height,
        bands=bands,
        drop=drop,
    )
    mapper = DepthMapper.load(path, config)
    return mapper.floor_map(), mapper.wall_map()
