"""Folding the arm for driving, where there is room for it or a little way off."""
# MERGED Leaving a place of work.

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from openral_sim.motion_primitives.arm_motion import reach_along, reach_to
from openral_sim.motion_primitives.base_motion import CLEARANCE, floor_now, shift_by
from openral_sim.planning.approach import pregrasp_pose
from openral_sim.planning.arm_planner import NoArmPath
from openral_sim.robot.joints import CARRYING, TUCKED, carrying
from openral_sim.skills.context import Move, SkillContext

Vector = NDArray[np.float64]
_ASIDE, _STEP, _BEARINGS = (0.6, 0.4, 0.2), 0.05, 16
_MOVES = 3


def stow_arm(context: SkillContext, stage: str) -> Move[None]:
    """Bring the arm to the posture for driving: tucked, or carrying what is held as it was taken.

    Where there is no way to it, the base first makes room, the arm as it is; that is how an arm that could
    not be folded by the skill before is folded by the next one that drives.

    Raises:
        NoArmPath: If there is no way from anywhere near, either.
    """
    posture = np.array(_driving_posture(context))
    if float(np.abs(context.control.reach_target - posture).max()) <= 0.02:
        return
    for _ in range(_MOVES):
        try:
            yield from reach_to(context, posture, stage)
        except NoArmPath:
            offset = next(_roomier(context, posture), None)
            if offset is None:
                raise
            yield from shift_by(context, offset, "making room")
        else:
            return
    yield from reach_to(context, posture, stage)


def _driving_posture(context: SkillContext) -> tuple[float, ...]:
    if context.held is None:
        return TUCKED
    held = context.held.pointing
    return CARRYING if held.is_downward else carrying(held.pitch, held.roll)


def _roomier(context: SkillContext, posture: Vector) -> Iterator[Vector]:
    """Straight ways over the floor in [m], shape (2,), that lead to more room, the roomiest first."""
    floor, here = floor_now(context), context.control.base_pose[:2]
    bearings = np.arange(_BEARINGS) * 2 * np.pi / _BEARINGS
    offsets = [far * np.array([np.cos(at), np.sin(at)]) for far in _ASIDE for at in bearings]
    room = {i: floor.clearance_at(here + offset) for i, offset in enumerate(offsets)}
    least = max(CLEARANCE, floor.clearance_at(here))
    context.look_around()
    context.checker.tolerate_present()
    for i in sorted(room, key=lambda i: -room[i]):
        if room[i] > least and _leads_off(context, offsets[i], posture):
            yield offsets[i]


def _leads_off(context: SkillContext, offset: Vector, posture: Vector) -> bool:
    """Whether the robot as it is touches nothing new on the way, nor folded at its end."""
    base, checker = context.control.base_pose, context.checker
    way = np.append(offset, 0.0)
    count = int(np.ceil(np.linalg.norm(offset) / _STEP))
    free = (checker.free(context.control.reach, base + way * i / count) for i in range(1, count + 1))
    return all(free) and checker.free(posture, base + way)


_BACK = 0.30
_STEEP = 0.3


def retract_hand(context: SkillContext, clear: float) -> Move[None]:
    """Draw the level hand back by at least ``clear`` [m], with the base as far as the floor allows, and fold.

    The arm stays stretched meanwhile: drawn in, its elbow would come down on the base.
    """
    back = room_behind(context)
    if back < clear:
        goal = pregrasp_pose(context.control.T_map_grasp(), clear - back)
        yield from reach_along(context, goal, "drawing back", 0.25)
    yield from back_away(context, back)
    yield from stow_arm(context, "folding the arm")


def back_away(context: SkillContext, distance: float) -> Move[None]:
    """Move the base straight back from where the hand points by a distance in [m], keeping the heading."""
    yield from shift_by(context, -distance * _forward(context), "backing off")


def room_behind(context: SkillContext) -> float:
    """How far the base can back off straight from where the hand points in [m], at most 30 cm."""
    here, forward = context.control.base_pose[:2], _forward(context)
    floor, back = floor_now(context), 0.0
    for distance in np.arange(0.05, _BACK + 0.01, 0.05):
        if floor.clearance_at(here - distance * forward) < CLEARANCE:
            break
        back = float(distance)
    return back


def _forward(context: SkillContext) -> Vector:
    """Where the hand points over the floor, or where the base faces if it points down; shape (2,)."""
    approach = context.control.T_map_grasp()[:2, 2]
    length = float(np.linalg.norm(approach))
    if length > _STEEP:
        return np.asarray(approach / length)
    yaw = float(context.control.base_pose[2])
    return np.array([np.cos(yaw), np.sin(yaw)])
