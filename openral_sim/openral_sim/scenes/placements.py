"""Where an object lies at the start, and by how much that is drawn at random."""

from math import cos, pi, sin

import numpy as np
from pydantic import NonNegativeFloat

from openral_core.documents import Document
from openral_core.maps import Pose2
from openral_core.maps.geometry import Point2
from openral_sim.objects import ColourName, ObjectKindName


class Jitter(Document):
    """Uniform spread around a placement: each axis +-xy [m], heading +-yaw [rad]."""

    xy: NonNegativeFloat = 0.0
    yaw: NonNegativeFloat = 0.0


class Placement(Document):
    """An object on a surface of a fixture, in the fixture's frame: x [m] towards its front, y to its left."""

    id: str
    kind: ObjectKindName
    colour: ColourName | None = None
    fixture: str
    surface: str
    at: Point2
    yaw: float = 0.0
    jitter: Jitter = Jitter()

    def draw(self, rng: np.random.Generator) -> Pose2:
        """A pose in the fixture's frame; the same generator state gives the same pose."""
        dx, dy, turn = rng.uniform(-1.0, 1.0, 3)
        return Pose2(
            x=self.at[0] + dx * self.jitter.xy,
            y=self.at[1] + dy * self.jitter.xy,
            yaw=self.yaw + turn * self.jitter.yaw,
        )


def yaw_quaternion(yaw: float) -> tuple[float, float, float, float]:
    """A turn about z as a quaternion (w, x, y, z)."""
    half = (yaw % (2 * pi)) / 2
    return cos(half), 0.0, 0.0, sin(half)
