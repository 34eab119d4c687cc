"""Directions a hand can come from, and how it then points."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
_DOWNWARD, _LEVEL = 1.2, 0.15
_EVERY_TURN = tuple(np.arange(12) * np.pi / 12)


@dataclass(frozen=True)
class ApproachDirection:
    """A direction to come from.

    Attributes:
        name: What it is called.
        R_map_approach: Columns u (finger travel at yaw 0), v, and w (against the approach), shape (3, 3).
        yaws: Turns of the fingers about w to consider in [rad].
    """

    name: str
    R_map_approach: Vector
    yaws: tuple[float, ...]

    @property
    def is_level(self) -> bool:
        """Whether the hand does not come down at all."""
        return bool(self.R_map_approach[2, 2] < np.sin(_LEVEL))

    @property
    def is_aslant(self) -> bool:
        """Whether the hand comes down, but not straight."""
        return not self.is_level and bool(self.R_map_approach[2, 2] < np.sin(_DOWNWARD))


def top_down(turn: float) -> ApproachDirection:
    """Straight down; ``turn`` [rad] is the heading of the fingers' travel at yaw 0."""
    c, s = np.cos(turn), np.sin(turn)
    R = np.column_stack([(c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)])
    return ApproachDirection("from above", R, _EVERY_TURN)


def frontal(heading: float) -> ApproachDirection:
    """Level, along ``heading`` [rad] in map; the fingers travel sideways."""
    return ApproachDirection("from the front", _along(heading, 0.0), (0.0,))


def oblique(heading: float, pitch: float) -> ApproachDirection:
    """Down by ``pitch`` [rad] below level, along ``heading`` [rad] in map."""
    return ApproachDirection("from aslant", _along(heading, pitch), _EVERY_TURN)


def _along(heading: float, pitch: float) -> Vector:
    c, s, cp, sp = np.cos(heading), np.sin(heading), np.cos(pitch), np.sin(pitch)
    return np.column_stack([(s, -c, 0.0), (sp * c, sp * s, cp), (-cp * c, -cp * s, sp)])


@dataclass(frozen=True)
class HandOrientation:
    """How a hand points, whatever its heading.

    Attributes:
        pitch: How far below level in [rad].
        roll: Turn about where it points in [rad], 0 where the fingers travel sideways, thumb side up.
    """

    pitch: float
    roll: float

    @classmethod
    def of(cls, R_map_hand: Vector) -> "HandOrientation":
        """That of a hand's orientation, shape (3, 3)."""
        x, y, z = R_map_hand[:, 2]
        pitch = float(np.arcsin(np.clip(-z, -1.0, 1.0)))
        unrolled = _hand(_along(float(np.arctan2(y, x)), pitch))
        c, s, _ = unrolled.T @ R_map_hand[:, 0]
        return cls(pitch, float(np.arctan2(s, c)))

    @property
    def is_downward(self) -> bool:
        """Whether it points to the floor."""
        return self.pitch > _DOWNWARD

    @property
    def is_level(self) -> bool:
        """Whether it points level, the fingers beside each other."""
        return max(abs(self.pitch), abs(self.roll)) < _LEVEL

    def axes(self, heading: float) -> Vector:
        """Orientation of a hand that points so along a heading [rad] in map, shape (3, 3)."""
        c, s = np.cos(self.roll), np.sin(self.roll)
        rolled: Vector = _hand(_along(heading, self.pitch)) @ [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
        return rolled


def hand_axes(approach: ApproachDirection) -> Vector:
    """Orientation of the grasp site that comes along an approach, shape (3, 3)."""
    return _hand(approach.R_map_approach)


def _hand(R_map_approach: Vector) -> Vector:
    u, v, w = R_map_approach.T
    return np.column_stack([v, u, -w])


def mirrored(T_map_grasp: Vector) -> Vector:
    """The same grasp with the hand turned half around its approach."""
    return T_map_grasp @ np.diag([-1.0, -1.0, 1.0, 1.0])


def wrist_rotations(T_map_grasp: Vector) -> tuple[Vector, ...]:
    """How the hand can take one grasp: either way round, but level only as it can carry it upright."""
    is_level = HandOrientation.of(T_map_grasp[:3, :3]).is_level
    return (T_map_grasp,) if is_level else (T_map_grasp, mirrored(T_map_grasp))


def pregrasp_pose(T_map_grasp: Vector, distance: float) -> Vector:
    """A pose moved back against its approach by ``distance`` [m]."""
    T = T_map_grasp.copy()
    T[:3, 3] -= distance * T[:3, 2]
    return T
