"""Standing a thing on what is under it."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_sim.motions.kinematics import Unreachable
from openral_sim.skills.context import CONTROL_PERIOD, Held, SkillContext
from openral_sim.skills.feedback import Feedback, Move
from openral_sim.skills.moves.gripping import bumped, contacts_of
from openral_sim.skills.moves.reaching import reach_along

Vector = NDArray[np.float64]
_BELOW, _TIMES, _SPEED = (0.030, 0.022, 0.015), 2, 0.03
_CARRIED = 1.0
_STILL = np.array([0.02, 0.02, 0.02, 0.2, 0.2, 0.2])
"""Speeds below which a thing stands still in [m/s] and [rad/s]."""
_STILL_FOR, _BOUND = 0.1, 1.0


def set_down(context: SkillContext, held: Held) -> Move[None]:
    """Lower what is held the last centimetre, at most six, until something else carries it.

    Raises:
        Unreachable: If the arm cannot go even as low as where it should stand.
    """
    for _ in range(_TIMES):
        yield from _lower(context, held)
        if _felt(context, held):
            return


def _lower(context: SkillContext, held: Held) -> Move[None]:
    """Lower it by as much as the arm can go, until something else carries it."""
    for below in _BELOW:
        goal = context.control.T_map_grasp()
        goal[2, 3] -= below
        try:
            yield from reach_along(context, goal, "setting down", _SPEED, stop=lambda: _felt(context, held))
        except Unreachable as error:
            refused = error
        else:
            return
    raise refused


def _felt(context: SkillContext, held: Held) -> bool:
    return stands(context, held.body) or bumped(context)


def stands(context: SkillContext, body: int) -> bool:
    """Whether something that is not the robot bears all of a body's weight."""
    force, total = np.zeros(6), np.zeros(3)
    for index in contacts_of(context, {body}, context.own_bodies() | {body}):
        mujoco.mj_contactForce(context.model, context.data, index, force)
        contact = context.data.contact[index]
        total += force[:3] @ contact.frame.reshape(3, 3)
    weight = float(context.model.body_mass[body]) * float(np.linalg.norm(context.model.opt.gravity))
    return abs(float(total[2])) > _CARRIED * weight


def wait_until_still(context: SkillContext, body: int, stage: str) -> Move[None]:
    """Wait, bounded, until a free body neither turns nor moves."""
    still, first = 0.0, context.model.jnt_dofadr[context.model.body_jntadr[body]]
    for _ in range(int(_BOUND / CONTROL_PERIOD)):
        moves = bool((np.abs(context.data.qvel[first : first + 6]) > _STILL).any())
        still = 0.0 if moves else still + CONTROL_PERIOD
        if still >= _STILL_FOR:
            return
        yield Feedback(stage, 0.9)
