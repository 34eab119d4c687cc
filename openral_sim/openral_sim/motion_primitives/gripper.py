"""Opening and closing the hand, and what the fingers feel."""
# MERGED Keeping what the fingers have closed on, and giving it up again.

from collections.abc import Callable
from collections.abc import Set as AbstractSet

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.skills import Verb
from openral_sim.planning.grasp_planner import OPENING
from openral_sim.skills.context import CONTROL_PERIOD, Feedback, Held, Move, SkillContext
from openral_sim.skills.errors import BadRequest, LostObject, NothingHeld

Vector = NDArray[np.float64]
_CLOSE_BOUND = 1.6
_FIRM = 0.12
_BUMP = 25.0
_GENTLY, _GENTLE_WAY = 0.4, 0.02


def open_hand(context: SkillContext, stage: str, opening: float = OPENING) -> Move[None]:
    """Open the fingers fully, or only so far in [m], waiting a bounded time."""
    context.control.grip(opening)
    for _ in range(int(1.0 / CONTROL_PERIOD)):
        if abs(context.control.opening - opening) < 0.004:
            return
        yield Feedback(stage, min(1.0, context.control.opening / OPENING))


def release_slowly(context: SkillContext, stage: str) -> Move[None]:
    """Open the fingers so slowly that what stands between them is not thrown over, then fully."""
    first = context.control.opening
    count = int(_GENTLY / CONTROL_PERIOD)
    for step in range(count):
        context.control.grip(first + _GENTLE_WAY * (step + 1) / count)
        yield Feedback(stage, step / count)
    yield from open_hand(context, stage)


def close_hand(
    context: SkillContext, stage: str, felt: Callable[[SkillContext], int | None] | None = None
) -> Move[int | None]:
    """Close until both fingers press on one movable body, waiting a bounded time.

    Args:
        context: The robot and its world.
        stage: What to call it.
        felt: What counts as held; by default any free body between the fingers.

    Returns:
        That body's id, or None if there is none.
    """
    context.control.grip(0.0)
    firm, feel = 0.0, felt or between_fingers
    for step in range(int(_CLOSE_BOUND / CONTROL_PERIOD)):
        yield Feedback(stage, step * CONTROL_PERIOD / _CLOSE_BOUND)
        body = feel(context)
        firm = firm + CONTROL_PERIOD if body is not None else 0.0
        if firm >= _FIRM:
            return body
        if context.control.opening < 0.001:
            return None
    return None


def between_fingers(context: SkillContext) -> int | None:
    """The movable body that both fingers touch, or None."""
    left, right = (_touched(context, finger) for finger in context.names.fingers)
    return min((body for body in left & right if is_movable(context.model, body)), default=None)


def is_movable(model: mujoco.MjModel, body: int) -> bool:
    """Whether a body is free: its own joint has six degrees of freedom."""
    joint = model.body_jntadr[body]
    return bool(joint >= 0 and int(model.jnt_type[joint]) == int(mujoco.mjtJoint.mjJNT_FREE))


def bar_between_fingers(context: SkillContext, bar: tuple[str, ...]) -> int | None:
    """The body of a bar made of named geoms, if both fingers touch it, or None."""
    geoms = [context.model.geom(name).id for name in bar]
    pairs = context.data.contact.geom
    pairs = pairs[np.isin(pairs, geoms).any(axis=1)]
    touched = {int(body) for body in context.model.geom_bodyid[pairs].ravel()}
    both = all(context.model.body(finger).id in touched for finger in context.names.fingers)
    return int(context.model.geom_bodyid[geoms[0]]) if both else None


def contact_detected(context: SkillContext) -> bool:
    """Whether something outside pushes the hand harder than a brush."""
    return push_on_hand(context) > _BUMP


def push_on_hand(context: SkillContext) -> float:
    """How hard everything outside pushes the hand in [N]."""
    hand = {context.model.body(name).id for name in (context.names.hand, *context.names.fingers)}
    own = context.own_bodies()
    force = np.zeros(6)
    total = 0.0
    for index in contacts_of(context, hand, own):
        mujoco.mj_contactForce(context.model, context.data, index, force)
        total += abs(float(force[0]))
    return total


def _touched(context: SkillContext, finger: str) -> set[int]:
    body = context.model.body(finger).id
    pairs = context.model.geom_bodyid[context.data.contact.geom]
    return {int(a if b == body else b) for a, b in pairs if body in (a, b) and a != b}


def contacts_of(context: SkillContext, bodies: AbstractSet[int], own: AbstractSet[int]) -> list[int]:
    """Numbers of the contacts of some bodies with anything that is not ``own``."""
    pairs = context.model.geom_bodyid[context.data.contact.geom].reshape(-1, 2)
    touching = np.isin(pairs, list(bodies)).any(axis=1) & ~np.isin(pairs, list(own)).all(axis=1)
    return [int(index) for index in np.flatnonzero(touching)]


_STRAYED = 0.05


def activate_weld(context: SkillContext, weld: str, holder: int, body: int) -> None:
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


def activate_point_constraint(context: SkillContext, connect: str, holder: int, body: int) -> None:
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


def deactivate_weld(context: SkillContext, weld: str) -> None:
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
        deactivate_weld(context, context.names.grasp_weld)
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
