"""Walls, and the doorways in them."""

from math import hypot

from pydantic import PositiveFloat, model_validator

from openral_core.documents import Document
from openral_core.maps.geometry import Point2
from openral_sim.materials import LookName


class Opening(Document):
    """A doorway: distance of its near side along the wall, width and height in [m]."""

    at: PositiveFloat
    width: PositiveFloat
    height: PositiveFloat = 2.1


class Wall(Document):
    """A straight wall about the line between two map points [m], with at most one doorway."""

    id: str
    start: Point2
    end: Point2
    look: LookName
    height: PositiveFloat = 2.5
    thickness: PositiveFloat = 0.1
    opening: Opening | None = None

    @property
    def length(self) -> float:
        """Length of the wall [m]."""
        return hypot(self.end[0] - self.start[0], self.end[1] - self.start[1])

    @model_validator(mode="after")
    def _opening_fits(self) -> "Wall":
        if self.opening is not None and self.opening.at + self.opening.width >= self.length:
            raise ValueError(f"the opening of wall '{self.id}' reaches past its {self.length:.2f} m")
        return self
