"""Names of the robot's parts in a compiled model, and postures of its lift and arm.

A posture lists joint values in the order of ``RobotNames.reach_joints``.
"""

from dataclasses import dataclass
from itertools import chain

import mujoco
import numpy as np

PREFIX = "robot/"


def _prefixed(*names: str) -> tuple[str, ...]:
    return tuple(PREFIX + name for name in names)


@dataclass(frozen=True)
class RobotNames:
    """Names of the robot's joints, actuators, bodies, sites, cameras and equalities.

    Every name starts with ``robot/``. A body whose name ends in ``_optical_frame`` has the axes of
    REP 103 (x right, y down, z forward).
    """

    base_joints: tuple[str, ...] = _prefixed("base_x", "base_y", "base_yaw")
    lift_joint: str = PREFIX + "lift"
    arm_joints: tuple[str, ...] = _prefixed(*(f"arm_joint{i}" for i in range(1, 8)))
    head_joints: tuple[str, ...] = _prefixed("head_pan", "head_tilt")
    finger_joints: tuple[str, ...] = _prefixed("arm_left_finger_joint", "arm_right_finger_joint")
    gripper_actuator: str = PREFIX + "gripper"

    root: str = PREFIX + "odom_link"
    base: str = PREFIX + "base_link"
    torso: str = PREFIX + "torso"
    head: str = PREFIX + "head_tilt_link"
    hand: str = PREFIX + "arm_link7"
    fingers: tuple[str, ...] = _prefixed("arm_left_finger", "arm_right_finger")
    head_optical_frame: str = PREFIX + "head_camera_optical_frame"
    wrist_optical_frame: str = PREFIX + "wrist_camera_optical_frame"

    grasp_site: str = PREFIX + "grasp"
    head_camera: str = PREFIX + "head"
    wrist_camera: str = PREFIX + "wrist"
    grasp_weld: str = PREFIX + "grasp_weld"
    handover_welds: tuple[str, ...] = _prefixed(*(f"handover_weld{i}" for i in range(4)))
    handle_connect: str = PREFIX + "handle_connect"

    @property
    def cameras(self) -> dict[str, str]:
        """Optical frame body of each camera, by camera name."""
        return {self.head_camera: self.head_optical_frame, self.wrist_camera: self.wrist_optical_frame}

    @property
    def reach_joints(self) -> tuple[str, ...]:
        """The lift and the arm: the joints of inverse kinematics and arm planning."""
        return (self.lift_joint, *self.arm_joints)

    @property
    def joints(self) -> tuple[str, ...]:
        """Every joint, base to fingers; each but the fingers has an actuator of the same name."""
        return tuple(chain(self.base_joints, self.reach_joints, self.head_joints, self.finger_joints))


TUCKED = (0.0, 1.57, -0.8, 0.0, -2.95, 0.0, 0.45, -0.785)
"""Arm folded over the base, inside its footprint and below the head camera's view; lift [m], joints [rad]."""
CARRYING = (0.02, 1.57, -0.96, -0.3, -2.75, -0.25, 0.23, -1.31)
"""Hand at the left side, pointing down; lift [m], joints [rad]."""
CARRYING_LEVEL = (0.0, 2.0, -0.83, 0.0, -2.77, 0.0, 1.94, 0.0)
"""Hand at the left side, level, for objects grasped from the side; lift [m], joints [rad]."""

_WRIST_LIMIT = 2.85
"""Largest angle of the last joint [rad]: its range of 2.897 less a margin for the servo."""


def carrying(pitch: float, roll: float) -> tuple[float, ...]:
    """Posture with the hand at the left side, ``pitch`` [rad] below level and turned by ``roll`` [rad]."""
    *arm, wrist_pitch, wrist_roll = CARRYING_LEVEL
    return *arm, wrist_pitch - pitch, float(np.clip(wrist_roll + roll, -_WRIST_LIMIT, _WRIST_LIMIT))


def set_stowed(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Put a freshly reset robot into its start posture: arm tucked, head level, gripper closed."""
    names = RobotNames()
    for joint, value in zip(names.reach_joints, TUCKED, strict=True):
        data.joint(joint).qpos = value
        data.actuator(joint).ctrl = value
    mujoco.mj_forward(model, data)


def joint_values(data: mujoco.MjData, joints: tuple[str, ...]) -> np.ndarray:
    """Read one-dimensional joints, shape (len(joints),)."""
    return np.array([float(data.joint(joint).qpos[0]) for joint in joints])
