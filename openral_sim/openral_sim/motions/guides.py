"""What a door or drawer moves along: a hinge it turns about or a rail it slides on."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class Guide(Protocol):
    """How a door, and whatever moves with it, lies at an opening: [rad] of a hinge, [m] of a slide."""

    @property
    def rate(self) -> float:
        """Top speed to move it at in [rad/s] or [m/s]."""

    @property
    def step(self) -> float:
        """How finely to look at its way in [rad] or [m]."""

    @property
    def lag(self) -> float:
        """How far it may fall behind the hand in [rad] or [m]."""

    def T_map_door(self, opening: float) -> Vector:
        """Pose of the door in map, shape (4, 4)."""

    def normal(self, opening: float) -> Vector:
        """Direction out of the door's front in map, shape (3,)."""

    def carried(self, pose: Vector, by: float) -> Vector:
        """A base pose (x, y, yaw) moved along with the door, shape (3,)."""

    def velocity(self, pose: Vector, rate: float) -> Vector:
        """Velocity of a base pose that moves with the door, along map's axes, shape (3,)."""

    def words(self, opening: float) -> str:
        """An opening in words."""
