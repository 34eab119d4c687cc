"""Opening and closing the hand, and what the fingers feel."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_sim.motions.grasps import OPENING
from openral_sim.skills.context import CONTROL_PERIOD, SkillContext
from openral_sim.skills.feedback import Feedback, Move

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


def let_go(context: SkillContext, stage: str) -> Move[None]:
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


def bumped(context: SkillContext) -> bool:
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
