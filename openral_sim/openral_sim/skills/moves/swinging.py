"""Moving a door by moving the whole robot with it, about its hinge or along its rail, the arm held still."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import wrap_angle
from openral_sim.skills.context import CONTROL_PERIOD, SkillContext
from openral_sim.skills.feedback import Feedback, Move
from openral_sim.skills.moves.leaves import Leaf

Vector = NDArray[np.float64]
_RAMP = 0.8
_GAIN = 4.0
_SETTLE = 1.0


def swing(
    context: SkillContext, leaf: Leaf, angle: float, stage: str, stop: Callable[[float], bool]
) -> Move[bool]:
    """Carry the base along the arc that takes a door from where it stands to ``angle`` [rad].

    Args:
        context: The robot and its world.
        leaf: The door.
        angle: Where it shall stand in the end.
        stage: What to call it.
        stop: Asked every period with the angle the door should have by now; ends the motion.

    Returns:
        Whether the arc was finished, not stopped.
    """
    control = context.control
    first, start = leaf.angle(context), control.base_pose
    total = abs(angle - first)
    direction = float(np.sign(angle - first))
    duration = total / leaf.gait.rate + _RAMP
    for time in np.arange(0.0, duration + _SETTLE, CONTROL_PERIOD):
        turned, rate = _progress(float(time), total, duration)
        wanted = leaf.hinge.carried(start, direction * turned)
        ahead = leaf.hinge.velocity(wanted, direction * rate)
        control.drive(ahead + _GAIN * _error(wanted, control.base_pose))
        yield Feedback(stage, min(1.0, float(time) / (duration + _SETTLE)))
        if stop(first + direction * turned):
            control.drive(np.zeros(3))
            return False
    control.drive(np.zeros(3))
    return True


def _progress(time: float, total: float, duration: float) -> tuple[float, float]:
    """Angle turned in [rad] and rate in [rad/s]: ramp up, cruise, ramp down."""
    ramp = min(_RAMP, duration / 2)
    peak = total / (duration - ramp)
    time = min(time, duration)
    if time < ramp:
        return 0.5 * peak * time**2 / ramp, peak * time / ramp
    left = duration - time
    if left < ramp:
        return total - 0.5 * peak * left**2 / ramp, peak * left / ramp
    return peak * (time - ramp / 2), peak


def _error(wanted: Vector, pose: Vector) -> Vector:
    offset = wanted - pose
    return np.array([offset[0], offset[1], wrap_angle(float(offset[2]))])
