"""A fixture of a built world."""

from dataclasses import dataclass

from openral_core.maps import Container, Fixture, Pose2, Rectangle, Surface
from openral_sim.furniture import Door


@dataclass(frozen=True)
class WorldFurniture:
    """A fixture of the map, and the names of its body, geoms and doors in the model."""

    fixture: Fixture
    body: str
    geoms: tuple[str, ...]
    doors: tuple[Door, ...]

    @property
    def id(self) -> str:
        """Its id in the map."""
        return self.fixture.id

    @property
    def kind(self) -> str:
        """What kind of furniture it is."""
        return self.fixture.kind

    @property
    def phrase(self) -> str:
        """What it is called."""
        return self.fixture.name

    @property
    def aliases(self) -> tuple[str, ...]:
        """What else it is called."""
        return self.fixture.aliases

    @property
    def room(self) -> str:
        """The id of its room."""
        return self.fixture.room

    @property
    def pose(self) -> Pose2:
        """Its frame in the map frame."""
        return self.fixture.pose

    @property
    def footprint(self) -> Rectangle:
        """The floor it covers, in its own frame [m]."""
        return self.fixture.footprint

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """Where things can lie, in its own frame."""
        return self.fixture.surfaces

    @property
    def container(self) -> Container | None:
        """The volume inside it, in its own frame."""
        return self.fixture.container

    @property
    def occludes_contents(self) -> bool:
        """Whether it hides what is inside while shut."""
        return self.fixture.container is not None and self.fixture.container.occludes_contents
