"""Postures of the lift and the arm, as joint values in the order of ``RobotNames.reach_joints``."""

import mujoco
import numpy as np

from openral_sim.robot.names import RobotNames

TUCKED = (0.0, 1.57, -0.8, 0.0, -2.95, 0.0, 0.45, -0.785)
"""Folded over the base, inside its footprint and below the head camera's view; lift [m], joints [rad]."""
CARRYING = (0.02, 1.57, -0.96, -0.3, -2.75, -0.25, 0.23, -1.31)
"""The hand at the left side, pointing down."""
CARRYING_LEVEL = (0.0, 2.0, -0.83, 0.0, -2.77, 0.0, 1.94, 0.0)
"""The hand at the left side, pointing away from the body: what was taken standing stays upright."""

_WRIST_LIMIT = 2.85


def carrying(pitch: float, roll: float) -> tuple[float, ...]:
    """The hand at the left side as it took what it holds: ``pitch`` below level, turned by ``roll`` [rad]."""
    *arm, tilt, turn = CARRYING_LEVEL
    return *arm, tilt - pitch, float(np.clip(turn + roll, -_WRIST_LIMIT, _WRIST_LIMIT))


def stand_tucked(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Put a freshly reset robot into its start posture: arm tucked, head level, gripper closed."""
    names = RobotNames()
    for joint, value in zip(names.reach_joints, TUCKED, strict=True):
        data.joint(joint).qpos = value
        data.actuator(joint).ctrl = value
    mujoco.mj_forward(model, data)


def joint_values(data: mujoco.MjData, joints: tuple[str, ...]) -> np.ndarray:
    """Read one-dimensional joints, shape (len(joints),)."""
    return np.array([float(data.joint(joint).qpos[0]) for joint in joints])
