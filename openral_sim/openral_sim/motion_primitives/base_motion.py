"""Motions of the base: along a planned path, straight, or on the spot."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import wrap_angle
from openral_sim.planning.base_planner import CostToGo, plan_from
from openral_sim.planning.occupancy_grid import SimOccupancyGrid, rasterise
from openral_sim.planning.path_follower import DriveLimits, PathFollower
from openral_sim.skills.context import CONTROL_PERIOD, Feedback, Move, SkillContext
from openral_sim.skills.errors import Blocked, TookTooLong

Vector = NDArray[np.float64]

CLEARANCE = 0.33
"""Distance from the base's middle to any obstacle while driving in [m]; its radius and 6 cm."""
CLEARANCE_HOLDING = 0.40
"""The same with an object in the hand, which sticks out at the side, in [m]."""


@dataclass(frozen=True)
class BaseMotionConfig:
    """Parameters of supervising the base; tuned in simulation.

    Attributes:
        stuck_time: Time without motion after which the base counts as blocked in [s].
        stuck_command: Commanded speed from which motion is expected in [m/s].
        stuck_speed: Measured speed below which the base does not move in [m/s].
        settled_speed: Speed below which the base has stopped in [m/s] and [rad/s].
        time_limit: Time allowed for any motion in [s].
        time_per_metre: Additional time per length of path in [s/m]; less than half of top speed on average.
    """

    stuck_time: float = 1.5
    stuck_command: float = 0.05
    stuck_speed: float = 0.01
    settled_speed: float = 0.03
    time_limit: float = 8.0
    time_per_metre: float = 3.0


CONFIG = BaseMotionConfig()
_SLOW = DriveLimits(speed=0.35, turn_rate=0.9, acceleration=0.7, turn_acceleration=3.0)


def floor_now(context: SkillContext) -> SimOccupancyGrid:
    """Rasterise the floor as the scene is now."""
    return rasterise(context.model, context.data, context.own_bodies())


def plan_base_motion(context: SkillContext) -> CostToGo:
    """Plan paths over the floor from the base's present pose."""
    clearance = CLEARANCE_HOLDING if context.held else CLEARANCE
    return plan_from(floor_now(context), context.control.base_pose[:2], clearance)


def drive_to(context: SkillContext, goal: Vector, field: CostToGo, stage: str) -> Move[None]:
    """Drive along the least-cost path to a pose (x, y, yaw) in map, shape (3,).

    Raises:
        NoBasePath: If no path leads there.
        Blocked: If the base cannot move.
        TookTooLong: If it does not arrive within its time limit.
    """
    path = field.path_to(goal[:2])
    yield from _follow(context, PathFollower(path, float(goal[2])), stage)


def shift_by(context: SkillContext, offset: Vector, stage: str) -> Move[None]:
    """Move straight by an offset in map in [m], shape (2,), keeping the heading."""
    x, y, yaw = context.control.base_pose
    path = np.array([[x, y], [x + offset[0], y + offset[1]]])
    yield from _follow(context, PathFollower(path, float(yaw), _SLOW), stage)


def turn_to(context: SkillContext, yaw: float, stage: str) -> Move[None]:
    """Turn on the spot to a heading in map in [rad]."""
    here = context.control.base_pose[:2]
    yield from _follow(context, PathFollower(np.array([here, here]), yaw), stage)


def _follow(context: SkillContext, follower: PathFollower, stage: str) -> Move[None]:
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
        velocity = follower.command(control.base_pose, CONTROL_PERIOD)
        control.drive(velocity)
        yield Feedback(stage, 1.0 - follower.remaining() / max(follower.length, 1e-6))
        monitor.update(velocity, control.base_velocity)
    control.drive(np.zeros(3))
    raise TookTooLong(stage, bound)


class _StuckMonitor:
    """Detect a base that is commanded to move and does not."""

    def __init__(self) -> None:
        self._stuck_for = 0.0

    def update(self, commanded: Vector, measured: Vector) -> None:
        is_commanded = np.linalg.norm(commanded[:2]) > CONFIG.stuck_command
        is_stuck = is_commanded and np.linalg.norm(measured[:2]) < CONFIG.stuck_speed
        self._stuck_for = self._stuck_for + CONTROL_PERIOD if is_stuck else 0.0
        if self._stuck_for > CONFIG.stuck_time:
            raise Blocked(
                f"the base is blocked: commanded to drive, it did not move for {CONFIG.stuck_time:.1f} s"
            )
