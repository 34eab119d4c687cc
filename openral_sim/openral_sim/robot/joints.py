"""Names of a robot's parts in a compiled model."""

from dataclasses import dataclass
from itertools import chain

PREFIX = "robot/"


def _prefixed(*names: str) -> tuple[str, ...]:
    return tuple(PREFIX + name for name in names)


@dataclass(frozen=True)
class RobotNames:
    """Names of a robot's joints, actuators, bodies, sites, cameras and equalities.

    Every name starts with ``robot/``. Those without a default are the robot's own; `SimRobot` adds the others
    to every robot. A body whose name ends in ``_optical_frame`` has the axes of REP 103 (x right, y down, z
    forward). Each joint but those of the fingers has an actuator of the same name.
    """

    lift_joint: str | None
    arm_joints: tuple[str, ...]
    head_joints: tuple[str, ...]
    finger_joints: tuple[str, ...]
    hand: str
    fingers: tuple[str, ...]

    base_joints: tuple[str, ...] = _prefixed("base_x", "base_y", "base_yaw")
    gripper_actuator: str = PREFIX + "gripper"
    root: str = PREFIX + "odom_link"
    base: str = PREFIX + "base_link"
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
        return (*filter(None, [self.lift_joint]), *self.arm_joints)

    @property
    def joints(self) -> tuple[str, ...]:
        """Every joint, base to fingers."""
        return tuple(chain(self.base_joints, self.reach_joints, self.head_joints, self.finger_joints))
