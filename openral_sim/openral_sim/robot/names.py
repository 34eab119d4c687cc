"""The names the robot's parts carry in a compiled model."""

from dataclasses import dataclass
from itertools import chain

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
        """Camera names and the optical frame bodies they look from."""
        return {self.head_camera: self.head_optical_frame, self.wrist_camera: self.wrist_optical_frame}

    @property
    def reach_joints(self) -> tuple[str, ...]:
        """The lift and the arm: what inverse kinematics and arm planning may move."""
        return (self.lift_joint, *self.arm_joints)

    @property
    def joints(self) -> tuple[str, ...]:
        """Every joint, base to fingers; each but the fingers has an actuator of the same name."""
        return tuple(chain(self.base_joints, self.reach_joints, self.head_joints, self.finger_joints))
