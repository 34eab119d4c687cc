"""Approach directions of the hand and the orientations that follow from them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from openral_core.arrays import Rotation, Transform, Vector3

DOWNWARD_PITCH = 1.2
"""Pitch from which a hand counts as pointing down [rad]; 20 degrees short of vertical."""
LEVEL_PITCH = 0.15
"""Pitch and roll up to which a hand counts as level [rad]; 9 degrees, so that a full cup does not spill."""
_YAWS = tuple(np.arange(12) * np.pi / 12)
"""Rotations of the fingers to sample [rad]; every 15 degrees over half a turn, the gripper is symmetric."""

_TURNS = tuple(np.arange(8) * np.pi / 4)
"""Rotations of a hand that points down to try [rad]."""
_HEADINGS = (0.0, 0.4, -0.4, 0.75, -0.75)
"""Deviations of a level hand from its heading to try [rad], the preferred first."""


@dataclass(frozen=True)
class ApproachDirection:
    """A direction that the hand approaches from."""

    name: str  # Its name in messages and evidence.
    # Columns u (finger travel at yaw 0), v, and w (against the approach), shape (3, 3).
    R_map_approach: Rotation
    yaws: tuple[float, ...]  # Rotations of the fingers about w to sample in [rad].

    @property
    def is_level(self) -> bool:
        """True if the hand does not come down at all."""
        return bool(self.R_map_approach[2, 2] < np.sin(LEVEL_PITCH))

    @property
    def is_oblique(self) -> bool:
        """True if the hand comes down, but not vertically."""
        return not self.is_level and bool(self.R_map_approach[2, 2] < np.sin(DOWNWARD_PITCH))


def top_down(turn: float) -> ApproachDirection:
    """Approach straight down; ``turn`` [rad] is the heading of the fingers' travel at yaw 0."""
    c, s = np.cos(turn), np.sin(turn)
    R = np.column_stack([(c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)])
    return ApproachDirection("from above", R, _YAWS)


def frontal(heading: float) -> ApproachDirection:
    """Approach level along ``heading`` [rad] in map; the fingers travel sideways."""
    return ApproachDirection("from the front", _along(heading, 0.0), (0.0,))


def oblique(heading: float, pitch: float) -> ApproachDirection:
    """Approach ``pitch`` [rad] below level along ``heading`` [rad] in map."""
    return ApproachDirection("obliquely", _along(heading, pitch), _YAWS)


def _along(heading: float, pitch: float) -> Vector3:
    c, s, cp, sp = np.cos(heading), np.sin(heading), np.cos(pitch), np.sin(pitch)
    return np.column_stack([(s, -c, 0.0), (sp * c, sp * s, cp), (-cp * c, -cp * s, sp)])


@dataclass(frozen=True)
class HandOrientation:
    """Orientation of a hand relative to its heading."""

    pitch: float  # Angle below level in [rad].
    roll: float  # Rotation about the approach axis in [rad]; 0 where the fingers travel sideways.

    @classmethod
    def of(cls, R_map_hand: Rotation) -> "HandOrientation":
        """Extract it from a hand's rotation matrix, shape (3, 3)."""
        x, y, z = R_map_hand[:, 2]
        pitch = float(np.arcsin(np.clip(-z, -1.0, 1.0)))
        unrolled = _hand(_along(float(np.arctan2(y, x)), pitch))
        c, s, _ = unrolled.T @ R_map_hand[:, 0]
        return cls(pitch, float(np.arctan2(s, c)))

    @property
    def is_downward(self) -> bool:
        """True if it points to the floor."""
        return self.pitch > DOWNWARD_PITCH

    @property
    def is_level(self) -> bool:
        """True if it points level with the fingers side by side."""
        return max(abs(self.pitch), abs(self.roll)) < LEVEL_PITCH

    def axes(self, heading: float) -> Rotation:
        """Rotation matrix of such a hand along a heading [rad] in map, shape (3, 3)."""
        c, s = np.cos(self.roll), np.sin(self.roll)
        rolled: Rotation = _hand(_along(heading, self.pitch)) @ [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
        return rolled


def orientations_like(orientation: HandOrientation, heading: float) -> Iterator[tuple[str, Rotation]]:
    """List hand orientations that keep an object as upright as when it was grasped, and their names.

    Those along ``heading`` [rad] in map come first. Each is a rotation matrix, shape (3, 3).
    """
    if orientation.is_downward:
        for turn in sorted(_TURNS, key=lambda turn: abs(turn - np.pi)):
            yield "from above", hand_axes(top_down(heading + turn))
        return
    for turn in _HEADINGS:
        yield "from the side" if turn else "from the front", orientation.axes(heading + turn)


def hand_axes(approach: ApproachDirection) -> Rotation:
    """Orientation of the grasp site along an approach, shape (3, 3)."""
    return _hand(approach.R_map_approach)


def _hand(R_map_approach: Rotation) -> Rotation:
    u, v, w = R_map_approach.T
    return np.column_stack([v, u, -w])


def mirrored(T_map_grasp: Transform) -> Transform:
    """Return the same grasp with the hand turned by half a turn about its approach."""
    return T_map_grasp @ np.diag([-1.0, -1.0, 1.0, 1.0])


def wrist_rotations(T_map_grasp: Transform) -> tuple[Transform, ...]:
    """Equivalent hand poses of one grasp: both ways round, a level one only as it can be carried upright."""
    is_level = HandOrientation.of(T_map_grasp[:3, :3]).is_level
    return (T_map_grasp,) if is_level else (T_map_grasp, mirrored(T_map_grasp))


def pregrasp_pose(T_map_grasp: Transform, distance: float) -> Transform:
    """Return a grasp pose moved back along its approach by ``distance`` [m]."""
    T = T_map_grasp.copy()
    T[:3, 3] -= distance * T[:3, 2]
    return T
