"""Folding the arm for driving, where there is room for it or a little way off."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from openral_sim.motions.arm_paths import NoArmPath
from openral_sim.robot.postures import CARRYING, TUCKED, carrying
from openral_sim.skills.context import SkillContext
from openral_sim.skills.feedback import Move
from openral_sim.skills.moves.driving import CLEARANCE, floor_now, shift_by
from openral_sim.skills.moves.reaching import reach_to

Vector = NDArray[np.float64]
_ASIDE, _STEP, _BEARINGS = (0.6, 0.4, 0.2), 0.05, 16
_MOVES = 3


def fold(context: SkillContext, stage: str) -> Move[None]:
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
