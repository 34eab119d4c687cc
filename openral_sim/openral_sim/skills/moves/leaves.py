"""The door a goal names: how it hangs, how far it stands open, where to take it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_core.errors import listed
from openral_sim.furniture import Door
from openral_sim.motions.hinges import Hinge, hinge_of
from openral_sim.skills.context import SkillContext
from openral_sim.skills.failures import BadRequest, NothingThere
from openral_sim.skills.requests import DoorRequest

Vector = NDArray[np.float64]
_NEAR = 1.5


@dataclass(frozen=True)
class Leaf:
    """One door of a container.

    Attributes:
        door: Its names in the model.
        hinge: How it hangs.
        body: Id of its body.
        handle: Middle of the handle's bar in the door's frame in [m], shape (3,).
        front: How far its front lies before the hinge in [m].
    """

    door: Door
    hinge: Hinge
    body: int
    handle: Vector
    front: float

    def angle(self, context: SkillContext) -> float:
        """How far it stands open in [rad]."""
        return float(context.data.joint(self.door.joint).qpos[0])

    def opening(self, context: SkillContext) -> float:
        """How far it stands open: 0 shut, 1 wide open."""
        return float(np.clip(self.angle(context) / self.door.travel, 0.0, 1.0))

    def point(self, angle: float, x: float, share: float) -> Vector:
        """A point at handle height in map: ``x`` [m] before the hinge, a share of the way to the handle."""
        local = np.array([x, share * self.handle[1], self.handle[2], 1.0])
        at: Vector = (self.hinge.T_map_door(angle) @ local)[:3]
        return at


def leaf_of(context: SkillContext, request: DoorRequest) -> Leaf:
    """The door of the container a goal names.

    Raises:
        BadRequest: If no container of that id has a door.
        NothingThere: If its door is not near where it is said to be.
    """
    doors = {name: item.doors[0] for name, item in context.world.furniture.items() if item.doors}
    if request.container_id not in doors:
        raise BadRequest(f"nothing called '{request.container_id}' has a door; doors have: {listed(doors)}")
    door = doors[request.container_id]
    asked, found = np.array(request.target.position), context.data.body(door.body).xpos
    if float(np.linalg.norm((asked - found)[:2])) > _NEAR:
        raise NothingThere(
            f"no door of '{request.container_id}' within {_NEAR:.1f} m of ({asked[0]:.2f}, {asked[1]:.2f})"
        )
    return _leaf(context, door)


def _leaf(context: SkillContext, door: Door) -> Leaf:
    model, body = context.model, context.model.body(door.body).id
    panel = model.body_geomadr[body]
    return Leaf(
        door,
        hinge_of(model, context.data, door.body, door.joint),
        body,
        np.array(model.site(door.handle_site).pos),
        float(model.geom_pos[panel, 0] + model.geom_size[panel, 0]),
    )
