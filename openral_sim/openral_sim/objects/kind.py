"""What every kind of object says of itself."""

from typing import Literal

from pydantic import PositiveFloat

from openral_core.documents import Document
from openral_sim.objects.colours import ColourName

Material = Literal[
    "ceramic", "clear", "fabric", "glass", "metal", "organic", "paper", "plastic", "rubber", "wood"
]
GLOSS: dict[Material, float] = {
    "ceramic": 0.5, "clear": 0.9, "fabric": 0.02, "glass": 0.9, "metal": 0.8,
    "organic": 0.2, "paper": 0.1, "plastic": 0.4, "rubber": 0.1, "wood": 0.15,
}  # fmt: skip


class ObjectKind(Document):
    """A kind of object.

    Its body's frame lies at the middle of its height, on its axis, z up as it stands or lies.

    Attributes:
        noun: What it is called.
        shape: What builds it.
        size: Extent along x, y, z in [m], without a handle.
        mass: Mass in [kg].
        graspable: Whether an 8 cm parallel gripper can take it from above or from the side.
        material: What it is made of.
        colour: What it is painted unless a scene says otherwise.
        accent: The colour of its smaller part: cap, band, ink.
        print: The word on its packaging.
        kept: The furniture it is usually on or in, the likeliest first.
    """

    noun: str
    shape: str
    size: tuple[PositiveFloat, PositiveFloat, PositiveFloat]
    mass: PositiveFloat
    graspable: bool
    material: Material
    colour: ColourName
    accent: ColourName = "white"
    print: str = ""
    kept: tuple[str, ...] = ()

    @property
    def gloss(self) -> float:
        """How much it shines in [0, 1]."""
        return GLOSS[self.material]
