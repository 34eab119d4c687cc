"""What a range camera sees: rays cast from its frame, without knowing what they hit."""
# MERGED The thing on a support that a scan shows nearest to where it was expected.

from collections.abc import Set
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

from openral_core.errors import OpenRALError
from openral_core.geometry import transform_points

Vector = NDArray[np.float64]
_FURNITURE_TOO = True


def cast_rays(
    model: mujoco.MjModel, data: mujoco.MjData, T_map_camera: Vector, window: Vector, blind: Set[int]
) -> Vector:
    """Measure the surfaces in a window of a camera's image.

    Args:
        model: The scene.
        data: Its state.
        T_map_camera: Pose of the optical frame (z forward) in map, shape (4, 4).
        window: Rays as image coordinates on the plane z = 1, shape (N, 2).
        blind: Bodies left out of the result, as a robot leaves out its own hand.

    Returns:
        Hit points in map in [m], shape (M, 3).
    """
    rays = np.column_stack([window, np.ones(len(window))]) @ T_map_camera[:3, :3].T
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    geoms, ranges = np.full(len(rays), -1, dtype=np.int32), np.zeros(len(rays))
    origin = np.ascontiguousarray(T_map_camera[:3, 3])
    mujoco.mj_multiRay(
        model,
        data,
        origin,
        rays.ravel(),
        None,
        _FURNITURE_TOO,
        -1,
        geoms,
        ranges,
        None,
        len(rays),
        mujoco.mjMAXVAL,
    )
    seen = (geoms >= 0) & ~np.isin(model.geom_bodyid[geoms], list(blind))
    hits: Vector = origin + rays[seen] * ranges[seen, None]
    return hits


def window_around(T_map_camera: Vector, point: Vector, half_width: float, step: float) -> Vector:
    """Rays that cover a square around a point, ``step`` [m] apart there; shape (N, 2) on the plane z = 1."""
    T_camera_map = np.linalg.inv(T_map_camera)
    x, y, depth = transform_points(np.asarray(T_camera_map, dtype=np.float64), point[None])[0]
    offsets = np.arange(-half_width, half_width + step / 2, step)
    u, v = np.meshgrid((x + offsets) / depth, (y + offsets) / depth)
    return np.column_stack([u.ravel(), v.ravel()])


def line_of_sight(
    model: mujoco.MjModel, data: mujoco.MjData, eye: Vector, point: Vector, blind: Set[int]
) -> bool:
    """Whether nothing but ``blind`` bodies stands between an eye and a point, up to 12 cm before it."""
    direction = point - eye
    distance = float(np.linalg.norm(direction))
    geom = np.full(1, -1, dtype=np.int32)
    reached = mujoco.mj_ray(model, data, eye, direction / distance, None, _FURNITURE_TOO, -1, geom)
    clear = reached < 0 or reached > distance - 0.12
    return bool(clear or int(model.geom_bodyid[geom[0]]) in blind)


_CELL = 0.008
_LEVEL_STEP = 0.004
_ABOVE_SUPPORT = 0.010
SEARCH_RADIUS = 0.05
"""How far from the expected centre a thing's nearest side may be in [m]."""


class NoObjectFound(OpenRALError):
    """A scan shows nothing standing where something was expected."""

    def __init__(self, point: Vector, points: int) -> None:
        where = ", ".join(f"{value:.2f}" for value in point)
        super().__init__(
            f"nothing stands within {SEARCH_RADIUS * 100:.0f} cm of ({where}); the scan had {points} points"
        )


@dataclass(frozen=True)
class ObjectSegment:
    """One thing cut out of a scan.

    Attributes:
        points: Everything seen, in map in [m], shape (N, 3).
        chosen: Which of them are the thing, bool, shape (N,).
        support: Height of what it stands on in [m].
    """

    points: Vector
    chosen: NDArray[np.bool_]
    support: float

    @property
    def own_points(self) -> Vector:
        """The thing's points, shape (M, 3)."""
        return self.points[self.chosen]


def segment_object(points: Vector, expected: Vector, bottom: float) -> ObjectSegment:
    """Cut out the thing nearest to where it is expected.

    Args:
        points: A scan in map in [m], shape (N, 3).
        expected: Where the thing's centre should be, shape (3,).
        bottom: Height of the support as far as known; the scan's own level surface near it wins.

    Raises:
        NothingSeen: If nothing rises from the support near there.
    """
    support = _support_level(points, bottom)
    raised = points[:, 2] > support + _ABOVE_SUPPORT
    if not raised.any():
        raise NoObjectFound(expected, len(points))
    cells = np.floor((points[:, :2] - points[:, :2].min(axis=0)) / _CELL).astype(int)
    filled = np.zeros(cells.max(axis=0) + 1, dtype=bool)
    filled[tuple(cells[raised].T)] = True
    parts, _ = label(filled, structure=np.ones((3, 3)))
    part = np.where(raised, parts[tuple(cells.T)], 0)
    distance = np.where(raised, np.linalg.norm(points[:, :2] - expected[:2], axis=1), np.inf)
    nearest = int(distance.argmin())
    if distance[nearest] > SEARCH_RADIUS:
        raise NoObjectFound(expected, len(points))
    return ObjectSegment(points, part == part[nearest], support)


def _support_level(points: Vector, bottom: float) -> float:
    """Height of the most populated level within 6 cm of where the support should be."""
    near = points[np.abs(points[:, 2] - bottom) < 0.06, 2]
    if len(near) < 20:
        return bottom
    levels = np.round(near / _LEVEL_STEP).astype(int)
    values, counts = np.unique(levels, return_counts=True)
    return float(np.median(near[levels == values[counts.argmax()]]))
