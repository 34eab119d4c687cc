"""Doors and drawers of furniture: identify one, describe its joint (hinge or rail) and move it with the base.

The hand keeps its grip and the base follows the path that the door's joint prescribes. A drawer takes its
contents along.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import mujoco
import numpy as np

from openral_core.arrays import PlanarPose, Transform, Vector3
from openral_core.errors import format_choices
from openral_core.geometry import wrap_angle
from openral_core.skill_errors import BadRequest, NothingThere
from openral_core.skill_requests import DoorRequest
from openral_core.skills import Feedback
from openral_sim.assets.furniture.builder import HANDLE, DoorMotion, FurnitureDoor
from openral_sim.motion_primitives.context import CONTROL_PERIOD, Move, SkillContext
from openral_sim.motion_primitives.release import extent
from openral_sim.planning.motion_profile import MotionProfile


@dataclass(frozen=True)
class Hinge:
    """A vertical hinge."""

    joint: str  # Name of the joint in the model.
    side: float  # +1 if it opens counter-clockwise seen from above, -1 if clockwise.
    T_map_closed: Transform  # Pose of the closed door in map, origin on the hinge, shape (4, 4).

    def T_map_door(self, angle: float) -> Transform:
        """Pose of the door in map at an angle in [rad], shape (4, 4)."""
        T: Transform = self.T_map_closed @ _rotation(self.side * angle)
        return T

    def normal(self, angle: float) -> Vector3:
        """Direction out of the door's front in map, shape (3,)."""
        return self.T_map_door(angle)[:3, 0]

    def moved_with(self, pose: PlanarPose, by: float) -> PlanarPose:
        """Turn a base pose (x, y, yaw) about the hinge with the door by ``by`` [rad], shape (3,)."""
        turn, pivot = self.side * by, self.T_map_closed[:2, 3]
        c, s = np.cos(turn), np.sin(turn)
        x, y = pivot + np.array([[c, -s], [s, c]]) @ (pose[:2] - pivot)
        return np.array([x, y, wrap_angle(float(pose[2]) + turn)])

    def velocity(self, pose: PlanarPose, rate: float) -> Vector3:
        """Velocity of a pose that turns at ``rate`` [rad/s] with the door, along map's axes, shape (3,)."""
        x, y = pose[:2] - self.T_map_closed[:2, 3]
        return self.side * rate * np.array([-y, x, 1.0])


def hinge_of(model: mujoco.MjModel, data: mujoco.MjData, body: str, joint: str) -> Hinge:
    """Read the hinge of a door from the model."""
    index = model.joint(joint).id
    side, angle = float(np.sign(model.jnt_axis[index, 2])), float(data.joint(joint).qpos[0])
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = data.body(body).xmat.reshape(3, 3), data.body(body).xpos
    return Hinge(joint, side, T @ _rotation(-side * angle))


def _rotation(angle: float) -> Transform:
    T = np.eye(4)
    T[0, 0] = T[1, 1] = np.cos(angle)
    T[1, 0], T[0, 1] = np.sin(angle), -np.sin(angle)
    return T


@dataclass(frozen=True)
class Slide:
    """A horizontal rail."""

    joint: str  # Name of the joint in the model.
    axis: Vector3  # Direction in which it opens in map, shape (3,).
    T_map_closed: Transform  # Pose of the closed door in map, x out of its front, shape (4, 4).

    @property
    def along_normal(self) -> bool:
        """True if it opens out of its front, as a drawer does."""
        return float(self.axis @ self.T_map_closed[:3, 0]) > 0.7

    def T_map_door(self, distance: float) -> Transform:
        """Pose of the door in map at a distance in [m], shape (4, 4)."""
        T = self.T_map_closed.copy()
        T[:3, 3] += distance * self.axis
        return T

    def normal(self, distance: float) -> Vector3:
        """Direction out of the door's front in map, shape (3,)."""
        return self.T_map_closed[:3, 0]

    def moved_with(self, pose: PlanarPose, by: float) -> PlanarPose:
        """Move a base pose (x, y, yaw) with the door by ``by`` [m], shape (3,)."""
        return pose + by * np.array([self.axis[0], self.axis[1], 0.0])

    def velocity(self, pose: PlanarPose, rate: float) -> Vector3:
        """Velocity of a pose that moves at ``rate`` [m/s] with the door, along map's axes, shape (3,)."""
        return rate * np.array([self.axis[0], self.axis[1], 0.0])


def slide_of(model: mujoco.MjModel, data: mujoco.MjData, body: str, joint: str) -> Slide:
    """Read the rail of a drawer or a sliding door from the model."""
    R, at = data.body(body).xmat.reshape(3, 3), float(data.joint(joint).qpos[0])
    axis: Vector3 = R @ model.jnt_axis[model.joint(joint).id]
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, data.body(body).xpos - at * axis
    return Slide(joint, axis, T)


@dataclass(frozen=True)
class DoorMotionConfig:
    """Parameters of finding and moving a door; tuned on the simulated furniture."""

    # Largest distance from a goal's position to the named door in [m]; about the width of a wardrobe, so that
    # any point of the furniture identifies its door.
    max_target_offset: float = 1.5
    # Largest distance of a point from the middle of furniture that the robot named itself in [m]; about half
    # of a cabinet's depth, and above the error of what it saw.
    max_furniture_offset: float = 0.35
    ramp: float = 0.8  # Time to reach full speed, and to stop, in [s].
    tracking_gain: float = 4.0  # Feedback gain on the base's deviation from the door's path in [1/s].
    settling_time: float = 1.0  # Time allowed after the motion for the base to catch up in [s].


CONFIG = DoorMotionConfig()


class DoorJoint(Protocol):
    """Kinematics of a door; its angle is in [rad] for a hinge and in [m] for a slide."""

    def T_map_door(self, angle: float) -> Transform:
        """Pose of the door in map, shape (4, 4)."""

    def normal(self, angle: float) -> Vector3:
        """Direction out of the door's front in map, shape (3,)."""

    def moved_with(self, pose: PlanarPose, by: float) -> PlanarPose:
        """Return a base pose that moves with the door, shape (3,)."""

    def velocity(self, pose: PlanarPose, rate: float) -> Vector3:
        """Velocity of a pose that moves with the door, shape (3,)."""


@dataclass(frozen=True)
class DoorMotionLimits:
    """Limits of moving one kind of door, in [rad] of a hinge or [m] of a slide."""

    opening_fractions: tuple[float, ...]  # Fractions of its travel to try when opening it, the best first.
    open_fraction: float  # Fraction of its travel from which a hand can reach in.
    max_rate: float  # Top speed in [1/s].
    max_lag: float  # Largest deviation from the commanded angle before the door counts as blocked.
    closed_tolerance: float  # Largest angle that counts as closed.
    overtravel: float  # Distance beyond 0 that it is pushed to, so that it closes against friction.
    unit: tuple[str, float]  # Unit that its angle is reported in, and the factor to convert to it.


LIMITS = {
    DoorMotion.HINGE: DoorMotionLimits(
        opening_fractions=(0.78, 0.70, 0.625, 0.55),
        open_fraction=0.495,
        max_rate=0.30,
        max_lag=0.12,
        closed_tolerance=0.03,
        overtravel=0.05,
        unit=("degrees", 57.2958),
    ),
    DoorMotion.SLIDE: DoorMotionLimits(
        opening_fractions=(0.95, 0.85, 0.7),
        open_fraction=0.6,
        max_rate=0.12,
        max_lag=0.06,
        closed_tolerance=0.02,
        overtravel=0.03,
        unit=("cm", 100.0),
    ),
}
"""Limits of the two kinds of door; tuned on the simulated furniture."""


@dataclass(frozen=True)
class ArticulatedDoor:
    """One door of a container."""

    spec: FurnitureDoor  # Its names in the model and its travel.
    joint: DoorJoint  # Its kinematics.
    body: int  # Id of its body.
    handle: Vector3  # Middle of the handle's bar in the door's frame in [m], shape (3,).
    front: float  # Distance from its joint to its front in [m].

    @property
    def limits(self) -> DoorMotionLimits:
        """Limits of its motion."""
        return LIMITS[self.spec.motion]

    @property
    def is_pushed_closed(self) -> bool:
        """True if pushing its front closes it; a sideways slide has to be pulled by its handle."""
        return not isinstance(self.joint, Slide) or self.joint.along_normal

    def describe_angle(self, context: SkillContext) -> str:
        """Return the opening angle or distance with its unit, as text."""
        name, factor = self.limits.unit
        return f"{self.angle(context) * factor:.0f} {name}"

    def angle(self, context: SkillContext) -> float:
        """Return the opening angle in [rad] or distance in [m]."""
        return float(context.data.joint(self.spec.joint).qpos[0])

    def opening(self, context: SkillContext) -> float:
        """Fraction of its travel that it is open: 0 closed, 1 wide open."""
        return float(np.clip(self.angle(context) / self.spec.travel, 0.0, 1.0))

    def point(self, angle: float, x: float, fraction: float) -> Vector3:
        """Return a point in map at handle height, ``x`` [m] before the joint, part of the way to it."""
        local = np.array([x, fraction * self.handle[1], self.handle[2], 1.0])
        at: Vector3 = (self.joint.T_map_door(angle) @ local)[:3]
        return at


def articulated_door(context: SkillContext, request: DoorRequest) -> ArticulatedDoor:
    """Find the door of the container that a goal names.

    Raises:
        BadRequest: If no container of that id has a door.
        NothingThere: If its door is not near the goal's target.
    """
    doors = {name: item.doors[0] for name, item in context.world.furniture.items() if item.doors}
    container = container_at(context, request.container_id, request.target.position)
    if container not in doors:
        raise BadRequest(
            f"container '{request.container_id}' has no door; containers with doors: {format_choices(doors)}"
        )
    spec = doors[container]
    target, hung_at = np.array(request.target.position), context.data.body(spec.body).xpos
    if float(np.linalg.norm((target - hung_at)[:2])) > CONFIG.max_target_offset:
        raise NothingThere(
            f"the door of '{request.container_id}' is more than {CONFIG.max_target_offset:.1f} m"
            f" from ({target[0]:.2f}, {target[1]:.2f})"
        )
    model, data = context.model, context.data
    joint_of = hinge_of if spec.motion is DoorMotion.HINGE else slide_of
    handle = np.array(model.site(spec.handle_site).pos)
    joint = joint_of(model, data, spec.body, spec.joint)
    return ArticulatedDoor(spec, joint, model.body(spec.body).id, handle, float(handle[0]) - HANDLE.stand_off)


def container_at(context: SkillContext, name: str, point: tuple[float, float, float]) -> str:
    """Return the id of the container that a goal names, or of the one with a door at its point in map.

    A robot that found its furniture by itself has ids of its own; the point is at half of its height.

    Returns:
        ``name`` if there is no such container.
    """
    furniture = context.world.furniture
    if name in furniture:
        return name
    distances = {
        key: float(np.linalg.norm(np.subtract(point, (fixture.pose.x, fixture.pose.y, fixture.height / 2.0))))
        for key, fixture in ((key, item.fixture) for key, item in furniture.items() if item.doors)
    }
    nearest = min(distances, key=lambda key: distances[key], default=name)
    return nearest if distances.get(nearest, np.inf) <= CONFIG.max_furniture_offset else name


def move_door(
    context: SkillContext, door: ArticulatedDoor, angle: float, stage: str, stop: Callable[[float], bool]
) -> Move[bool]:
    """Move the base along the path that takes a door from its present angle to ``angle`` [rad] or [m].

    Args:
        angle: Angle to move it to.
        stop: Called every period with the angle the door should have by now; True ends the motion.

    Returns:
        True if the motion was finished, False if ``stop`` ended it.
    """
    control = context.control
    first, start = door.angle(context), control.base_pose
    profile = MotionProfile(abs(angle - first), door.limits.max_rate, CONFIG.ramp)
    direction = float(np.sign(angle - first))
    end = profile.duration + CONFIG.settling_time
    for time in np.arange(0.0, end, CONTROL_PERIOD):
        turned, rate = profile.at(float(time))
        target = door.joint.moved_with(start, direction * turned)
        feedforward = door.joint.velocity(target, direction * rate)
        control.drive(feedforward + CONFIG.tracking_gain * _pose_error(target, control.base_pose))
        yield Feedback(stage, min(1.0, float(time) / end))
        if stop(first + direction * turned):
            control.drive(np.zeros(3))
            return False
    control.drive(np.zeros(3))
    return True


def _pose_error(target: PlanarPose, pose: PlanarPose) -> PlanarPose:
    offset = target - pose
    return np.array([offset[0], offset[1], wrap_angle(float(offset[2]))])


def contents_of(context: SkillContext, door: FurnitureDoor) -> tuple[int, ...]:
    """Ids of the free bodies that a drawer takes along; none for a door of another kind."""
    if not is_drawer(context, door):
        return ()
    free = np.flatnonzero(context.model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    return tuple(body for body in map(int, context.model.jnt_bodyid[free]) if is_in(context, door, body))


def drawer_front_height(context: SkillContext, body: int) -> float:
    """Height in map of the front of the drawer that contains a body in [m]; -inf if no drawer does."""
    drawers = (
        door
        for item in context.world.furniture.values()
        for door in item.doors
        if is_drawer(context, door) and is_in(context, door, body)
    )
    return max((_top(context, drawer) for drawer in drawers), default=-np.inf)


def is_drawer(context: SkillContext, door: FurnitureDoor) -> bool:
    """Return True if a piece of furniture is a drawer."""
    return (
        door.motion is DoorMotion.SLIDE
        and slide_of(context.model, context.data, door.body, door.joint).along_normal
    )


def is_in(context: SkillContext, door: FurnitureDoor, body: int) -> bool:
    """Return True if a body is in a piece of furniture."""
    tray = context.data.body(door.body)
    low, high = extent(context.model, tray.id)
    local = tray.xmat.reshape(3, 3).T @ (context.data.xpos[body] - tray.xpos)
    return bool((low <= local).all() and (local <= high).all())


def _top(context: SkillContext, drawer: FurnitureDoor) -> float:
    tray = context.data.body(drawer.body)
    return float(tray.xpos[2] + extent(context.model, tray.id)[1][2])
