"""Kinematics of hinged doors, drawers and sliding doors, and of base poses that move with them."""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import wrap_angle

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Hinge:
    """A vertical hinge.

    Attributes:
        joint: Name of the joint in the model.
        side: +1 if it opens counter-clockwise seen from above, -1 if clockwise.
        T_map_closed: Pose of the closed door in map, origin on the hinge, shape (4, 4).
    """

    joint: str
    side: float
    T_map_closed: Vector

    def T_map_door(self, angle: float) -> Vector:
        """Pose of the door in map at an angle in [rad], shape (4, 4)."""
        T: Vector = self.T_map_closed @ _rotation(self.side * angle)
        return T

    def normal(self, angle: float) -> Vector:
        """Direction out of the door's front in map, shape (3,)."""
        return self.T_map_door(angle)[:3, 0]

    def moved_with(self, pose: Vector, by: float) -> Vector:
        """Turn a base pose (x, y, yaw) about the hinge with the door by ``by`` [rad], shape (3,)."""
        turn, pivot = self.side * by, self.T_map_closed[:2, 3]
        c, s = np.cos(turn), np.sin(turn)
        x, y = pivot + np.array([[c, -s], [s, c]]) @ (pose[:2] - pivot)
        return np.array([x, y, wrap_angle(float(pose[2]) + turn)])

    def velocity(self, pose: Vector, rate: float) -> Vector:
        """Velocity of a pose that turns at ``rate`` [rad/s] with the door, along map's axes, shape (3,)."""
        x, y = pose[:2] - self.T_map_closed[:2, 3]
        return self.side * rate * np.array([-y, x, 1.0])


def hinge_of(model: mujoco.MjModel, data: mujoco.MjData, body: str, joint: str) -> Hinge:
    """Read the hinge of a door from the model."""
    index = model.joint(joint).id
    side, angle = float(np.sign(model.jnt_axis[index, 2])), float(data.joint(joint).qpos[0])
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = data.body(body).xmat.reshape(3, 3), data.body(body).xpos
    return Hinge(joint, side, T @ _rotation(-side * angle))


def _rotation(angle: float) -> Vector:
    T = np.eye(4)
    T[0, 0] = T[1, 1] = np.cos(angle)
    T[1, 0], T[0, 1] = np.sin(angle), -np.sin(angle)
    return T


@dataclass(frozen=True)
class Slide:
    """A horizontal rail.

    Attributes:
        joint: Name of the joint in the model.
        axis: Direction in which it opens in map, shape (3,).
        T_map_closed: Pose of the closed door in map, x out of its front, shape (4, 4).
    """

    joint: str
    axis: Vector
    T_map_closed: Vector

    @property
    def along_normal(self) -> bool:
        """True if it opens out of its front, as a drawer does."""
        return float(self.axis @ self.T_map_closed[:3, 0]) > 0.7

    def T_map_door(self, distance: float) -> Vector:
        """Pose of the door in map at a distance in [m], shape (4, 4)."""
        T = self.T_map_closed.copy()
        T[:3, 3] += distance * self.axis
        return T

    def normal(self, distance: float) -> Vector:
        """Direction out of the door's front in map, shape (3,)."""
        return self.T_map_closed[:3, 0]

    def moved_with(self, pose: Vector, by: float) -> Vector:
        """Move a base pose (x, y, yaw) with the door by ``by`` [m], shape (3,)."""
        return pose + by * np.array([self.axis[0], self.axis[1], 0.0])

    def velocity(self, pose: Vector, rate: float) -> Vector:
        """Velocity of a pose that moves at ``rate`` [m/s] with the door, along map's axes, shape (3,)."""
        return rate * np.array([self.axis[0], self.axis[1], 0.0])


def slide_of(model: mujoco.MjModel, data: mujoco.MjData, body: str, joint: str) -> Slide:
    """Read the rail of a drawer or a sliding door from the model."""
    R, at = data.body(body).xmat.reshape(3, 3), float(data.joint(joint).qpos[0])
    axis: Vector = R @ model.jnt_axis[model.joint(joint).id]
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, data.body(body).xpos - at * axis
    return Slide(joint, axis, T)
