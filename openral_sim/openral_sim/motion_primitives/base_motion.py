"""Moving the base."""

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
"""Distance from the base's middle to any obstacle while driving in [m]."""
CLEARANCE_HOLDING = 0.40
"""The same with something in the hand, which sticks out."""
_STUCK_AFTER = 1.5
_SLOW = DriveLimits(speed=0.35, turn_rate=0.9, acceleration=0.7, turn_acceleration=3.0)


def floor_now(context: SkillContext) -> SimOccupancyGrid:
    """Where the base may stand, as the scene is now."""
    return rasterise(context.model, context.data, context.own_bodies())


def plan_base_motion(context: SkillContext) -> CostToGo:
    """Ways over the floor from where the base stands."""
    clearance = CLEARANCE_HOLDING if context.held else CLEARANCE
    return plan_from(floor_now(context), context.control.base_pose[:2], clearance)


def drive_to(context: SkillContext, goal: Vector, field: CostToGo, stage: str) -> Move[None]:
    """Drive along the least-cost way to a pose (x, y, yaw) in map, shape (3,).

    Raises:
        NoWay: If none leads there.
        Blocked: If the base is held up.
        TookTooLong: If it has not arrived in a bounded time.
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
    bound = 8.0 + 3.0 * follower.length + turn
    watch = _StuckWatch()
    for _ in range(int(bound / CONTROL_PERIOD)):
        if follower.arrived(control.base_pose) and float(np.abs(control.base_velocity).max()) < 0.03:
            control.drive(np.zeros(3))
            return
        velocity = follower.command(control.base_pose, CONTROL_PERIOD)
        control.drive(velocity)
        yield Feedback(stage, 1.0 - follower.remaining() / max(follower.length, 1e-6))
        watch.note(velocity, control.base_velocity)
    control.drive(np.zeros(3))
    raise TookTooLong(stage, bound)


class _StuckWatch:
    """Notices a base that is told to move and does not."""

    def __init__(self) -> None:
        self._still = 0.0

    def note(self, wanted: Vector, measured: Vector) -> None:
        held_up = np.linalg.norm(wanted[:2]) > 0.05 and np.linalg.norm(measured[:2]) < 0.01
        self._still = self._still + CONTROL_PERIOD if held_up else 0.0
        if self._still > _STUCK_AFTER:
            raise Blocked(f"the base was told to drive and did not move for {_STUCK_AFTER:.1f} s")
