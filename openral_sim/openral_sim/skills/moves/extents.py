"""How far a body reaches, from its geoms' bounding boxes."""

import mujoco
import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
_CORNERS = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T


def extent(model: mujoco.MjModel, body: int) -> tuple[Vector, Vector]:
    """Low and high corner of what collides of a body, in its own frame in [m], each shape (3,)."""
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    solid = [geom for geom in range(first, first + count) if model.geom_contype[geom]]
    corners = np.vstack([_corners(model, geom) for geom in solid])
    return corners.min(axis=0), corners.max(axis=0)


def _corners(model: mujoco.MjModel, geom: int) -> Vector:
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.geom_quat[geom])
    centre, half = model.geom_aabb[geom].reshape(2, 3)
    corners: Vector = (centre + _CORNERS * half) @ R.reshape(3, 3).T + model.geom_pos[geom]
    return corners
