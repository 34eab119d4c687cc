"""An object of a built world."""

from dataclasses import dataclass


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
