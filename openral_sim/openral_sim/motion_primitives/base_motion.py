"""Motions of the base: along a planned path by pure pursuit, straight, or on the spot."""

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

import numpy as np

from openral_core.arrays import PlanarPose, Points, Vector2, Vector3
from openral_core.geometry import wrap_angle
from openral_core.skill_errors import Blocked, TookTooLong
from openral_core.skills import Feedback
from openral_sim.motion_primitives.context import CONTROL_PERIOD, Move, SkillContext
from openral_sim.planning.base_planner import CostToGo, plan_from
from openral_sim.planning.occupancy_grid import (
    SimOccupancyGrid,
    collision_outlines,
    rasterise,
)
from openral_sim.planning.perceived_floor import perceived_grid
from openral_sim.robot.control import RobotControl
from openral_sim.robot.description import DriveLimits


@dataclass(frozen=True)
class Tolerance:
    """Errors at which the base has arrived: position in [m] and heading in [rad]."""

    position: float = 0.006
    heading: float = 0.012


@dataclass(frozen=True)
class PursuitConfig:
    """Gains of the controller; tuned on the simulated base."""

    # Distance of the pursued point ahead on the path in [m]; about the base's radius.
    lookahead: float = 0.30
    gain: float = 3.0  # Speed per remaining distance in [1/s].
    turn_gain: float = 4.0  # Turn rate per heading error in [1/s].
    # Remaining path from which the base turns to its final heading in [m].
    goal_heading_distance: float = 0.60
    search_ahead: float = 0.25  # Length of path searched for the nearest point in [m], at a spacing of 1 cm.
    braking_fraction: float = 0.7  # Fraction of the acceleration limit that is planned for braking.
    turn_braking_fraction: float = 0.6  # The same for turning.
    min_heading_factor: float = 0.05  # Least slow-down factor while the base turns towards its path.


PURSUIT = PursuitConfig()


class PathFollower:
    """Follow waypoints to a final heading, facing the direction of travel until near the end."""

    def __init__(
        self,
        path: Points,
        final_yaw: float,
        limits: DriveLimits | None = None,
        tolerance: Tolerance | None = None,
    ) -> None:
        """Follow ``path`` (waypoints in map in [m], shape (N, 2)) and end at ``final_yaw`` [rad]."""
        self._path, self._yaw = path, final_yaw
        self._limits, self._tolerance = limits or DriveLimits(), tolerance or Tolerance()
        self._lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
        self._marks = np.concatenate([[0.0], np.cumsum(self._lengths)])
        self._travelled = 0.0
        self._velocity = np.zeros(3)

    @property
    def length(self) -> float:
        """Length of the path in [m]."""
        return float(self._marks[-1])

    def remaining(self) -> float:
        """Remaining length of the path in [m]."""
        return self.length - self._travelled

    def ahead(self, spacing: float) -> Points:
        """Points every ``spacing`` [m] on the rest of the path, shape (N, 2)."""
        marks = np.append(np.arange(self._travelled, self.length, spacing), self.length)
        return np.column_stack([np.interp(marks, self._marks, self._path[:, axis]) for axis in (0, 1)])

    def arrived(self, pose: PlanarPose) -> bool:
        """Return True if a base pose is at the end, within tolerance."""
        offset = float(np.linalg.norm(self._path[-1] - pose[:2]))
        turned = abs(wrap_angle(self._yaw - float(pose[2])))
        return offset < self._tolerance.position and turned < self._tolerance.heading

    def command(self, pose: PlanarPose, dt: float) -> Vector3:
        """Velocity along map's axes for the next ``dt`` [s], shape (3,)."""
        self._advance(pose[:2])
        carrot = self._point_at(self._travelled + PURSUIT.lookahead)
        heading_error = wrap_angle(self._heading(pose, carrot) - float(pose[2]))
        velocity = np.append(self._translation(pose, carrot, heading_error), self._turn(heading_error))
        self._velocity = self._limited(velocity, dt)
        return self._velocity

    def _advance(self, xy: Vector2) -> None:
        """Advance progress to the nearest path point ahead, never back."""
        ahead = self._travelled + np.linspace(0.0, PURSUIT.search_ahead, 26)
        ahead = ahead[ahead <= self.length] if self.length > self._travelled else ahead[:1]
        distance = [float(np.linalg.norm(self._point_at(s) - xy)) for s in ahead]
        self._travelled = float(ahead[int(np.argmin(distance))]) if len(ahead) else self.length

    def _point_at(self, s: float) -> Vector2:
        return np.array([np.interp(s, self._marks, self._path[:, axis]) for axis in (0, 1)])

    def _heading(self, pose: PlanarPose, carrot: Vector2) -> float:
        direction = carrot - pose[:2]
        if self.remaining() < PURSUIT.goal_heading_distance or float(np.linalg.norm(direction)) < 0.05:
            return self._yaw
        return float(np.arctan2(direction[1], direction[0]))

    def _translation(self, pose: PlanarPose, carrot: Vector2, heading_error: float) -> Vector2:
        offset = carrot - pose[:2]
        distance = float(np.linalg.norm(offset))
        if distance < 1e-6:
            return np.zeros(2)
        remaining = max(self.remaining(), distance if self.remaining() < PURSUIT.lookahead else 0.0)
        braking = np.sqrt(2.0 * PURSUIT.braking_fraction * self._limits.acceleration * remaining)
        speed = min(self._limits.speed, float(braking), PURSUIT.gain * remaining)
        if self.remaining() > PURSUIT.goal_heading_distance:
            speed *= max(PURSUIT.min_heading_factor, float(np.cos(heading_error))) ** 2
        return offset / distance * speed

    def _turn(self, heading_error: float) -> float:
        braking = np.sqrt(
            2.0 * PURSUIT.turn_braking_fraction * self._limits.turn_acceleration * abs(heading_error)
        )
        rate = min(self._limits.turn_rate, float(braking), PURSUIT.turn_gain * abs(heading_error))
        return float(np.copysign(rate, heading_error))

    def _limited(self, target: Vector3, dt: float) -> Vector3:
        change = target - self._velocity
        bound = self._limits.acceleration * dt
        norm = float(np.linalg.norm(change[:2]))
        change[:2] *= min(1.0, bound / norm) if norm > 0 else 1.0
        turn_bound = self._limits.turn_acceleration * dt
        change[2] = np.clip(change[2], -turn_bound, turn_bound)
        limited: Vector3 = self._velocity + change
        return limited


@dataclass(frozen=True)
class BaseMotionConfig:
    """Parameters of supervising the base; tuned in simulation."""

    stuck_time: float = 1.5  # Time without motion after which the base counts as blocked in [s].
    stuck_command: float = 0.05  # Commanded speed from which motion is expected in [m/s].
    stuck_speed: float = 0.01  # Measured speed below which the base does not move in [m/s].
    settled_speed: float = 0.03  # Speed below which the base has stopped in [m/s] and [rad/s].
    time_limit: float = 8.0  # Time allowed for any motion in [s].
    # Additional time per length of path in [s/m]; less than half of top speed on average.
    time_per_metre: float = 3.0
    max_replans: int = 5  # Number of other paths that are tried when newer maps show obstacles on the way.


CONFIG = BaseMotionConfig()


def floor_now(
    context: SkillContext, ignored: Set[int] = frozenset(), *, with_people: bool = True
) -> SimOccupancyGrid:
    """Return the floor as the latest map shows it or, without `SkillContext.perceived`, as the scene is now.

    Args:
        ignored: Bodies that are no obstacles, such as a door that moves with the hand.
        with_people: False: as it would be without the people on it.

    Raises:
        NoFloorMap: If it has to be perceived, and no map has come.
    """
    zones, people = context.world.no_go_zones, list(people_at(context))
    if context.perceived is None:
        if not with_people:
            ignored = ignored | {context.model.body(each.body).id for each in context.world.people.values()}
        own, top = context.own_bodies(), context.robot.description.base.height
        return rasterise(context.model, context.data, own | ignored, zones, top)
    moving = collision_outlines(context.model, context.data, ignored) if ignored else []
    if with_people:
        return perceived_grid(context.perceived.map(), zones, moving, [_disc(at, BODY) for at in people])
    return perceived_grid(context.perceived.map(), zones, [*moving, *(_disc(at, REACH) for at in people)])


BODY, REACH = 0.25, 0.35
"""Radius of a person to drive around, and of the floor that a person may have hidden or marked [m]."""


def people_at(context: SkillContext) -> Iterator[Vector2]:
    """Positions of the people in map in [m], each shape (2,), as a safety scanner would tell them."""
    return (np.array(context.data.body(person.body).xpos[:2]) for person in context.world.people.values())


def _disc(middle: Vector2, radius: float) -> Points:
    angles = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    return middle + radius * np.column_stack([np.cos(angles), np.sin(angles)])


def plan_base_motion(context: SkillContext, *, with_people: bool = True) -> CostToGo:
    """Plan paths over the floor from the base's present pose.

    Raises:
        NoFloorMap: If the floor has to be perceived, and no map has come.
        NoBasePath: If no free floor is near the base.
    """
    base = context.robot.description.base
    clearance = base.clearance_holding if context.held else base.clearance
    floor = floor_now(context, with_people=with_people)
    return plan_from(floor, context.control.base_pose[:2], clearance)


def shift_by(context: SkillContext, offset: Vector2, stage: str) -> Move[None]:
    """Move straight by an offset in map in [m], shape (2,), keeping the heading."""
    x, y, yaw = context.control.base_pose
    path = np.array([[x, y], [x + offset[0], y + offset[1]]])
    yield from follow_path(
        context, PathFollower(path, float(yaw), context.robot.description.base.slow), stage
    )


def turn_to(context: SkillContext, yaw: float, stage: str) -> Move[None]:
    """Turn on the spot to a heading in map in [rad]."""
    here = context.control.base_pose[:2]
    limits = context.robot.description.base.limits
    yield from follow_path(context, PathFollower(np.array([here, here]), yaw, limits), stage)


def follow_path(
    context: SkillContext,
    follower: PathFollower,
    stage: str,
    must_stop: Callable[[PathFollower], bool] = lambda _: False,
) -> Move[None]:
    """Follow a path to its end, or until ``must_stop``, which leaves the base moving.

    Raises:
        Blocked: If the base cannot move.
        TookTooLong: If it does not arrive within its time limit.
    """
    control = context.control
    turn = abs(wrap_angle(float(control.base_pose[2])))
    bound = CONFIG.time_limit + CONFIG.time_per_metre * follower.length + turn
    monitor = _StuckMonitor()
    for _ in range(int(bound / CONTROL_PERIOD)):
        if (
            follower.arrived(control.base_pose)
            and float(np.abs(control.base_velocity).max()) < CONFIG.settled_speed
        ):
            control.drive(np.zeros(3))
            return
        if must_stop(follower):
            return
        velocity = follower.command(control.base_pose, CONTROL_PERIOD)
        control.drive(velocity)
        yield Feedback(stage, 1.0 - follower.remaining() / max(follower.length, 1e-6))
        monitor.update(velocity, control.base_velocity)
    control.drive(np.zeros(3))
    raise TookTooLong(stage, bound)


_BRAKING = 1.0
"""Longest time to brake in [s]; from top speed it takes 0.8 s."""


def brake_base(control: RobotControl) -> Move[None]:
    """Slow the base down within its limits."""
    velocity, limits = control.base_velocity, control.robot.description.base.limits
    change = CONTROL_PERIOD * np.array([limits.acceleration, limits.acceleration, limits.turn_acceleration])
    control.drive(velocity)
    for _ in range(int(_BRAKING / CONTROL_PERIOD)):
        if float(np.abs(velocity).max()) < 1e-3:
            break
        velocity = velocity - np.clip(velocity, -change, change)
        control.drive(velocity)
        yield Feedback("stopping", 1.0)
    control.drive(np.zeros(3))


class _StuckMonitor:
    """Detect a base that is commanded to move and does not."""

    def __init__(self) -> None:
        self._stuck_for = 0.0

    def update(self, commanded: Vector3, measured: Vector3) -> None:
        is_commanded = np.linalg.norm(commanded[:2]) > CONFIG.stuck_command
        is_stuck = is_commanded and np.linalg.norm(measured[:2]) < CONFIG.stuck_speed
        self._stuck_for = self._stuck_for + CONTROL_PERIOD if is_stuck else 0.0
        if self._stuck_for > CONFIG.stuck_time:
            raise Blocked(
                f"the base is blocked: commanded to drive, it did not move for {CONFIG.stuck_time:.1f} s"
            )
