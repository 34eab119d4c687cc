"""Planar poses, rectangles and boxes, all in [m] and [rad]."""

from math import cos, sin
from typing import Annotated

from pydantic import AfterValidator, FiniteFloat

from openral_core.documents import Document

Point2 = tuple[FiniteFloat, FiniteFloat]
Point3 = tuple[FiniteFloat, FiniteFloat, FiniteFloat]


class Pose2(Document):
    """A planar pose: position [m] and heading [rad], counter-clockwise from +x."""

    x: FiniteFloat
    y: FiniteFloat
    yaw: FiniteFloat = 0.0

    def to_parent(self, x: float, y: float) -> tuple[float, float]:
        """A point of this pose's frame, in the frame the pose is given in [m]."""
        c, s = cos(self.yaw), sin(self.yaw)
        return self.x + c * x - s * y, self.y + s * x + c * y

    def to_local(self, x: float, y: float) -> tuple[float, float]:
        """A point of the parent frame, in this pose's own frame [m]."""
        c, s = cos(self.yaw), sin(self.yaw)
        dx, dy = x - self.x, y - self.y
        return c * dx + s * dy, -s * dx + c * dy


class Rectangle(Document):
    """An axis-aligned rectangle between two corners [m]."""

    min: Point2
    max: Point2

    def contains(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Whether a point lies inside, at least `margin` [m] from the edge."""
        return all(
            lo + margin <= value <= hi - margin
            for value, lo, hi in zip((x, y), self.min, self.max, strict=True)
        )


class Box(Document):
    """An axis-aligned box between two corners [m]."""

    min: Point3
    max: Point3

    def contains(self, x: float, y: float, z: float) -> bool:
        """Whether a point lies inside."""
        return all(lo <= value <= hi for value, lo, hi in zip((x, y, z), self.min, self.max, strict=True))


def _polygon(points: tuple[Point2, ...]) -> tuple[Point2, ...]:
    if len(points) < 3:
        raise ValueError(f"a polygon needs at least 3 corners, found {len(points)}")
    return points


Polygon = Annotated[tuple[Point2, ...], AfterValidator(_polygon)]
