"""Putting an object down: lower it until it is supported and wait until it is still."""

from contextlib import suppress
from dataclasses import dataclass

import mujoco
import numpy as np

from openral_core.arrays import Points, Vector3
from openral_core.skills import Feedback
from openral_sim.motion_primitives.arm_motion import reach_along
from openral_sim.motion_primitives.context import CONTROL_PERIOD, HeldObject, Move, SkillContext
from openral_sim.motion_primitives.gripper import contact_detected, contacts_of, touches_hand
from openral_sim.planning.inverse_kinematics import IkFailed

_STILL = np.array([0.02, 0.02, 0.02, 0.2, 0.2, 0.2])
"""Speeds below which an object is still in [m/s] and [rad/s]."""
_ROUND = tuple(map(int, (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_ELLIPSOID)))
_CORNERS = np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T  # Of a unit box.


@dataclass(frozen=True)
class ReleaseConfig:
    """Parameters of putting an object down; tuned in simulation."""

    # Distances to lower the hand by in [m], the first that the arm can reach.
    descents: tuple[float, ...] = (0.030, 0.022, 0.015)
    max_descents: int = 2  # Number of times to lower it.
    # Longest way of the open hand down, away from an object that rests on a finger, in [m].
    slip: float = 0.012
    speed: float = 0.03  # Speed of lowering in [m/s].
    min_support: float = 1.0  # Fraction of its weight that must be borne by something other than the robot.
    still_time: float = 0.1  # Time that an object must be still in [s].
    max_wait: float = 1.0  # Longest wait for it in [s].


CONFIG = ReleaseConfig()


def lower_until_supported(context: SkillContext, held: HeldObject) -> Move[None]:
    """Lower the held object, by six centimetres at most, until something else supports it.

    Raises:
        IkFailed: If the arm cannot reach even the shortest descent.
    """
    for _ in range(CONFIG.max_descents):
        yield from _lower(context, held)
        if _has_landed(context, held):
            return


def _lower(context: SkillContext, held: HeldObject) -> Move[None]:
    """Lower the object by the longest descent in reach, until something else supports it."""
    for descent in CONFIG.descents:
        goal = context.control.T_map_grasp()
        goal[2, 3] -= descent
        try:
            yield from reach_along(
                context, goal, "setting down", CONFIG.speed, stop=lambda: _has_landed(context, held)
            )
        except IkFailed as error:
            refused = error
        else:
            return
    raise refused


def slip_off(context: SkillContext, body: int) -> Move[None]:
    """Lower the open hand a little if an object that it let go still rests on a finger.

    A cup that is wider above would otherwise be dragged along when the hand retracts.
    """
    if not touches_hand(context, body):
        return
    goal = context.control.T_map_grasp()
    goal[2, 3] -= CONFIG.slip
    with suppress(IkFailed):
        yield from reach_along(
            context, goal, "letting go", CONFIG.speed, stop=lambda: contact_detected(context)
        )


def _has_landed(context: SkillContext, held: HeldObject) -> bool:
    return is_supported(context, held.body) or contact_detected(context)


def is_supported(context: SkillContext, body: int) -> bool:
    """Return True if something other than the robot bears all of a body's weight."""
    force, total = np.zeros(6), np.zeros(3)
    for index in contacts_of(context, {body}, context.own_bodies() | {body}):
        mujoco.mj_contactForce(context.model, context.data, index, force)
        contact = context.data.contact[index]
        total += force[:3] @ contact.frame.reshape(3, 3)
    weight = float(context.model.body_mass[body]) * float(np.linalg.norm(context.model.opt.gravity))
    return abs(float(total[2])) > CONFIG.min_support * weight


def wait_until_still(context: SkillContext, body: int, stage: str) -> Move[None]:
    """Wait, up to a limit, until a free body is still."""
    still_for, first = 0.0, context.model.jnt_dofadr[context.model.body_jntadr[body]]
    for _ in range(int(CONFIG.max_wait / CONTROL_PERIOD)):
        moves = bool((np.abs(context.data.qvel[first : first + 6]) > _STILL).any())
        still_for = 0.0 if moves else still_for + CONTROL_PERIOD
        if still_for >= CONFIG.still_time:
            return
        yield Feedback(stage, 0.9)


def extent(model: mujoco.MjModel, body: int) -> tuple[Vector3, Vector3]:
    """Low and high corner of a body's colliding geoms, in its own frame in [m], each shape (3,)."""
    corners = np.vstack([_corners(model, geom) for geom in _colliding_geoms(model, body)])
    return corners.min(axis=0), corners.max(axis=0)


def is_round(model: mujoco.MjModel, body: int) -> bool:
    """Return True if all of a body's colliding geoms are spheres or ellipsoids, so that it has no upright."""
    return all(model.geom_type[geom] in _ROUND for geom in _colliding_geoms(model, body))


def _colliding_geoms(model: mujoco.MjModel, body: int) -> list[int]:
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    return [geom for geom in range(first, first + count) if model.geom_contype[geom]]


def _corners(model: mujoco.MjModel, geom: int) -> Points:
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.geom_quat[geom])
    centre, half = model.geom_aabb[geom].reshape(2, 3)
    corners: Points = (centre + _CORNERS * half) @ R.reshape(3, 3).T + model.geom_pos[geom]
    return corners
