"""The gripper: opening, closing, contact sensing, and the constraints that stand for its grip."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import mujoco
import numpy as np

from openral_core.arrays import Transform, Vector3
from openral_core.grasping.approach import HandOrientation
from openral_core.skill_errors import BadRequest, LostObject, NothingHeld
from openral_core.skills import Feedback, Verb
from openral_sim.motion_primitives.context import CONTROL_PERIOD, HeldObject, Move, SkillContext
from openral_sim.robot.control import hand_bodies


@dataclass(frozen=True)
class GripperMotionConfig:
    """Parameters of opening, closing and sensing contact; tuned in simulation."""

    opening_time: float = 1.0  # Longest wait for the fingers to open in [s].
    opening_tolerance: float = 0.004  # Error of the opening that counts as open in [m].
    closing_time: float = 1.6  # Longest wait for the fingers to close in [s].
    firm_time: float = 0.12  # Time that both fingers must touch a body before it counts as grasped in [s].
    closed_opening: float = 0.001  # Opening at which the fingers have closed on nothing in [m].
    # Force on the hand above which it has hit something in [N]; a brush stays below.
    bump_force: float = 25.0
    slow_time: float = 0.4  # Duration of a slow release in [s].
    slow_opening: float = 0.02  # Opening of the fingers during a slow release in [m].
    max_displacement: float = 0.05  # Displacement in the hand at which a held object counts as lost in [m].


CONFIG = GripperMotionConfig()


def open_hand(context: SkillContext, stage: str, opening: float | None = None) -> Move[None]:
    """Open the fingers fully, or to an opening in [m], and wait up to a limit."""
    widest = context.robot.gripper.max_opening
    opening = widest if opening is None else opening
    context.control.grip(opening)
    for _ in range(int(CONFIG.opening_time / CONTROL_PERIOD)):
        if abs(context.control.opening - opening) < CONFIG.opening_tolerance:
            return
        yield Feedback(stage, min(1.0, context.control.opening / widest))


def release_slowly(context: SkillContext, stage: str) -> Move[None]:
    """Open the fingers slowly, so that the object between them does not fall over, then fully."""
    first = context.control.opening
    count = int(CONFIG.slow_time / CONTROL_PERIOD)
    for step in range(count):
        context.control.grip(first + CONFIG.slow_opening * (step + 1) / count)
        yield Feedback(stage, step / count)
    yield from open_hand(context, stage)


def close_hand(
    context: SkillContext, stage: str, sense: Callable[[SkillContext], int | None] | None = None
) -> Move[int | None]:
    """Close until both fingers press on one movable body, and wait up to a limit.

    Args:
        sense: Returns the grasped body, if any; by default any free body between the fingers.

    Returns:
        That body's id, or None if the fingers grasped nothing.
    """
    context.control.grip(0.0)
    firm_for, sense = 0.0, sense or between_fingers
    for step in range(int(CONFIG.closing_time / CONTROL_PERIOD)):
        yield Feedback(stage, step * CONTROL_PERIOD / CONFIG.closing_time)
        body = sense(context)
        firm_for = firm_for + CONTROL_PERIOD if body is not None else 0.0
        if firm_for >= CONFIG.firm_time:
            return body
        if context.control.opening < CONFIG.closed_opening:
            return None
    return None


def between_fingers(context: SkillContext) -> int | None:
    """Return the movable body that both fingers touch, or None."""
    first, second = (_touched(context, finger) for finger in context.names.fingers)
    return min((body for body in first & second if is_movable(context.model, body)), default=None)


def is_movable(model: mujoco.MjModel, body: int) -> bool:
    """Return True if a body's own joint has six degrees of freedom."""
    joint = model.body_jntadr[body]
    return bool(joint >= 0 and int(model.jnt_type[joint]) == int(mujoco.mjtJoint.mjJNT_FREE))


def bar_between_fingers(context: SkillContext, bar: tuple[str, ...]) -> int | None:
    """Return the body of a bar made of named geoms if both fingers touch it, else None."""
    geoms = [context.model.geom(name).id for name in bar]
    pairs = context.data.contact.geom
    pairs = pairs[np.isin(pairs, geoms).any(axis=1)]
    touched = {int(body) for body in context.model.geom_bodyid[pairs].ravel()}
    both = all(context.model.body(finger).id in touched for finger in context.names.fingers)
    return int(context.model.geom_bodyid[geoms[0]]) if both else None


def contact_detected(context: SkillContext) -> bool:
    """Return True if the hand has hit something outside."""
    return push_on_hand(context) > CONFIG.bump_force


def touches_hand(context: SkillContext, body: int) -> bool:
    """Return True if a body touches the hand or a finger."""
    contacts = contacts_of(context, hand_bodies(context.model, context.names), context.own_bodies())
    return any(body in context.model.geom_bodyid[context.data.contact[i].geom] for i in contacts)


def push_on_hand(context: SkillContext) -> float:
    """Sum the normal forces of outside contacts on the hand in [N]."""
    hand, own = hand_bodies(context.model, context.names), context.own_bodies()
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
    """Return indices of the contacts of some bodies with anything that is not ``own``."""
    pairs = context.model.geom_bodyid[context.data.contact.geom].reshape(-1, 2)
    touching = np.isin(pairs, list(bodies)).any(axis=1) & ~np.isin(pairs, list(own)).all(axis=1)
    return [int(index) for index in np.flatnonzero(touching)]


def activate_weld(context: SkillContext, weld: str, holder: int, body: int) -> None:
    """Activate a weld that keeps ``body`` where it is in ``holder``'s frame.

    Call it only when both touch: the weld stands for a grip, it does not make one.
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


def hold(context: SkillContext, body: int, label: str, height: float, orientation: HandOrientation) -> None:
    """Hold a body that both fingers press on; a weld stands for their grip, and a person lets it go.

    Args:
        label: Name under which it is held.
        height: Height of the grasp above its support [m].
        orientation: Orientation of the hand that grasped it.
    """
    for weld in context.names.handover_welds:
        if context.model.eq_obj2id[context.model.equality(weld).id] == body:
            deactivate_weld(context, weld)
    activate_weld(context, context.names.grasp_weld, context.model.body(context.names.hand).id, body)
    context.held = HeldObject(body, T_grasp_body(context, body), label, height, orientation)


def activate_point_constraint(context: SkillContext, connect: str, holder: int, body: int) -> None:
    """Activate a constraint that keeps the point between the fingers on ``body``, free to rotate about it.

    Call it only when the fingers touch the body.
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
    """Deactivate a weld or point constraint."""
    context.data.eq_active[context.model.equality(weld).id] = 0


def require_empty(context: SkillContext) -> None:
    """Ensure that the hand is empty.

    Raises:
        BadRequest: If it holds an object.
    """
    if context.held is not None:
        raise BadRequest(f"the hand already holds '{context.held.label}'; place it or hand it over first")


def require_held(context: SkillContext, verb: Verb) -> HeldObject:
    """Return the held object.

    Raises:
        NothingHeld: If the hand is empty.
        LostObject: If the object is no longer in the hand.
    """
    held = context.held
    if held is None:
        raise NothingHeld(verb)
    displacement = float(np.linalg.norm((T_grasp_body(context, held.body) - held.T_grasp_body)[:3, 3]))
    if displacement > CONFIG.max_displacement:
        deactivate_weld(context, context.names.grasp_weld)
        context.held = None
        raise LostObject(
            f"the {held.label} is no longer in the hand: it moved {displacement:.2f} m from where it was held"
        )
    return held


def T_grasp_body(context: SkillContext, body: int) -> Transform:
    """Pose of a body in the grasp site's frame, shape (4, 4)."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = context.data.xmat[body].reshape(3, 3), context.data.xpos[body]
    relative: Transform = np.linalg.inv(context.control.T_map_grasp()) @ T
    return relative


def distance_to(context: SkillContext, body: int, point: Vector3) -> float:
    """Distance from a point of map to the nearest of a body's geoms, as boxes, in [m]."""
    model, data = context.model, context.data
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    return min(_box_distance(model, data, geom, point) for geom in range(first, first + count))


def _box_distance(model: mujoco.MjModel, data: mujoco.MjData, geom: int, point: Vector3) -> float:
    centre, half = model.geom_aabb[geom].reshape(2, 3)
    local = data.geom_xmat[geom].reshape(3, 3).T @ (point - data.geom_xpos[geom]) - centre
    return float(np.linalg.norm(np.clip(np.abs(local) - half, 0.0, None)))
