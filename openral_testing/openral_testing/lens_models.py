"""Forward lens models written out from their definitions, and rays by Newton's method: truth for a lift.

Nothing here is shared with the code under test, which calls OpenCV.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from openral_core.arrays import Array, Points

Distort = Callable[[Array, tuple[float, ...]], Array]


def brown_conrady(plane: Points, coefficients: tuple[float, ...]) -> Array:
    """Distort points at depth 1 (N, 2) by k1, k2, p1, p2, k3, k4 to k6, s1 to s4, tau_x, tau_y.

    Source: Brown 1966 with the rational, thin prism and tilted sensor terms of OpenCV's calib3d.
    """
    k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4, tx, ty = (*coefficients, *(0.0,) * 14)[:14]
    x, y = plane.T
    r2 = x * x + y * y
    radial = (1 + r2 * (k1 + r2 * (k2 + r2 * k3))) / (1 + r2 * (k4 + r2 * (k5 + r2 * k6)))
    u = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x) + s1 * r2 + s2 * r2 * r2
    v = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y + s3 * r2 + s4 * r2 * r2
    return _tilted(np.column_stack((u, v)), tx, ty)


def _tilted(plane: Points, tau_x: float, tau_y: float) -> Array:
    """Project the image onto a sensor tilted by two angles [rad]."""
    cx, sx, cy, sy = np.cos(tau_x), np.sin(tau_x), np.cos(tau_y), np.sin(tau_y)
    R = np.array([[cy, 0, -sy], [0, 1, 0], [sy, 0, cy]]) @ np.array([[1, 0, 0], [0, cx, sx], [0, -sx, cx]])
    project = np.array([[R[2, 2], 0, -R[0, 2]], [0, R[2, 2], -R[1, 2]], [0, 0, 1]])
    tilted = np.column_stack((plane, np.ones(len(plane)))) @ (project @ R).T
    return np.asarray(tilted[:, :2] / tilted[:, 2:])


def kannala_brandt(angles: Array, coefficients: tuple[float, ...]) -> Array:
    """Distort angles off the axis (N,) [rad] to radii. Source: Kannala and Brandt 2006, odd polynomial."""
    powers = angles[:, None] ** np.arange(3, 11, 2)
    return np.asarray(angles + powers @ np.array((*coefficients, 0.0, 0.0, 0.0, 0.0)[:4]))


@dataclass(frozen=True)
class Lens:
    """Lens of a camera.

    Args:
        focal: [px].
        size: Of the sensor [px].
        coefficients: In the order of sensor_msgs/CameraInfo.
        model: Distortion model of sensor_msgs/CameraInfo.
    """

    focal: float
    size: tuple[int, int]
    coefficients: tuple[float, ...] = ()
    model: str = "plumb_bob"
    K: Array = field(init=False)

    def __post_init__(self) -> None:
        (width, height), off = self.size, (3.0, -2.0)
        K = [[self.focal, 0.0, width / 2 + off[0]], [0.0, self.focal, height / 2 + off[1]], [0.0, 0.0, 1.0]]
        object.__setattr__(self, "K", np.array(K))

    def directions(self, pixels: Points) -> Points:
        """Return the unit vectors (N, 3) that pixels (N, 2) look along; NaN if none is within 85 degrees."""
        plane = (pixels - self.K[:2, 2]) / self.focal
        if self.model == "equidistant":
            return _fisheye_directions(plane, self.coefficients)
        rays = np.column_stack((_inverse(brown_conrady, plane, self.coefficients), np.ones(len(plane))))
        return np.asarray(rays / np.linalg.norm(rays, axis=1, keepdims=True))


def _inverse(distort: Distort, target: Array, coefficients: tuple[float, ...]) -> Array:
    """Solve ``distort(plane) = target`` by Newton's method with a numerical Jacobian; NaN if it fails."""
    plane, step = target.copy(), 1e-6
    right, down = np.array([step, 0.0]), np.array([0.0, step])
    for _ in range(12):
        missing = distort(plane, coefficients) - target
        along_x = (distort(plane + right, coefficients) - target - missing) / step
        along_y = (distort(plane + down, coefficients) - target - missing) / step
        determinant = along_x[:, 0] * along_y[:, 1] - along_x[:, 1] * along_y[:, 0]
        dx = missing[:, 0] * along_y[:, 1] - missing[:, 1] * along_y[:, 0]
        dy = along_x[:, 0] * missing[:, 1] - along_x[:, 1] * missing[:, 0]
        plane = plane - np.column_stack((dx, dy)) / determinant[:, None]
    solved = np.abs(distort(plane, coefficients) - target).max(axis=1, keepdims=True) < 1e-9
    return np.where(solved, plane, np.nan)


def _fisheye_directions(plane: Points, coefficients: tuple[float, ...]) -> Array:
    radius = np.linalg.norm(plane, axis=1)
    angles = np.minimum(radius, 1.4)
    for _ in range(20):
        slope = (kannala_brandt(angles + 1e-6, coefficients) - kannala_brandt(angles, coefficients)) / 1e-6
        angles = angles - (kannala_brandt(angles, coefficients) - radius) / slope
    solved = (np.abs(kannala_brandt(angles, coefficients) - radius) < 1e-9) & (angles < np.deg2rad(85.0))
    outward = plane / np.maximum(radius, 1e-12)[:, None] * np.sin(angles)[:, None]
    directions = np.column_stack((outward, np.cos(angles)))
    return np.where(solved[:, None], directions, np.nan)
