"""How a drawer or a sliding door, and whatever moves with it, lies at a distance."""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Slide:
    """A level rail.

    Attributes:
        joint: Its name in the model.
        axis: Direction in which it opens in map, shape (3,).
        T_map_shut: Pose of the door at distance 0 in map, x out of its front, shape (4, 4).
    """

    joint: str
    axis: Vector
    T_map_shut: Vector

    @property
    def along_normal(self) -> bool:
        """Whether it comes out towards whoever opens it, as a drawer does."""
        return float(self.axis @ self.T_map_shut[:3, 0]) > 0.7

    def T_map_door(self, distance: float) -> Vector:
        """Pose of the door in map at a distance in [m], shape (4, 4)."""
        T = self.T_map_shut.copy()
        T[:3, 3] += distance * self.axis
        return T

    def normal(self, distance: float) -> Vector:
        """Direction out of the door's front in map, shape (3,)."""
        return self.T_map_shut[:3, 0]

    def carried(self, pose: Vector, by: float) -> Vector:
        """A base pose (x, y, yaw) moved with the door by ``by`` [m], shape (3,)."""
        return pose + by * np.array([self.axis[0], self.axis[1], 0.0])

    def velocity(self, pose: Vector, rate: float) -> Vector:
        """Velocity of a pose that moves at ``rate`` [m/s] with the door, along map's axes, shape (3,)."""
        return rate * np.array([self.axis[0], self.axis[1], 0.0])


def slide_of(model: mujoco.MjModel, data: mujoco.MjData, body: str, joint: str) -> Slide:
    """The rail that a drawer or a sliding door runs on."""
    R, at = data.body(body).xmat.reshape(3, 3), float(data.joint(joint).qpos[0])
    axis: Vector = R @ model.jnt_axis[model.joint(joint).id]
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, data.body(body).xpos - at * axis
    return Slide(joint, axis, T)
