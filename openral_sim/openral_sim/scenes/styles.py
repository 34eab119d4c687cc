"""How fixtures, people, rooms and cameras of a scene look."""

from typing import Literal

from pydantic import Field, PositiveFloat, PositiveInt

from openral_core.documents import Document
from openral_core.maps.geometry import Point3
from openral_sim.materials import LookName

Side = Literal["left", "right"]


class FurnitureStyle(Document):
    """The looks of a fixture, and the side its door is hinged on as seen from its front."""

    main: LookName
    accent: LookName
    hinge: Side = "right"


class PersonStyle(Document):
    """Clothes of a person, and the hand they hold out to take things."""

    shirt: LookName = "shirt"
    trousers: LookName = "denim"
    hand: Side = "right"


class Trim(Document):
    """A box that is only seen: a rug, a picture, a window; centre and size in [m]."""

    id: str
    look: LookName
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
    """A directional light from `pos` [m] along `dir`; one that casts shadows costs the most to draw."""

    pos: Point3
    dir: Point3
    diffuse: Point3
    shadow: bool = False
