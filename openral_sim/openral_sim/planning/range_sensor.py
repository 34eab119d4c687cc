"""Simulated range camera. A scan is a set of points: it does not tell which body a ray hit."""

from collections.abc import Set
from dataclasses import dataclass

import mujoco
import numpy as np

from openral_core.arrays import Mask, Points, Transform, Vector3
from openral_core.geometry import transform_points

_INCLUDE_STATIC = True  # Rays also hit furniture and walls.


SIGHT_MARGIN = 0.12
"""Distance before a point within which an obstruction is taken for the object itself [m]."""


def cast_rays(
    model: mujoco.MjModel, data: mujoco.MjData, T_map_camera: Transform, window: Points, blind: Set[int]
) -> Points:
    """Measure the surfaces in a window of a camera's image.

    Args:
        T_map_camera: Pose of the optical frame (z forward) in map, shape (4, 4).
        window: Rays as image coordinates on the plane z = 1, shape (N, 2).
        blind: Bodies left out of the result, such as the robot's own hand.

    Returns:
        Hit points in map in [m], shape (M, 3).
    """
    measured = scan(model, data, T_map_camera, window, blind, mujoco.mjMAXVAL)
    hits: Points = measured.ends[measured.hit]
    return hits


@dataclass(frozen=True)
class CoarseView:
    """Rays of a depth camera, fewer than it has pixels: each image takes others.

    Attributes:
        columns, rows: Rays along both sides of the image [1].
    """

    columns: int
    rows: int

    def rays(self, fovy: float, time: float) -> Points:
        """Return the rays of an image as coordinates on the plane z = 1, shape (N, 2).

        Args:
            fovy: Vertical field of view [deg].
            time: When it is taken [s].
        """
        y = float(np.tan(np.radians(fovy / 2)))
        x = y * self.columns / self.rows
        off_x, off_y = np.random.default_rng(round(time * 1e3)).uniform(0.0, 1.0, 2)
        u = ((np.arange(self.columns) + off_x) / self.columns * 2.0 - 1.0) * x
        v = ((np.arange(self.rows) + off_y) / self.rows * 2.0 - 1.0) * y
        return np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2)


HEAD_VIEW = CoarseView(64, 48)
WRIST_VIEW = CoarseView(40, 30)


@dataclass(frozen=True)
class DepthScan:
    """One depth image of a coarse camera."""

    origin: Vector3  # Position of the camera in map [m], shape (3,).
    ends: Points  # Where the rays end, shape (N, 3).
    hit: Mask  # Which end on a surface, shape (N,); the others end at the largest range.


def scan(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    T_map_camera: Transform,
    window: Points,
    own: Set[int],
    farthest: float,
) -> DepthScan:
    """Measure a depth image; rays that end on the robot itself say nothing and are left out.

    Args:
        T_map_camera: Pose of the optical frame (z forward) in map, shape (4, 4).
        window: Rays as image coordinates on the plane z = 1, shape (N, 2).
        own: The robot's bodies and what it holds.
        farthest: Largest range [m].
    """
    rays = np.column_stack([window, np.ones(len(window))]) @ T_map_camera[:3, :3].T
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    origin = np.ascontiguousarray(T_map_camera[:3, 3])
    geoms, ranges = np.full(len(rays), -1, dtype=np.int32), np.zeros(len(rays))
    count, flat = len(rays), rays.ravel()
    mujoco.mj_multiRay(
        model, data, origin, flat, None, _INCLUDE_STATIC, -1, geoms, ranges, None, count, farthest
    )
    visible = (geoms < 0) | ~np.isin(model.geom_bodyid[geoms], list(own))
    hit = (geoms >= 0) & (ranges < farthest)
    ends = origin + rays * np.where(hit, ranges, farthest)[:, None]
    return DepthScan(origin, ends[visible], hit[visible])


def window_around(T_map_camera: Transform, point: Vector3, half_width: float, step: float) -> Points:
    """Make rays to a square around a point, ``step`` [m] apart there; shape (N, 2) on the plane z = 1."""
    T_camera_map = np.linalg.inv(T_map_camera)
    x, y, depth = transform_points(np.asarray(T_camera_map, dtype=np.float64), point[None])[0]
    offsets = np.arange(-half_width, half_width + step / 2, step)
    u, v = np.meshgrid((x + offsets) / depth, (y + offsets) / depth)
    return np.column_stack([u.ravel(), v.ravel()])


def line_of_sight(
    model: mujoco.MjModel, data: mujoco.MjData, eye: Vector3, point: Vector3, blind: Set[int]
) -> bool:
    """Return True if only ``blind`` bodies are between an eye and a point, up to 12 cm before it."""
    direction = point - eye
    distance = float(np.linalg.norm(direction))
    geom = np.full(1, -1, dtype=np.int32)
    reached = mujoco.mj_ray(model, data, eye, direction / distance, None, _INCLUDE_STATIC, -1, geom)
    clear = reached < 0 or reached > distance - SIGHT_MARGIN
    return bool(clear or int(model.geom_bodyid[geom[0]]) in blind)
