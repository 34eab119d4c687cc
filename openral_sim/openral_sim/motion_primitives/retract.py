"""Leaving a work pose: retract the hand, back away with the base and stow the arm for driving."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from openral_core.arrays import Joints, Vector2
from openral_core.grasping.approach import pregrasp_pose
from openral_sim.motion_primitives.arm_motion import reach_along, reach_to
from openral_sim.motion_primitives.base_motion import floor_now, shift_by
from openral_sim.motion_primitives.context import Move, SkillContext
from openral_sim.planning.arm_planner import NoArmPath


@dataclass(frozen=True)
class RetractConfig:
    """Parameters of retracting and stowing; lengths in [m]. Tuned in simulation."""

    # Lengths of base motions to try where there is no room to stow the arm.
    shifts: tuple[float, ...] = (0.6, 0.4, 0.2)
    bearings: int = 16  # Number of directions of those motions.
    max_shifts: int = 3  # Number of those motions.
    step: float = 0.05  # Spacing of collision checks along them, and of free floor behind the base.
    stowed_error: float = 0.02  # Largest deviation of a stowed arm, also in [rad].
    max_retreat: float = 0.30  # Largest distance to back away.
    retract_speed: float = 0.25  # Speed of the retracting hand in [m/s].
    # Horizontal part of the approach axis from which the hand points forward rather than down [1].
    min_level_length: float = 0.3


CONFIG = RetractConfig()


def stow_arm(context: SkillContext, stage: str) -> Move[None]:
    """Bring the arm to its posture for driving: tucked, or carrying an object as it was grasped.

    If there is no path, the base first moves to where there is more room. An arm that the skill before could
    not stow is stowed this way by the next skill that drives.

    Raises:
        NoArmPath: If there is no path from anywhere near, either.
    """
    posture = _driving_posture(context)
    if float(np.abs(context.control.reach_target - posture).max()) <= CONFIG.stowed_error:
        return
    for _ in range(CONFIG.max_shifts):
        try:
            yield from reach_to(context, posture, stage)
        except NoArmPath:
            offset = next(shifts_to_more_room(context, posture), None)
            if offset is None:
                raise
            yield from shift_by(context, offset, "making room")
        else:
            return
    yield from reach_to(context, posture, stage)


def _driving_posture(context: SkillContext) -> Joints:
    robot = context.robot
    if context.held is None:
        return robot.stowed
    held = context.held.orientation
    return robot.carrying_down if held.is_downward else robot.carrying(held.pitch, held.roll)


def shifts_to_more_room(context: SkillContext, posture: Joints) -> Iterator[Vector2]:
    """List straight base motions in [m], shape (2,), that lead to more clearance, the most first."""
    floor, here = floor_now(context), context.control.base_pose[:2]
    bearings = np.arange(CONFIG.bearings) * 2 * np.pi / CONFIG.bearings
    offsets = [
        length * np.array([np.cos(bearing), np.sin(bearing)])
        for length in CONFIG.shifts
        for bearing in bearings
    ]
    clearances = {i: floor.clearance_at(here + offset) for i, offset in enumerate(offsets)}
    least = max(context.robot.description.base.clearance, floor.clearance_at(here))
    context.sync_collision_scene()
    context.checker.allow_current_contacts()
    for i in sorted(clearances, key=lambda i: -clearances[i]):
        if clearances[i] > least and is_shift_free(context, offsets[i], posture):
            yield offsets[i]


def is_shift_free(context: SkillContext, offset: Vector2, posture: Joints) -> bool:
    """Return True if the robot hits nothing new on the way, nor stowed at its end."""
    base, checker = context.control.base_pose, context.checker
    shift = np.append(offset, 0.0)
    count = int(np.ceil(np.linalg.norm(offset) / CONFIG.step))
    free = (checker.is_free(context.control.reach, base + shift * i / count) for i in range(1, count + 1))
    return all(free) and checker.is_free(posture, base + shift)


def retract_hand(context: SkillContext, clear: float) -> Move[None]:
    """Retract the level hand by at least ``clear`` [m], with the base as far as the floor allows, and stow.

    The arm stays stretched while the base backs away; retracted, its elbow would hit the base.
    """
    back = room_behind(context)
    if back < clear:
        goal = pregrasp_pose(context.control.T_map_grasp(), clear - back)
        yield from reach_along(context, goal, "drawing back", CONFIG.retract_speed)
    yield from back_away(context, back)
    yield from stow_arm(context, "folding the arm")


def back_away(context: SkillContext, distance: float) -> Move[None]:
    """Move the base back along the hand's direction by a distance in [m], keeping its heading."""
    yield from shift_by(context, -distance * forward_postures(context), "backing off")


def room_behind(context: SkillContext) -> float:
    """Free distance behind the base along the hand's direction in [m], up to ``max_retreat``."""
    here, forward = context.control.base_pose[:2], forward_postures(context)
    floor, back = floor_now(context), 0.0
    clearance = context.robot.description.base.clearance
    for distance in np.arange(CONFIG.step, CONFIG.max_retreat + 0.01, CONFIG.step):
        if floor.clearance_at(here - distance * forward) < clearance:
            break
        back = float(distance)
    return back


def forward_postures(context: SkillContext) -> Vector2:
    """Direction of the hand over the floor, or of the base if the hand points down; shape (2,)."""
    approach = context.control.T_map_grasp()[:2, 2]
    length = float(np.linalg.norm(approach))
    if length > CONFIG.min_level_length:
        return np.asarray(approach / length)
    yaw = float(context.control.base_pose[2])
    return np.array([np.cos(yaw), np.sin(yaw)])
