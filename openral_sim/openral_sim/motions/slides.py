"""How a drawer or sliding door, and whatever moves with it, lies when it is drawn."""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Slide:
    """A straight, level rail.

    Attributes:
        joint: Its name in the model.
        axis: Direction it opens along in map, shape (3,).
        T_map_shut: Pose of what slides on it when shut, in map, shape (4, 4).
        rate: Top speed to move it at in [m/s].
        step: How finely to look at its way in [m].
        lag: How far it may fall behind the hand in [m].
    """

    joint: str
    axis: Vector
    T_map_shut: Vector
    rate: float = 0.12
    step: float = 0.05
    lag: float = 0.05

    def T_map_door(self, drawn: float) -> Vector:
        """Pose in map when drawn by so many [m], shape (4, 4)."""
        T: Vector = self.T_map_shut.copy()
        T[:3, 3] += drawn * self.axis
        return T

    def normal(self, drawn: float) -> Vector:
        """Direction out of its front in map, the same all along the rail, shape (3,)."""
        return self.T_map_door(drawn)[:3, 0]

    def carried(self, pose: Vector, by: float) -> Vector:
        """A base pose (x, y, yaw) moved along the rail by so many [m], shape (3,)."""
        return pose + by * np.array([self.axis[0], self.axis[1], 0.0])

    def velocity(self, pose: Vector, rate: float) -> Vector:
        """Velocity of a base pose that moves along at ``rate`` [m/s], in map's axes, shape (3,)."""
        return rate * np.array([self.axis[0], self.axis[1], 0.0 * pose[2]])

    def words(self, drawn: float) -> str:
        """How far it is drawn, in words."""
        return f"{100 * drawn:.0f} cm"


def slide_of(data: mujoco.MjData, body: str, joint: str) -> Slide:
    """The rail that a body slides on."""
    axis = np.array(data.joint(joint).xaxis)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = data.body(body).xmat.reshape(3, 3), data.body(body).xpos
    T[:3, 3] -= float(data.joint(joint).qpos[0]) * axis
    return Slide(joint, axis, T)
