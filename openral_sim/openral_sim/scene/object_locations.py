"""Initial locations of the objects of a scene."""

from dataclasses import dataclass

from openral_core.home_map import Fixture, Surface
from openral_sim.assets.objects.catalogue import KINDS
from openral_sim.scene.scene import Scene


@dataclass(frozen=True)
class ObjectLocation:
    """Initial location of an object of a scene."""

    id: str
    phrase: str  # Name in natural language; unique in a generated home.
    graspable: bool  # True if the gripper can grasp it.
    room: str
    fixture: str
    surface: str
    hidden_in: str  # Id of the container that must be opened to see it; "" if it lies in the open.


def is_hidden(fixture: Fixture, surface: Surface) -> bool:
    """Return True if objects on a surface cannot be seen while its fixture is closed."""
    container = fixture.container
    if container is None or not container.occludes_contents:
        return False
    return container.interior.min[2] - 1e-6 <= surface.z < container.interior.max[2]


def object_locations(scene: Scene) -> tuple[ObjectLocation, ...]:
    """Return the initial location of every object of a scene."""
    locations = []
    for placement in scene.document.objects:
        fixture, surface = scene.spot(placement)
        kind = KINDS[placement.kind]
        locations.append(
            ObjectLocation(
                id=placement.id,
                phrase=f"{placement.colour} {kind.noun}" if placement.colour else kind.noun,
                graspable=kind.graspable,
                room=fixture.room,
                fixture=fixture.id,
                surface=surface.id,
                hidden_in=fixture.id if is_hidden(fixture, surface) else "",
            )
        )
    return tuple(locations)
