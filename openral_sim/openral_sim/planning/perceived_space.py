"""Space around the robot as its depth cameras saw it: voxels that rays ended in and passed through.

A box of bounded size moves along with the base. What was never seen is free for the arm, except where a piece
of furniture that is known is made of boards: only what is known to be there can be hit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_core.arrays import Mask, PlanarPose, Points, Transform, Vector3
from openral_core.geometry import yaw_matrix
from openral_core.home_map import Fixture


@dataclass(frozen=True)
class SpaceConfig:
    """Size of the voxels and how they are filled.

    Attributes:
        side: Side of a voxel [m].
        shape: Voxels along x, y and z; 4 m by 4 m by 1.8 m, 3.6 MB.
        lowest: Height from which a voxel counts [m]: below is the floor.
        follow: Distance of the base from the middle at which the box moves along [m].
        skip: Length of a ray before its end that says nothing [m]: surfaces are seen at a slant.
        hit, miss: Change of a voxel in which a ray ends, and through which one passes [1].
        most: Largest value of a voxel [1]; what leaves is gone after that many images.
        least: Smallest value of a voxel [1].
        board: Thickness of furniture's boards [m].
    """

    side: float = 0.02
    shape: tuple[int, int, int] = (200, 200, 90)
    lowest: float = 0.04
    follow: float = 0.6
    skip: float = 0.035
    hit: int = 2
    miss: int = 1
    most: int = 4
    least: int = -4
    board: float = 0.03


SPACE = SpaceConfig()


class PerceivedSpace:
    """Voxels around the robot.

    Args:
        furniture: Furniture that is known; it may be replaced at any time.
    """

    def __init__(self, furniture: Sequence[Fixture] = ()) -> None:
        self.furniture = tuple(furniture)
        self._values = np.zeros(SPACE.shape, np.int8)
        self._low: Vector3 | None = None
        self._boards = np.zeros(SPACE.shape, bool)
        self._built: tuple[Fixture, ...] = ()

    def centre_on(self, base: PlanarPose) -> None:
        """Move the box along with the base at (x, y) [m], and build what is known of new furniture."""
        half = np.array(SPACE.shape[:2]) * SPACE.side / 2
        low = np.append(np.floor((base[:2] - half) / SPACE.side) * SPACE.side, 0.0)
        if self._low is None:
            self._low = low
        elif float(np.abs(low - self._low).max()) > SPACE.follow:
            self._shift(np.rint((low - self._low) / SPACE.side).astype(int))
            self._low = low
        elif self._built is self.furniture:
            return
        self._built = self.furniture
        self._boards[:] = False
        for fixture in self._built:
            self._build(fixture)

    def add_scan(self, origin: Vector3, ends: Points, hit: Mask) -> None:
        """Fold in one depth image.

        Args:
            origin: Position of the camera in map [m], shape (3,).
            ends: Where its rays end, shape (N, 3): on a surface, or where they say nothing more.
            hit: Which of them end on a surface, shape (N,).
        """
        passed, struck = np.zeros(SPACE.shape, bool), np.zeros(SPACE.shape, bool)
        lengths = np.linalg.norm(ends - origin, axis=1)
        reach = np.maximum(lengths - SPACE.skip * hit, 0.0)
        steps = np.arange(0.05, float(reach.max(initial=0.0)), SPACE.side)
        for number in np.array_split(np.arange(len(ends)), max(1, len(ends) // 500)):
            ways = (ends[number] - origin) / np.maximum(lengths[number], 1e-9)[:, None]
            points = origin + steps[None, :, None] * ways[:, None, :]
            self._mark(passed, points[steps[None, :] < reach[number, None]])
        self._mark(struck, ends[hit & (ends[:, 2] > SPACE.lowest)])
        passed &= ~struck
        self._values[passed] = np.maximum(self._values[passed] - SPACE.miss, SPACE.least)
        self._values[struck] = np.minimum(np.maximum(self._values[struck], 0) + SPACE.hit, SPACE.most)

    def occupied(self, points: Points) -> NDArray[np.int64]:
        """Return the number of the occupied voxel in which each point of map (N, 3) lies, -1 for none."""
        cells, inside = self._cells(points)
        flat = np.ravel_multi_index(tuple(cells[inside].T), SPACE.shape)
        values = self._values.ravel()[flat]
        full = (values > 0) | ((values == 0) & self._boards.ravel()[flat])
        result = np.full(len(points), -1, np.int64)
        result[np.flatnonzero(inside)[full]] = flat[full]
        return result

    def forget(self, T_map_box: Transform, half: Vector3) -> None:
        """Make the voxels within a box unknown, such as those of an object that the hand took.

        Args:
            T_map_box: Pose of the box, shape (4, 4).
            half: Half of its extents [m], shape (3,).
        """
        self._fill(self._values, T_map_box, -half, half, 0)

    @property
    def values(self) -> NDArray[np.int8]:
        """Voxels: above 0 where rays ended, below 0 where they passed, 0 where nothing is known."""
        return self._values

    def _mark(self, cells: Mask, points: Points) -> None:
        voxels, inside = self._cells(points)
        cells[tuple(voxels[inside].T)] = True

    def _cells(self, points: Points) -> tuple[NDArray[np.int64], Mask]:
        low = np.zeros(3) if self._low is None else self._low
        cells = np.floor((points - low) / SPACE.side).astype(np.int64)
        return cells, np.asarray(((cells >= 0) & (cells < SPACE.shape)).all(axis=-1))

    def _shift(self, by: NDArray[np.int64]) -> None:
        moved = np.zeros_like(self._values)
        source = [slice(max(n, 0), size + min(n, 0)) for n, size in zip(by, SPACE.shape, strict=True)]
        target = [slice(max(-n, 0), size + min(-n, 0)) for n, size in zip(by, SPACE.shape, strict=True)]
        if all(part.start < part.stop for part in source):
            moved[tuple(target)] = self._values[tuple(source)]
        self._values = moved

    def _build(self, fixture: Fixture) -> None:
        """Fill the boards of a piece: below its surfaces, and around its container, except in front."""
        T = yaw_matrix(fixture.pose.x, fixture.pose.y, fixture.pose.yaw)
        x, y, z, board = fixture.depth / 2, fixture.width / 2, fixture.height, SPACE.board
        parts = [((*s.area.min, s.z - board), (*s.area.max, s.z)) for s in fixture.surfaces]
        if fixture.container is not None:
            parts += [
                ((-x, -y, 0.0), (x, y, board)),
                ((-x, -y, z - board), (x, y, z)),
                ((-x, -y, 0.0), (-x + board, y, z)),
                ((-x, -y, 0.0), (x, -y + board, z)),
                ((-x, y - board, 0.0), (x, y, z)),
            ]
        elif not fixture.surfaces:
            parts = [((-x, -y, 0.0), (x, y, z))]
        for low, high in parts:
            self._fill(self._boards, T, np.array(low), np.array(high), 1)

    def _fill(
        self, cells: NDArray[np.int8] | Mask, T: Transform, low: Vector3, high: Vector3, value: int
    ) -> None:
        """Set the voxels whose middle lies between two corners in the frame of a pose (4, 4) in map."""
        corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
        voxels, _ = self._cells(corners @ T[:3, :3].T + T[:3, 3])
        first, last = voxels.min(axis=0).clip(0, SPACE.shape), (voxels.max(axis=0) + 1).clip(0, SPACE.shape)
        if (first >= last).any() or self._low is None:
            return
        near = np.stack(np.meshgrid(*map(np.arange, first, last), indexing="ij"), axis=-1)
        local = (self._low + SPACE.side * (near + 0.5) - T[:3, 3]) @ T[:3, :3]
        inside = ((local >= low) & (local <= high)).all(axis=-1)
        cells[first[0] : last[0], first[1] : last[1], first[2] : last[2]][inside] = value
