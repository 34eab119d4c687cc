"""The pose that the simulated robot believes to have: odometry that drifts, and the map's correction of it.

World is the frame of the simulation, map the one that the robot knows. They are one frame unless the odometry
drifts; then poses that enter or leave the simulation go through `Localisation`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import cos, hypot, sin, sqrt

import numpy as np

from openral_core.arrays import PlanarPose, Transform, Vector2
from openral_core.geometry import inverse, planar_part, wrap_angle, yaw_matrix


class DriftName(StrEnum):
    """Names of the shipped errors of odometry."""

    OFF = "off"
    MILD = "mild"


@dataclass(frozen=True)
class DriftModel:
    """Errors of wheel odometry; constant ones are drawn once per robot with these standard deviations."""

    distance: float  # Error of a distance as a fraction of it [1].
    turn: float  # Error of an angle as a fraction of it [1].
    veer: float  # Turn that is not noticed per distance [rad/m].
    # Random error of the position after one metre [m]; it grows with the root of the way.
    distance_noise: float
    turn_noise: float  # Random error of the heading after one radian [rad]; it grows likewise.


DRIFTS: Mapping[DriftName, DriftModel | None] = {
    DriftName.OFF: None,
    DriftName.MILD: DriftModel(0.01, 0.01, 0.005, 0.005, 0.005),
}
"""Shipped errors. ``mild`` is a base with good wheels on a hard floor, without a gyroscope."""


class Localisation:
    """Belief of the robot about its pose.

    Args:
        base: True pose of the base (x, y, yaw) [m, rad], where world, odom and map coincide.
        drift: Errors of the odometry; None: it has none.
        seed: Of these errors.

    Attributes:
        T_map_odom: Correction by a localiser, shape (4, 4).
    """

    def __init__(self, base: PlanarPose, drift: DriftModel | None = None, seed: int = 0) -> None:
        self._drift, self._rng = drift, np.random.default_rng([seed, 0x0D0])
        self._true, self._odometry = base.astype(float).copy(), base.astype(float).copy()
        self._bias = self._rng.normal(size=3) * (
            (drift.distance, drift.turn, drift.veer) if drift else (0.0, 0.0, 0.0)
        )
        self.T_map_odom: Transform = np.eye(4)

    @property
    def drifts(self) -> bool:
        """True if map and world may differ."""
        return self._drift is not None

    def advance(self, base: PlanarPose) -> None:
        """Integrate the motion up to the true pose of the base (x, y, yaw) [m, rad]."""
        if self._drift is None:
            self._true = self._odometry = base
            return
        turned = wrap_angle(float(base[2] - self._true[2]))
        moved = rotated(base[:2] - self._true[:2], -float(self._true[2]))
        self._true = base.astype(float).copy()
        way = hypot(*moved)
        noise = self._rng.normal(size=3)
        moved = moved * (1.0 + self._bias[0]) + noise[:2] * self._drift.distance_noise * sqrt(way)
        turned *= 1.0 + self._bias[1]
        turned += self._bias[2] * way + noise[2] * self._drift.turn_noise * sqrt(abs(turned))
        x, y = self._odometry[:2] + rotated(moved, float(self._odometry[2]))
        self._odometry = np.array([x, y, wrap_angle(float(self._odometry[2]) + turned)])

    def slip(self, x: float, y: float, yaw: float) -> None:
        """Have the odometry jump, in the frame of the base [m, rad], as of wheels that slipped."""
        x, y = self._odometry[:2] + rotated(np.array([x, y]), float(self._odometry[2]))
        self._odometry = np.array([x, y, wrap_angle(float(self._odometry[2]) + yaw)])

    @property
    def T_odom_base(self) -> Transform:
        """Pose of the base by odometry alone, shape (4, 4)."""
        return yaw_matrix(*self._odometry)

    @property
    def T_odom_world(self) -> Transform:
        """World to the frame of the odometry, shape (4, 4)."""
        if self._drift is None:
            return np.eye(4)
        return np.asarray(self.T_odom_base @ inverse(yaw_matrix(*self._true)))

    @property
    def T_map_world(self) -> Transform:
        """World to map as the robot believes it now, shape (4, 4)."""
        return np.asarray(self.T_map_odom @ self.T_odom_world)

    @property
    def T_world_map(self) -> Transform:
        """Map to world, the inverse."""
        return inverse(self.T_map_world)

    def correct(self, T_map_map: Transform) -> None:
        """Move the robot in the map, shape (4, 4): from where it was believed to be, to where it is."""
        self.T_map_odom = T_map_map @ self.T_map_odom

    @property
    def error(self) -> tuple[float, float]:
        """Distance [m] and angle [rad] between believed and true pose, if world and map began as one."""
        believed = self.T_map_odom @ self.T_odom_base
        x, y, angle = planar_part(inverse(yaw_matrix(*self._true)) @ believed)
        return hypot(x, y), abs(angle)


def rotated(vector: Vector2, angle: float) -> Vector2:
    """Rotate a vector (2,) by an angle [rad]."""
    c, s = cos(angle), sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])
