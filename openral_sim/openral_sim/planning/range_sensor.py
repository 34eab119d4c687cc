"""Simulated range camera. A scan is a set of points: it does not tell which body a ray hit."""

from collections.abc import Set

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import transform_points

Vector = NDArray[np.float64]
_INCLUDE_STATIC = True  # Rays also hit furniture and walls.


SIGHT_MARGIN = 0.12
"""Distance before a point within which an obstruction is taken for the object itself [m]."""


def cast_rays(
    model: mujoco.MjModel, data: mujoco.MjData, T_map_camera: Vector, window: Vector, blind: Set[int]
) -> Vector:
    """Measure the surfaces in a window of a camera's image.

    Args:
        model: The scene.
        data: Its state.
        T_map_camera: Pose of the optical frame (z forward) in map, shape (4, 4).
        window: Rays as image coordinates on the plane z = 1, shape (N, 2).
        blind: Bodies left out of the result, such as the robot's own hand.

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
        _INCLUDE_STATIC,
        -1,
        geoms,
        ranges,
        None,
        len(rays),
        mujoco.mjMAXVAL,
    )
    hit = (geoms >= 0) & ~np.isin(model.geom_bodyid[geoms], list(blind))
    hits: Vector = origin + rays[hit] * ranges[hit, None]
    return hits


def window_around(T_map_camera: Vector, point: Vector, half_width: float, step: float) -> Vector:
    """Make rays to a square around a point, ``step`` [m] apart there; shape (N, 2) on the plane z = 1."""
    T_camera_map = np.linalg.inv(T_map_camera)
    x, y, depth = transform_points(np.asarray(T_camera_map, dtype=np.float64), point[None])[0]
    offsets = np.arange(-half_width, half_width + step / 2, step)
    u, v = np.meshgrid((x + offsets) / depth, (y + offsets) / depth)
    return np.column_stack([u.ravel(), v.ravel()])


def line_of_sight(
    model: mujoco.MjModel, data: mujoco.MjData, eye: Vector, point: Vector, blind: Set[int]
) -> bool:
    """Return True if only ``blind`` bodies are between an eye and a point, up to 12 cm before it."""
    direction = point - eye
    distance = float(np.linalg.norm(direction))
    geom = np.full(1, -1, dtype=np.int32)
    reached = mujoco.mj_ray(model, data, eye, direction / distance, None, _INCLUDE_STATIC, -1, geom)
    clear = reached < 0 or reached > distance - SIGHT_MARGIN
    return bool(clear or int(model.geom_bodyid[geom[0]]) in blind)
