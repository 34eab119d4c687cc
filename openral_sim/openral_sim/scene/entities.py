"""A fixture of a built world."""
# MERGED An object of a built world.
# MERGED A person of a built world.

from dataclasses import dataclass

from openral_core.home_map import Container, Fixture, Pose2, Rectangle, Surface
from openral_sim.assets.furniture.builder import FurnitureDoor


@dataclass(frozen=True)
class WorldFurniture:
    """A fixture of the map, and the names of its body, geoms and doors in the model."""

    fixture: Fixture
    body: str
    geoms: tuple[str, ...]
    doors: tuple[FurnitureDoor, ...]

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


@dataclass(frozen=True)
class WorldObject:
    """A movable object and its names in the model.

    Attributes:
        phrase: What it is called, colour first: "red mug".
        body: Its body, which has a free joint of the same name; frame at mid height on its axis.
        geoms: All its geoms, seen and hidden.
        size: Extent along its body's x, y, z [m], without a handle.
        graspable: Whether an 8 cm parallel gripper can take it.
    """

    id: str
    kind: str
    phrase: str
    body: str
    geoms: tuple[str, ...]
    size: tuple[float, float, float]
    graspable: bool


@dataclass(frozen=True)
class WorldPerson:
    """A person: who, where in the map frame, and the names of body, geoms and palm site in the model."""

    id: str
    name: str
    pose: Pose2
    body: str
    geoms: tuple[str, ...]
    hand_site: str
