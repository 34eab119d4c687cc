"""Footprint of a long object, and whether it lies free on a surface."""

from dataclasses import dataclass

import mujoco
import numpy as np

from openral_core.arrays import Points, Vector2, Vector3
from openral_sim.planning.surface_rays import RAYS, surfaces_under

LONG = 1.5
"""Ratio of the sides from which a footprint is long [1]; a shorter one is treated as a disc."""


@dataclass(frozen=True)
class ObjectFootprint:
    """Rectangle about the origin of an object, along its x and y axes."""

    half_sides: Vector2  # Half of its length along each axis in [m], shape (2,).

    @property
    def radius(self) -> float:
        """Radius of a disc that contains it lengthwise in [m]."""
        return float(self.half_sides.max())

    @property
    def half_width(self) -> float:
        """Half of its shorter side in [m]."""
        return float(self.half_sides.min())

    @property
    def is_long(self) -> bool:
        """True if its yaw matters."""
        return self.radius > LONG * self.half_width

    def points(self, middle: Vector3, yaw: float, margin: float) -> Points:
        """Grid over the rectangle and a margin in [m] around it, turned by a yaw, in map, shape (N, 2)."""
        sides = (
            np.linspace(-half - margin, half + margin, int(2 * (half + margin) / RAYS.cell) + 2)
            for half in self.half_sides
        )
        local = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)
        c, s = np.cos(yaw), np.sin(yaw)
        turned: Points = local @ np.array([[c, s], [-s, c]]) + middle[:2]
        return turned


def lies_free(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    points: Points,
    level: float,
    headroom: float,
    own_bodies: frozenset[int],
) -> bool:
    """Return True if the uppermost surface under some points, shape (N, 2), is level and at a height.

    Args:
        points: Points in map in [m].
        level: Height of the surface in [m].
        headroom: Height above it from which the surface is looked for in [m].
        own_bodies: Bodies to look through, such as the robot's.
    """
    for x, y in points:
        below = next(surfaces_under(model, data, np.array([x, y, level + headroom]), own_bodies), None)
        if below is None or abs(below[0] - level) > RAYS.flatness:
            return False
    return True
