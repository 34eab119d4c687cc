"""What every kind of object says of itself."""

from collections.abc import Callable
from dataclasses import dataclass

from openral_sim.objects.builder import ObjectBuilder


@dataclass(frozen=True)
class ObjectKind:
    """A kind of object.

    Its body's frame lies at the middle of its height, on its axis, z up as it stands or lies.

    Attributes:
        noun: What it is called.
        size: Extent along x, y, z [m], without a handle.
        mass: Mass [kg].
        graspable: Whether an 8 cm parallel gripper can take it from above or from the side.
        build: Adds its geoms to a builder's body.
    """

    noun: str
    size: tuple[float, float, float]
    mass: float
    graspable: bool
    build: Callable[[ObjectBuilder], None]
