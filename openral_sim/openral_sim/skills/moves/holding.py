"""Keeping what the fingers have closed on, and giving it up again."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.skills import Verb
from openral_sim.skills.context import Held, SkillContext
from openral_sim.skills.failures import BadRequest, LostObject, NothingHeld

Vector = NDArray[np.float64]
_STRAYED = 0.05


def fasten(context: SkillContext, weld: str, holder: int, body: int) -> None:
    """Activate a weld that keeps ``body`` where it is in ``holder``'s frame.

    Call it only when both really touch: the weld stands for a grip, it does not make one.
    """
    model, data = context.model, context.data
    R, p = data.xmat[holder].reshape(3, 3), data.xpos[holder]
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, (R.T @ data.xmat[body].reshape(3, 3)).ravel())
    index = model.equality(weld).id
    model.eq_obj1id[index], model.eq_obj2id[index] = holder, body
    model.eq_data[index] = 0.0
    model.eq_data[index, 3:6] = R.T @ (data.xpos[body] - p)
    model.eq_data[index, 6:10] = quat
    model.eq_data[index, 10] = 1.0
    data.eq_active[index] = 1


def pin(context: SkillContext, connect: str, holder: int, body: int) -> None:
    """Activate a joint that keeps the point between the fingers on ``body``, free to turn about it.

    Call it only when the fingers really touch the body.
    """
    model, data = context.model, context.data
    index, point = model.equality(connect).id, context.control.T_map_grasp()[:3, 3]
    model.eq_obj1id[index], model.eq_obj2id[index] = holder, body
    model.eq_data[index] = 0.0
    for first, one in ((0, holder), (3, body)):
        R = data.xmat[one].reshape(3, 3)
        model.eq_data[index, first : first + 3] = R.T @ (point - data.xpos[one])
    data.eq_active[index] = 1


def unfasten(context: SkillContext, weld: str) -> None:
    """Deactivate a weld."""
    context.data.eq_active[context.model.equality(weld).id] = 0


def require_empty(context: SkillContext) -> None:
    """Make sure the hand is free to take something.

    Raises:
        BadRequest: If it holds something.
    """
    if context.held is not None:
        raise BadRequest(f"the hand already holds '{context.held.label}'; place it or hand it over first")


def require_held(context: SkillContext, verb: Verb) -> Held:
    """What the hand holds.

    Raises:
        NothingHeld: If it holds nothing.
        LostObject: If what it held is no longer where the hand is.
    """
    held = context.held
    if held is None:
        raise NothingHeld(verb)
    strayed = float(np.linalg.norm((T_grasp_body(context, held.body) - held.T_grasp_body)[:3, 3]))
    if strayed > _STRAYED:
        unfasten(context, context.names.grasp_weld)
        context.held = None
        raise LostObject(
            f"the {held.label} is no longer in the hand: it is {strayed:.2f} m from where it was held"
        )
    return held


def T_grasp_body(context: SkillContext, body: int) -> Vector:
    """Pose of a body in the grasp site's frame, shape (4, 4)."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = context.data.xmat[body].reshape(3, 3), context.data.xpos[body]
    relative: Vector = np.linalg.inv(context.control.T_map_grasp()) @ T
    return relative


def distance_to(context: SkillContext, body: int, point: Vector) -> float:
    """Distance from a point of map to the nearest of a body's geoms, as boxes, in [m]."""
    model, data = context.model, context.data
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    return min(_box_distance(model, data, geom, point) for geom in range(first, first + count))


def _box_distance(model: mujoco.MjModel, data: mujoco.MjData, geom: int, point: Vector) -> float:
    centre, half = model.geom_aabb[geom].reshape(2, 3)
    local = data.geom_xmat[geom].reshape(3, 3).T @ (point - data.geom_xpos[geom]) - centre
    return float(np.linalg.norm(np.clip(np.abs(local) - half, 0.0, None)))
