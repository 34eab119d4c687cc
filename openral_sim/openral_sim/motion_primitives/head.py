"""Aiming the head camera."""

import numpy as np

from openral_core.arrays import PlanarPose, Vector3
from openral_core.geometry import wrap_angle
from openral_core.skills import Feedback
from openral_sim.motion_primitives.base_motion import turn_to
from openral_sim.motion_primitives.context import CONTROL_PERIOD, Move, SkillContext
from openral_sim.robot.sim_robot import HeadGeometry

_AIM_TIME = 1.5
"""Longest wait for the head to arrive in [s]."""
_AIM_TOLERANCE = 0.02
"""Error that counts as aimed in [rad]; about ten pixels."""


def head_angles(head: HeadGeometry, point: Vector3, base: PlanarPose) -> tuple[float, float]:
    """Compute the pan and tilt in [rad] that aim the head camera at a point from a base pose.

    Args:
        point: In map in [m], shape (3,).
        base: Pose (x, y, yaw) in map, shape (3,).
    """
    c, s = np.cos(base[2]), np.sin(base[2])
    offset = point[:2] - base[:2]
    x, y = c * offset[0] + s * offset[1] - head.pan_x, -s * offset[0] + c * offset[1]
    drop = head.height - point[2]
    return float(np.arctan2(y, x)), float(np.arctan2(drop, np.hypot(x, y) - head.tilt_x))


def aim(context: SkillContext, point: Vector3, stage: str) -> Move[None]:
    """Aim the head at a point of map and wait, up to a limit, until it arrives; the base stays."""
    context.control.point_head(*head_angles(context.head, point, context.control.base_pose))
    target = context.data.ctrl[[context.model.actuator(name).id for name in context.names.head_joints]]
    for _ in range(int(_AIM_TIME / CONTROL_PERIOD)):
        if float(np.abs(context.control.head - target).max()) < _AIM_TOLERANCE:
            return
        yield Feedback(stage, 0.9)


def face(context: SkillContext, point: Vector3, stage: str) -> Move[None]:
    """Turn the base towards a point if the head cannot pan that far."""
    base = context.control.base_pose
    pan, _ = head_angles(context.head, point, base)
    if abs(pan) > context.head.pan_limit:
        yield from turn_to(context, wrap_angle(float(base[2]) + pan), stage)
