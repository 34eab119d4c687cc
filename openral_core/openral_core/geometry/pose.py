"""Poses, homogeneous transforms and yaw angles; ``T_map_camera`` takes camera coordinates to map."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from openral_core.errors import OpenRALError


class InvalidGeometry(OpenRALError):
    """Numbers that do not describe a pose."""

    def __init__(self, what: str, found: object, expected: str) -> None:
        super().__init__(f"{what} {found!r} is not valid: expected {expected}")


@dataclass(frozen=True, slots=True)
class Pose:
    """Position [m] and unit quaternion (x, y, z, w) in some parent frame.

    Raises:
        InvalidGeometry: If a number is not finite or the quaternion has no direction.
    """

    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    orientation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        if len(self.position) != 3 or not all(map(math.isfinite, self.position)):
            raise InvalidGeometry("position", self.position, "three finite numbers [m]")
        norm = math.sqrt(sum(q * q for q in self.orientation))
        if len(self.orientation) != 4 or not math.isfinite(norm) or norm < 1e-6:
            raise InvalidGeometry("orientation", self.orientation, "a quaternion (x, y, z, w) of length 1")
        if abs(norm - 1.0) > 1e-9:
            x, y, z, w = (q / norm for q in self.orientation)
            object.__setattr__(self, "orientation", (x, y, z, w))

    @classmethod
    def planar(cls, x: float, y: float, yaw: float, z: float = 0.0) -> "Pose":
        """Create a pose on the floor, rotated by ``yaw`` [rad] about z."""
        return cls((x, y, z), (0.0, 0.0, math.sin(yaw / 2.0), math.cos(yaw / 2.0)))

    @classmethod
    def from_matrix(cls, T: NDArray[np.floating]) -> "Pose":
        """Create a pose from a homogeneous transform, shape (4, 4)."""
        if T.shape != (4, 4) or not np.isfinite(T).all():
            raise InvalidGeometry("transform", T.tolist(), "a finite 4x4 matrix")
        x, y, z, w = Rotation.from_matrix(T[:3, :3]).as_quat().tolist()
        return cls((float(T[0, 3]), float(T[1, 3]), float(T[2, 3])), (x, y, z, w))

    def matrix(self) -> NDArray[np.float64]:
        """Return the homogeneous transform, shape (4, 4)."""
        T = np.eye(4)
        T[:3, :3] = Rotation.from_quat(self.orientation).as_matrix()
        T[:3, 3] = self.position
        return T

    @property
    def yaw(self) -> float:
        """Rotation about the parent's z axis [rad]."""
        x, y, z, w = self.orientation
        return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))

    def distance(self, other: "Pose") -> float:
        """Distance between the positions [m]."""
        return math.dist(self.position, other.position)


def inverse(T: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverse of a rigid transform, shape (4, 4)."""
    R = T[:3, :3].T
    result = np.eye(4)
    result[:3, :3] = R
    result[:3, 3] = -R @ T[:3, 3]
    return result


def rotation_of(T: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation part, shape (3, 3)."""
    return T[:3, :3]


def transform_points(T: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Transform points (N, 3) [m] into the parent frame of ``T``, shape (N, 3)."""
    return points @ T[:3, :3].T + T[:3, 3]


def yaw_matrix(x: float, y: float, yaw: float) -> NDArray[np.float64]:
    """Return a planar pose as a homogeneous transform, shape (4, 4)."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0, x], [s, c, 0.0, y], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])


def wrap_angle(angle: float) -> float:
    """Return the same angle in [-pi, pi) [rad]."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


def angle_between(first: float, second: float) -> float:
    """Unsigned difference of two angles in [0, pi] [rad]."""
    return abs(wrap_angle(first - second))
