"""Entities of a built world: furniture, objects and people, with their names in the model."""

from dataclasses import dataclass

from openral_core.home_map import Container, Fixture, Pose2, Rectangle, Surface
from openral_sim.assets.furniture.builder import FurnitureAppliance, FurnitureDoor


@dataclass(frozen=True)
class WorldFurniture:
    """A fixture of the map, and the names of its body, geoms, doors and appliances in the model."""

    fixture: Fixture
    body: str
    geoms: tuple[str, ...]
    doors: tuple[FurnitureDoor, ...]
    appliances: tuple[FurnitureAppliance, ...] = ()

    @property
    def id(self) -> str:
        """Id in the map."""
        return self.fixture.id

    @property
    def kind(self) -> str:
        """Kind of furniture."""
        return self.fixture.kind

    @property
    def phrase(self) -> str:
        """Name in natural language."""
        return self.fixture.name

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names in natural language."""
        return self.fixture.aliases

    @property
    def room(self) -> str:
        """Id of its room."""
        return self.fixture.room

    @property
    def pose(self) -> Pose2:
        """Pose of its frame in the map frame."""
        return self.fixture.pose

    @property
    def footprint(self) -> Rectangle:
        """Floor it covers, in its own frame [m]."""
        return self.fixture.footprint

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """Surfaces that objects can lie on, in its own frame."""
        return self.fixture.surfaces

    @property
    def container(self) -> Container | None:
        """Volume inside it, in its own frame; None if it encloses nothing."""
        return self.fixture.container

    @property
    def occludes_contents(self) -> bool:
        """True if it hides its contents while closed."""
        return self.fixture.container is not None and self.fixture.container.occludes_contents


@dataclass(frozen=True)
class WorldObject:
    """A movable object and its names in the model."""

    id: str
    kind: str
    phrase: str  # Name in natural language, colour first: "red mug".
    body: str  # Name of its body, which has a free joint of the same name; frame at mid height on its axis.
    geoms: tuple[str, ...]  # Names of all its geoms, visual and collision.
    size: tuple[float, float, float]  # Extent along its body's x, y, z [m], without a handle.
    graspable: bool  # True if an 8 cm parallel gripper can grasp it.


@dataclass(frozen=True)
class WorldPerson:
    """A person, their pose in the map frame, and the names of body, geoms and palm site in the model."""

    id: str
    name: str
    pose: Pose2
    body: str
    geoms: tuple[str, ...]
    hand_site: str
