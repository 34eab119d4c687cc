"""The door a goal names: how it hangs, how far it stands open, where to take it."""
# MERGED Drawn drawers and what lies in them.

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.errors import format_choices
from openral_core.geometry import wrap_angle
from openral_sim.assets.furniture.builder import HANDLE, FurnitureDoor, Motion
from openral_sim.motion_primitives.release import extent
from openral_sim.planning.articulation import Slide, hinge_of, slide_of
from openral_sim.skills.context import CONTROL_PERIOD, Feedback, Move, SkillContext
from openral_sim.skills.errors import BadRequest, NothingThere
from openral_sim.skills.requests import DoorRequest

Vector = NDArray[np.float64]
_NEAR = 1.5


class DoorJoint(Protocol):
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
class DoorMotionProfile:
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
    Motion.HINGE: DoorMotionProfile(
        (0.78, 0.70, 0.625, 0.55), 0.495, 0.30, 0.12, 0.03, 0.05, ("degrees", 57.2958)
    ),
    Motion.SLIDE: DoorMotionProfile((0.95, 0.85, 0.7), 0.6, 0.12, 0.06, 0.02, 0.03, ("cm", 100.0)),
}


@dataclass(frozen=True)
class ArticulatedDoor:
    """One door of a container.

    Attributes:
        door: Its names in the model.
        hinge: How it hangs or runs.
        body: Id of its body.
        handle: Middle of the handle's bar in the door's frame in [m], shape (3,).
        front: How far its front lies before the hinge in [m].
    """

    door: FurnitureDoor
    hinge: DoorJoint
    body: int
    handle: Vector
    front: float

    @property
    def gait(self) -> DoorMotionProfile:
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


def articulated_door(context: SkillContext, request: DoorRequest) -> ArticulatedDoor:
    """The door of the container a goal names.

    Raises:
        BadRequest: If no container of that id has a door.
        NothingThere: If its door is not near where it is said to be.
    """
    doors = {name: item.doors[0] for name, item in context.world.furniture.items() if item.doors}
    if request.container_id not in doors:
        raise BadRequest(
            f"nothing called '{request.container_id}' has a door; doors have: {format_choices(doors)}"
        )
    door = doors[request.container_id]
    asked, found = np.array(request.target.position), context.data.body(door.body).xpos
    if float(np.linalg.norm((asked - found)[:2])) > _NEAR:
        raise NothingThere(
            f"no door of '{request.container_id}' within {_NEAR:.1f} m of ({asked[0]:.2f}, {asked[1]:.2f})"
        )
    return _leaf(context, door)


def _leaf(context: SkillContext, door: FurnitureDoor) -> ArticulatedDoor:
    model, data = context.model, context.data
    mount_of = hinge_of if door.motion is Motion.HINGE else slide_of
    handle = np.array(model.site(door.handle_site).pos)
    mount = mount_of(model, data, door.body, door.joint)
    return ArticulatedDoor(door, mount, model.body(door.body).id, handle, float(handle[0]) - HANDLE.stand_off)


_RAMP = 0.8
_GAIN = 4.0
_SETTLE = 1.0


def move_door(
    context: SkillContext, leaf: ArticulatedDoor, angle: float, stage: str, stop: Callable[[float], bool]
) -> Move[bool]:
    """Carry the base along the arc that takes a door from where it stands to ``angle`` [rad].

    Args:
        context: The robot and its world.
        leaf: The door.
        angle: Where it shall stand in the end.
        stage: What to call it.
        stop: Asked every period with the angle the door should have by now; ends the motion.

    Returns:
        Whether the arc was finished, not stopped.
    """
    control = context.control
    first, start = leaf.angle(context), control.base_pose
    total = abs(angle - first)
    direction = float(np.sign(angle - first))
    duration = total / leaf.gait.rate + _RAMP
    for time in np.arange(0.0, duration + _SETTLE, CONTROL_PERIOD):
        turned, rate = _progress(float(time), total, duration)
        wanted = leaf.hinge.carried(start, direction * turned)
        ahead = leaf.hinge.velocity(wanted, direction * rate)
        control.drive(ahead + _GAIN * _error(wanted, control.base_pose))
        yield Feedback(stage, min(1.0, float(time) / (duration + _SETTLE)))
        if stop(first + direction * turned):
            control.drive(np.zeros(3))
            return False
    control.drive(np.zeros(3))
    return True


def _progress(time: float, total: float, duration: float) -> tuple[float, float]:
    """Angle turned in [rad] and rate in [rad/s]: ramp up, cruise, ramp down."""
    ramp = min(_RAMP, duration / 2)
    peak = total / (duration - ramp)
    time = min(time, duration)
    if time < ramp:
        return 0.5 * peak * time**2 / ramp, peak * time / ramp
    left = duration - time
    if left < ramp:
        return total - 0.5 * peak * left**2 / ramp, peak * left / ramp
    return peak * (time - ramp / 2), peak


def _error(wanted: Vector, pose: Vector) -> Vector:
    offset = wanted - pose
    return np.array([offset[0], offset[1], wrap_angle(float(offset[2]))])


def contents_of(context: SkillContext, door: FurnitureDoor) -> tuple[int, ...]:
    """Ids of the free bodies that a drawer takes along; none for a door of another kind."""
    if not _is_drawer(context, door):
        return ()
    free = np.flatnonzero(context.model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    return tuple(body for body in map(int, context.model.jnt_bodyid[free]) if _is_in(context, door, body))


def drawer_front_height(context: SkillContext, body: int) -> float:
    """Height in map of the drawer's front that a body lies behind in [m]; -inf if it lies in no drawer."""
    doors = (door for item in context.world.furniture.values() for door in item.doors)
    return max(
        (_top(context, door) for door in doors if _is_drawer(context, door) and _is_in(context, door, body)),
        default=-np.inf,
    )


def _is_drawer(context: SkillContext, door: FurnitureDoor) -> bool:
    return (
        door.motion is Motion.SLIDE
        and slide_of(context.model, context.data, door.body, door.joint).along_normal
    )


def _is_in(context: SkillContext, door: FurnitureDoor, body: int) -> bool:
    tray = context.data.body(door.body)
    low, high = extent(context.model, tray.id)
    local = tray.xmat.reshape(3, 3).T @ (context.data.xpos[body] - tray.xpos)
    return bool((low <= local).all() and (local <= high).all())


def _top(context: SkillContext, door: FurnitureDoor) -> float:
    tray = context.data.body(door.body)
    return float(tray.xpos[2] + extent(context.model, tray.id)[1][2])
