"""Postures of the lift and the arm, as joint values in the order of ``RobotNames.reach_joints``."""

import mujoco
import numpy as np

from openral_sim.robot.names import RobotNames

TUCKED = (0.0, 1.57, -1.0, 0.0, -2.95, 0.0, 0.35, -0.785)
"""Folded over the base, inside its footprint and below the head camera's view; lift [m], joints [rad]."""


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
