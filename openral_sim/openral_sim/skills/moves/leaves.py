"""The door a goal names: how it hangs, how far it stands open, where to take it."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from openral_core.errors import listed
from openral_sim.furniture import Door, Motion
from openral_sim.furniture.handles import STAND_OFF
from openral_sim.motions.hinges import hinge_of
from openral_sim.motions.slides import Slide, slide_of
from openral_sim.skills.context import SkillContext
from openral_sim.skills.failures import BadRequest, NothingThere
from openral_sim.skills.requests import DoorRequest

Vector = NDArray[np.float64]
_NEAR = 1.5


class Mount(Protocol):
    """How a door hangs or runs; its angle is in [rad] of a hinge and in [m] of a slide."""

    def T_map_door(self, angle: float) -> Vector:
        """Pose of the door in map, shape (4, 4)."""

    def normal(self, angle: float) -> Vector:
        """Direction out of the door's front in map, shape (3,)."""

    def carried(self, pose: Vector, by: float) -> Vector:
        """A base pose that moves with the door, shape (3,)."""

    def velocity(self, pose: Vector, rate: float) -> Vector:
        """Velocity of a pose that moves with the door, shape (3,)."""


@dataclass(frozen=True)
class Gait:
    """How far and how fast a kind of door is moved, in [rad] or [m] of its joint.

    Attributes:
        wide: Shares of its travel worth opening it to, the best first.
        enough: Share of its travel from which one can reach in.
        rate: Top speed in [1/s].
        lag: How far it may stay behind the hand before it counts as held up.
        shut: How far from 0 counts as shut.
        press: How far beyond 0 it is pushed.
        unit: What its angle is told in, and how many of those one is.
    """

    wide: tuple[float, ...]
    enough: float
    rate: float
    lag: float
    shut: float
    press: float
    unit: tuple[str, float]


_GAITS = {
    Motion.HINGE: Gait((0.78, 0.70, 0.625, 0.55), 0.495, 0.30, 0.12, 0.03, 0.05, ("degrees", 57.2958)),
    Motion.SLIDE: Gait((0.95, 0.85, 0.7), 0.6, 0.12, 0.06, 0.02, 0.03, ("cm", 100.0)),
}


@dataclass(frozen=True)
class Leaf:
    """One door of a container.

    Attributes:
        door: Its names in the model.
        hinge: How it hangs or runs.
        body: Id of its body.
        handle: Middle of the handle's bar in the door's frame in [m], shape (3,).
        front: How far its front lies before the hinge in [m].
    """

    door: Door
    hinge: Mount
    body: int
    handle: Vector
    front: float

    @property
    def gait(self) -> Gait:
        """How it is moved."""
        return _GAITS[self.door.motion]

    @property
    def is_pushed_shut(self) -> bool:
        """Whether it shuts when it is pushed on its front; what slides sideways is drawn by its handle."""
        return not isinstance(self.hinge, Slide) or self.hinge.along_normal

    def stands_at(self, context: SkillContext) -> str:
        """How far it stands open, in words."""
        name, factor = self.gait.unit
        return f"{self.angle(context) * factor:.0f} {name}"

    def angle(self, context: SkillContext) -> float:
        """How far it stands open in [rad] or [m]."""
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
    model, data = context.model, context.data
    mount_of = hinge_of if door.motion is Motion.HINGE else slide_of
    handle = np.array(model.site(door.handle_site).pos)
    mount = mount_of(model, data, door.body, door.joint)
    return Leaf(door, mount, model.body(door.body).id, handle, float(handle[0]) - STAND_OFF)
