"""Homogeneous transforms; ``T_map_camera`` takes camera coordinates to map."""

import numpy as np
from numpy.typing import NDArray


def inverse(T: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse of a rigid transform, shape (4, 4)."""
    R = T[:3, :3].T
    result = np.eye(4)
    result[:3, :3] = R
    result[:3, 3] = -R @ T[:3, 3]
    return result


def rotation_of(T: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rotation part, shape (3, 3)."""
    return T[:3, :3]


def transform_points(T: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (N, 3) [m] taken into the transform's parent frame, shape (N, 3)."""
    return points @ T[:3, :3].T + T[:3, 3]


def yaw_matrix(x: float, y: float, yaw: float) -> NDArray[np.float64]:
    """A planar pose as a homogeneous transform, shape (4, 4)."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0, x], [s, c, 0.0, y], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
