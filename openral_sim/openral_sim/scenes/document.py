"""A scene's YAML document."""

from pydantic import model_validator

from openral_core.documents import Document
from openral_core.maps import Pose2
from openral_sim.materials import LookName
from openral_sim.scenes.placements import Placement
from openral_sim.scenes.styles import CameraStyle, FurnitureStyle, Light, PersonStyle, Trim
from openral_sim.scenes.walls import Wall


class SceneDocument(Document):
    """What a scene adds to its map; `map` is a path relative to the scene's file."""

    name: str
    map: str
    robot: Pose2
    floors: dict[str, LookName]
    walls: tuple[Wall, ...]
    furniture: dict[str, FurnitureStyle]
    trims: tuple[Trim, ...] = ()
    objects: tuple[Placement, ...]
    people: dict[str, PersonStyle]
    cameras: dict[str, CameraStyle]
    lights: tuple[Light, ...]

    @model_validator(mode="after")
    def _object_ids_are_unique(self) -> "SceneDocument":
        ids = [placement.id for placement in self.objects]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"object id given twice: {', '.join(twice)}")
        return self
