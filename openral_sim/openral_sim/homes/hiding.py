"""What is out of sight: things in shut containers."""

from dataclasses import dataclass

from openral_core.maps import Fixture, Surface
from openral_sim.objects import KINDS
from openral_sim.scenes import Scene


@dataclass(frozen=True)
class Whereabouts:
    """Where a thing of a scene is.

    Attributes:
        phrase: What it is called; unique in a drawn home.
        graspable: Whether the gripper can take it.
        hidden_in: The id of the container that must be opened to see it, "" if it lies open.
    """

    id: str
    phrase: str
    graspable: bool
    room: str
    fixture: str
    surface: str
    hidden_in: str


def is_hidden(fixture: Fixture, surface: Surface) -> bool:
    """Whether what lies on a surface is out of sight while its fixture is shut."""
    container = fixture.container
    if container is None or not container.occludes_contents:
        return False
    return container.interior.min[2] - 1e-6 <= surface.z < container.interior.max[2]


def whereabouts(scene: Scene) -> tuple[Whereabouts, ...]:
    """Where every thing of a scene is at the start."""
    found = []
    for placement in scene.document.objects:
        fixture, surface = scene.spot(placement)
        kind = KINDS[placement.kind]
        found.append(
            Whereabouts(
                id=placement.id,
                phrase=f"{placement.colour} {kind.noun}" if placement.colour else kind.noun,
                graspable=kind.graspable,
                room=fixture.room,
                fixture=fixture.id,
                surface=surface.id,
                hidden_in=fixture.id if is_hidden(fixture, surface) else "",
            )
        )
    return tuple(found)
