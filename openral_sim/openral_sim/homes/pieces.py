"""Furniture a home is drawn from: fixtures that have no place yet."""

from functools import cache

from pydantic import NonNegativeFloat, PositiveFloat

from openral_core.documents import Document
from openral_core.maps import Container, Fixture, Pose2, Rectangle, Surface
from openral_sim.homes.data import load_entries
from openral_sim.materials import LookName
from openral_sim.scenes.styles import Side


class Companion(Document):
    """A piece that goes with another, `at` a pose in the other's frame."""

    piece: str
    at: Pose2


class Piece(Document):
    """A fixture without its place.

    Attributes:
        kind: What builds it.
        size: Depth, width and height in [m].
        free: Floor kept free before its front in [m].
        beside: How much wider than the piece that floor is, to the side its door opens to, in [m];
            half of that to the other side.
        standoff: From its front to where the robot stands in [m]; 0 for one nobody stands before.
        hinge: The side its door is hinged on or slides to; drawn when not given.
        looks: Pairs of main and accent, one of which is drawn; none for a companion that takes the piece's.
        books: The ids of surfaces that are filled with books.
    """

    kind: str
    name: str
    aliases: tuple[str, ...] = ()
    size: tuple[PositiveFloat, PositiveFloat, PositiveFloat]
    surfaces: tuple[Surface, ...] = ()
    container: Container | None = None
    free: NonNegativeFloat = 0.0
    beside: NonNegativeFloat = 0.0
    standoff: NonNegativeFloat = 0.0
    hinge: Side | None = None
    looks: tuple[tuple[LookName, LookName], ...] = ()
    companions: tuple[Companion, ...] = ()
    books: tuple[str, ...] = ()

    @property
    def footprint(self) -> Rectangle:
        """The floor it stands on, in its own frame."""
        x, y = self.size[0] / 2, self.size[1] / 2
        return Rectangle(min=(-x, -y), max=(x, y))

    def kept_free(self, hinge: Side) -> Rectangle:
        """The floor before its front that nothing may stand on, in its own frame."""
        x, y = self.size[0] / 2, self.size[1] / 2
        less = self.beside / 2
        left, right = (self.beside, less) if hinge == "right" else (less, self.beside)
        return Rectangle(min=(x, -y - right), max=(x + self.free, y + left))

    def fixture(self, fixture_id: str, name: str, room: str, pose: Pose2) -> Fixture:
        """The fixture it is in a room."""
        depth, width, height = self.size
        return Fixture(
            id=fixture_id,
            kind=self.kind,
            name=name,
            aliases=self.aliases,
            room=room,
            pose=pose,
            depth=depth,
            width=width,
            height=height,
            surfaces=self.surfaces,
            container=self.container,
        )


@cache
def pieces() -> dict[str, Piece]:
    """Every piece by name."""
    return load_entries("pieces.yaml", Piece)
