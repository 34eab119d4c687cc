"""Furniture that does not move: its body, the surfaces things lie on, the volume it may hide."""

from typing import Literal

from pydantic import PositiveFloat, model_validator

from openral_core.documents import Document
from openral_core.maps.geometry import Box, Pose2, Rectangle

_LEFT_INSIDE = 0.08
"""How much of a drawer its chest keeps in [m]."""


class Surface(Document):
    """A horizontal area things lie on, in the fixture's frame [m]."""

    id: str
    z: float
    area: Rectangle


Opens = Literal["hinge", "aside", "out"]
"""How a container opens: a door that turns, a door that slides aside, a drawer that is drawn out."""


class Container(Document):
    """The volume inside a fixture, in its frame [m]; occluding ones must be opened to be seen into."""

    interior: Box
    occludes_contents: bool
    opens: Opens = "hinge"

    @property
    def drawn(self) -> float:
        """How far what it holds comes out with it when it is wide open [m]; 0 for what has a door."""
        depth = self.interior.max[0] - self.interior.min[0]
        return max(0.0, depth - _LEFT_INSIDE) if self.opens == "out" else 0.0


class Fixture(Document):
    """A piece of furniture; its frame lies on the floor at the footprint's centre, x out of its front."""

    id: str
    kind: str
    name: str
    aliases: tuple[str, ...] = ()
    room: str
    pose: Pose2
    depth: PositiveFloat
    width: PositiveFloat
    height: PositiveFloat
    surfaces: tuple[Surface, ...] = ()
    container: Container | None = None

    @property
    def footprint(self) -> Rectangle:
        """The floor it stands on, in its own frame [m]."""
        x, y = self.depth / 2, self.width / 2
        return Rectangle(min=(-x, -y), max=(x, y))

    def surface(self, surface_id: str) -> Surface:
        """The surface of that id.

        Raises:
            KeyError: If this fixture has none of that id.
        """
        return {surface.id: surface for surface in self.surfaces}[surface_id]

    @model_validator(mode="after")
    def _surfaces_lie_within(self) -> "Fixture":
        for surface in self.surfaces:
            corners = (surface.area.min, surface.area.max)
            if not all(self.footprint.contains(*corner, margin=-1e-6) for corner in corners):
                raise ValueError(f"surface '{surface.id}' reaches outside the footprint of '{self.id}'")
            if not 0 <= surface.z <= self.height:
                raise ValueError(f"surface '{surface.id}' is not between 0 and {self.height} m high")
        return self
