"""Pure-pursuit controller of the planar base."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import wrap_angle

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class DriveLimits:
    """Bounds on the base; below what its servos can do, and gentle on what it carries.

    Attributes:
        speed: Top speed in [m/s].
        turn_rate: Top turn rate in [rad/s].
        acceleration: Largest acceleration in [m/s^2].
        turn_acceleration: Largest angular acceleration in [rad/s^2].
    """

    speed: float = 0.8
    turn_rate: float = 1.5
    acceleration: float = 1.0
    turn_acceleration: float = 4.0


@dataclass(frozen=True)
class Tolerance:
    """Errors at which the base has arrived: position in [m] and heading in [rad]."""

    position: float = 0.006
    heading: float = 0.012


@dataclass(frozen=True)
class PursuitConfig:
    """Gains of the controller; tuned on the simulated base.

    Attributes:
        lookahead: Distance of the pursued point ahead on the path in [m]; about the base's radius.
        gain: Speed per remaining distance in [1/s].
        turn_gain: Turn rate per heading error in [1/s].
        goal_heading_distance: Remaining path from which the base turns to its final heading in [m].
        search_ahead: Length of path searched for the nearest point in [m], at a spacing of 1 cm.
        braking_fraction: Fraction of the acceleration limit that is planned for braking.
        turn_braking_fraction: The same for turning.
        min_heading_factor: Least slow-down factor while the base turns towards its path.
    """

    lookahead: float = 0.30
    gain: float = 3.0
    turn_gain: float = 4.0
    goal_heading_distance: float = 0.60
    search_ahead: float = 0.25
    braking_fraction: float = 0.7
    turn_braking_fraction: float = 0.6
    min_heading_factor: float = 0.05


CONFIG = PursuitConfig()


class PathFollower:
    """Follow waypoints to a final heading, facing the direction of travel until near the end."""

    def __init__(
        self,
        path: Vector,
        final_yaw: float,
        limits: DriveLimits | None = None,
        tolerance: Tolerance | None = None,
    ) -> None:
        """Follow ``path`` (waypoints in map in [m], shape (N, 2)) and end at ``final_yaw`` [rad]."""
        self._path, self._yaw = path, final_yaw
        self._limits, self._tolerance = limits or DriveLimits(), tolerance or Tolerance()
        self._lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
        self._marks = np.concatenate([[0.0], np.cumsum(self._lengths)])
        self._travelled = 0.0
        self._velocity = np.zeros(3)

    @property
    def length(self) -> float:
        """Length of the path in [m]."""
        return float(self._marks[-1])

    def remaining(self) -> float:
        """Remaining length of the path in [m]."""
        return self.length - self._travelled

    def arrived(self, pose: Vector) -> bool:
        """Return True if a base pose is at the end, within tolerance."""
        offset = float(np.linalg.norm(self._path[-1] - pose[:2]))
        turned = abs(wrap_angle(self._yaw - float(pose[2])))
        return offset < self._tolerance.position and turned < self._tolerance.heading

    def command(self, pose: Vector, dt: float) -> Vector:
        """Velocity along map's axes for the next ``dt`` [s], shape (3,)."""
        self._advance(pose[:2])
        carrot = self._point_at(self._travelled + CONFIG.lookahead)
        heading_error = wrap_angle(self._heading(pose, carrot) - float(pose[2]))
        wanted = np.append(self._translation(pose, carrot, heading_error), self._turn(heading_error))
        self._velocity = self._limited(wanted, dt)
        return self._velocity

    def _advance(self, xy: Vector) -> None:
        """Advance progress to the nearest path point ahead, never back."""
        ahead = self._travelled + np.linspace(0.0, CONFIG.search_ahead, 26)
        ahead = ahead[ahead <= self.length] if self.length > self._travelled else ahead[:1]
        distance = [float(np.linalg.norm(self._point_at(s) - xy)) for s in ahead]
        self._travelled = float(ahead[int(np.argmin(distance))]) if len(ahead) else self.length

    def _point_at(self, s: float) -> Vector:
        return np.array([np.interp(s, self._marks, self._path[:, axis]) for axis in (0, 1)])

    def _heading(self, pose: Vector, carrot: Vector) -> float:
        direction = carrot - pose[:2]
        if self.remaining() < CONFIG.goal_heading_distance or float(np.linalg.norm(direction)) < 0.05:
            return self._yaw
        return float(np.arctan2(direction[1], direction[0]))

    def _translation(self, pose: Vector, carrot: Vector, heading_error: float) -> Vector:
        offset = carrot - pose[:2]
        distance = float(np.linalg.norm(offset))
        if distance < 1e-6:
            return np.zeros(2)
        left = max(self.remaining(), distance if self.remaining() < CONFIG.lookahead else 0.0)
        braking = np.sqrt(2.0 * CONFIG.braking_fraction * self._limits.acceleration * left)
        speed = min(self._limits.speed, float(braking), CONFIG.gain * left)
        if self.remaining() > CONFIG.goal_heading_distance:
            speed *= max(CONFIG.min_heading_factor, float(np.cos(heading_error))) ** 2
        return offset / distance * speed

    def _turn(self, heading_error: float) -> float:
        braking = np.sqrt(
            2.0 * CONFIG.turn_braking_fraction * self._limits.turn_acceleration * abs(heading_error)
        )
        rate = min(self._limits.turn_rate, float(braking), CONFIG.turn_gain * abs(heading_error))
        return float(np.copysign(rate, heading_error))

    def _limited(self, wanted: Vector, dt: float) -> Vector:
        change = wanted - self._velocity
        bound = self._limits.acceleration * dt
        norm = float(np.linalg.norm(change[:2]))
        change[:2] *= min(1.0, bound / norm) if norm > 0 else 1.0
        turn_bound = self._limits.turn_acceleration * dt
        change[2] = np.clip(change[2], -turn_bound, turn_bound)
        limited: Vector = self._velocity + change
        return limited
