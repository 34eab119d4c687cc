"""Standing a thing on what is under it."""
# MERGED How far a body reaches, from its geoms' bounding boxes.

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_sim.motion_primitives.arm_motion import reach_along
from openral_sim.motion_primitives.gripper import contact_detected, contacts_of
from openral_sim.planning.inverse_kinematics import IkFailed
from openral_sim.skills.context import CONTROL_PERIOD, Feedback, Held, Move, SkillContext

Vector = NDArray[np.float64]
_BELOW, _TIMES, _SPEED = (0.030, 0.022, 0.015), 2, 0.03
_CARRIED = 1.0
_STILL = np.array([0.02, 0.02, 0.02, 0.2, 0.2, 0.2])
"""Speeds below which a thing stands still in [m/s] and [rad/s]."""
_STILL_FOR, _BOUND = 0.1, 1.0


def lower_until_supported(context: SkillContext, held: Held) -> Move[None]:
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
        except IkFailed as error:
            refused = error
        else:
            return
    raise refused


def _felt(context: SkillContext, held: Held) -> bool:
    return is_supported(context, held.body) or contact_detected(context)


def is_supported(context: SkillContext, body: int) -> bool:
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


_CORNERS = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T


def extent(model: mujoco.MjModel, body: int) -> tuple[Vector, Vector]:
    """Low and high corner of what collides of a body, in its own frame in [m], each shape (3,)."""
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    solid = [geom for geom in range(first, first + count) if model.geom_contype[geom]]
    corners = np.vstack([_corners(model, geom) for geom in solid])
    return corners.min(axis=0), corners.max(axis=0)


def _corners(model: mujoco.MjModel, geom: int) -> Vector:
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.geom_quat[geom])
    centre, half = model.geom_aabb[geom].reshape(2, 3)
    corners: Vector = (centre + _CORNERS * half) @ R.reshape(3, 3).T + model.geom_pos[geom]
    return corners
