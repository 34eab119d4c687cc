"""YAML document of a scene: appearances, walls, lights, cameras, and the objects' initial placements."""

from math import atan2, cos, hypot, sin

import numpy as np
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt, model_validator

from openral_core.documents import Document
from openral_core.home_map import Point2, Point3, Pose2
from openral_sim.assets.furniture.builder import FurnitureStyle
from openral_sim.assets.materials import AppearanceName
from openral_sim.assets.objects.builder import ColourName
from openral_sim.assets.objects.catalogue import ObjectKindName
from openral_sim.assets.people import PersonStyle


class Walk(Document):
    """Way of a person over points of the map [m], at a speed [m/s].

    They set out at the time ``start`` [s], stay for ``pause`` [s] at each point, and begin again if it is a
    ``loop``.
    """

    path: tuple[Point2, ...] = Field(min_length=1, max_length=1000)
    speed: float = Field(default=0.6, gt=0.0, le=3.0)
    start: NonNegativeFloat = 0.0
    pause: NonNegativeFloat = 0.0
    loop: bool = False


class ScenePerson(PersonStyle):
    """Style of a person, and where they walk."""

    walk: Walk | None = None


class Trim(Document):
    """A box without collisions, such as a rug, a picture or a window; centre and size in [m]."""

    id: str
    look: AppearanceName
    centre: Point3
    size: Point3
    yaw: float = 0.0


class CameraStyle(Document):
    """Image size [px], vertical field of view [deg] and rate [Hz] of a robot camera."""

    width: PositiveInt
    height: PositiveInt
    fovy: float = Field(gt=1.0, lt=170.0)
    rate: PositiveFloat


class Light(Document):
    """A directional light at `pos` [m] along `dir`; casting shadows is the costliest part of rendering."""

    pos: Point3
    dir: Point3
    diffuse: Point3
    shadow: bool = False


class WallOpening(Document):
    """A doorway: distance of its near side along the wall, width and height, in [m].

    With ``door`` it has a sliding door, which is inside the wall while it is open.
    """

    at: PositiveFloat
    width: PositiveFloat
    height: PositiveFloat = 2.1
    door: bool = False


class Wall(Document):
    """A straight wall centred on the line between two map points [m], with at most one doorway."""

    id: str
    start: Point2
    end: Point2
    look: AppearanceName
    height: PositiveFloat = 2.5
    thickness: PositiveFloat = 0.1
    opening: WallOpening | None = None

    @property
    def length(self) -> float:
        """Length of the wall [m]."""
        return hypot(self.end[0] - self.start[0], self.end[1] - self.start[1])

    @property
    def yaw(self) -> float:
        """Direction from its start to its end [rad]."""
        return atan2(self.end[1] - self.start[1], self.end[0] - self.start[0])

    def door_position(self, *, shut: bool) -> Point2:
        """Return where the middle of its door is in the map [m]: in the doorway, or in its longer part."""
        assert self.opening is not None
        before, width = self.opening.at, self.opening.width
        aside = -width if before > self.length - before - width else width
        along = before + width / 2 + (0.0 if shut else aside)
        return self.start[0] + along * cos(self.yaw), self.start[1] + along * sin(self.yaw)

    @model_validator(mode="after")
    def _opening_fits(self) -> "Wall":
        if self.opening is not None and self.opening.at + self.opening.width >= self.length:
            raise ValueError(
                f"the opening of wall '{self.id}' exceeds the wall's length of {self.length:.2f} m"
            )
        return self


class Jitter(Document):
    """Uniform spread around a placement: +-xy [m] along each axis, +-yaw [rad] about z."""

    xy: NonNegativeFloat = 0.0
    yaw: NonNegativeFloat = 0.0


class ObjectPlacement(Document):
    """Placement of an object on a surface, in the fixture's frame: x [m] to its front, y to its left."""

    id: str
    kind: ObjectKindName
    colour: ColourName | None = None
    fixture: str
    surface: str
    at: Point2
    yaw: float = 0.0
    jitter: Jitter = Jitter()

    def sample(self, rng: np.random.Generator) -> Pose2:
        """Sample a pose in the fixture's frame; the same generator state gives the same pose."""
        dx, dy, turn = rng.uniform(-1.0, 1.0, 3)
        return Pose2(
            x=self.at[0] + dx * self.jitter.xy,
            y=self.at[1] + dy * self.jitter.xy,
            yaw=self.yaw + turn * self.jitter.yaw,
        )


class SceneDocument(Document):
    """Everything a scene adds to its map; `map` is a path relative to the scene's file."""

    name: str
    map: str
    robot: Pose2
    floors: dict[str, AppearanceName]
    walls: tuple[Wall, ...]
    furniture: dict[str, FurnitureStyle]
    trims: tuple[Trim, ...] = ()
    objects: tuple[ObjectPlacement, ...]
    people: dict[str, ScenePerson]
    cameras: dict[str, CameraStyle]
    lights: tuple[Light, ...]

    @model_validator(mode="after")
    def _object_ids_are_unique(self) -> "SceneDocument":
        ids = [placement.id for placement in self.objects]
        duplicates = sorted({name for name in ids if ids.count(name) > 1})
        if duplicates:
            raise ValueError(f"duplicate object id: {', '.join(duplicates)}")
        return self
