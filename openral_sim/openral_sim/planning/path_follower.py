"""Velocities that carry the planar base along a path."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import wrap_angle

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class DriveLimits:
    """Bounds on the base: speeds in [m/s] and [rad/s], accelerations in [m/s^2] and [rad/s^2]."""

    speed: float = 0.8
    turn_rate: float = 1.5
    acceleration: float = 1.0
    turn_acceleration: float = 4.0


@dataclass(frozen=True)
class Tolerance:
    """When the base has arrived: position in [m] and heading in [rad]."""

    position: float = 0.006
    heading: float = 0.012


class PathFollower:
    """Follows corner points to a final heading; faces the way it goes, turns to the goal at its end."""

    _LOOKAHEAD = 0.30
    _GAIN = 3.0
    _FACE_GOAL_WITHIN = 0.60

    def __init__(
        self,
        path: Vector,
        final_yaw: float,
        limits: DriveLimits | None = None,
        tolerance: Tolerance | None = None,
    ) -> None:
        """Follow ``path`` (corner points in map in [m], shape (N, 2)) and end at ``final_yaw`` [rad]."""
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
        """What is left of the path in [m]."""
        return self.length - self._travelled

    def arrived(self, pose: Vector) -> bool:
        """Whether a base pose is at the end, within tolerance."""
        offset = float(np.linalg.norm(self._path[-1] - pose[:2]))
        turned = abs(wrap_angle(self._yaw - float(pose[2])))
        return offset < self._tolerance.position and turned < self._tolerance.heading

    def command(self, pose: Vector, dt: float) -> Vector:
        """Velocity along map's axes for the next ``dt`` [s], shape (3,)."""
        self._advance(pose[:2])
        carrot = self._point_at(self._travelled + self._LOOKAHEAD)
        heading_error = wrap_angle(self._heading(pose, carrot) - float(pose[2]))
        wanted = np.append(self._translation(pose, carrot, heading_error), self._turn(heading_error))
        self._velocity = self._limited(wanted, dt)
        return self._velocity

    def _advance(self, xy: Vector) -> None:
        """Move the mark of progress to the nearest path point ahead, never back."""
        ahead = self._travelled + np.linspace(0.0, 0.25, 26)
        ahead = ahead[ahead <= self.length] if self.length > self._travelled else ahead[:1]
        distance = [float(np.linalg.norm(self._point_at(s) - xy)) for s in ahead]
        self._travelled = float(ahead[int(np.argmin(distance))]) if len(ahead) else self.length

    def _point_at(self, s: float) -> Vector:
        return np.array([np.interp(s, self._marks, self._path[:, axis]) for axis in (0, 1)])

    def _heading(self, pose: Vector, carrot: Vector) -> float:
        direction = carrot - pose[:2]
        if self.remaining() < self._FACE_GOAL_WITHIN or float(np.linalg.norm(direction)) < 0.05:
            return self._yaw
        return float(np.arctan2(direction[1], direction[0]))

    def _translation(self, pose: Vector, carrot: Vector, heading_error: float) -> Vector:
        offset = carrot - pose[:2]
        distance = float(np.linalg.norm(offset))
        if distance < 1e-6:
            return np.zeros(2)
        left = max(self.remaining(), distance if self.remaining() < self._LOOKAHEAD else 0.0)
        braking = np.sqrt(2.0 * 0.7 * self._limits.acceleration * left)
        speed = min(self._limits.speed, float(braking), self._GAIN * left)
        if self.remaining() > self._FACE_GOAL_WITHIN:
            speed *= max(0.05, float(np.cos(heading_error))) ** 2
        return offset / distance * speed

    def _turn(self, heading_error: float) -> float:
        braking = np.sqrt(2.0 * 0.6 * self._limits.turn_acceleration * abs(heading_error))
        rate = min(self._limits.turn_rate, float(braking), 4.0 * abs(heading_error))
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
