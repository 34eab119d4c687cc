"""Robot interface of the skills: measured state in, servo targets out."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.arrays import Joints, PlanarPose, Rotation, Transform, Vector3
from openral_core.geometry import Pose
from openral_sim.robot.joints import RobotNames
from openral_sim.robot.sim_robot import HeadGeometry, SimRobot

BRAKE_FACTOR = 2.0
"""Holding torque of a joint's brake per torque of its servo [1]; power-off brakes are rated at 1.5 to 3."""


class RobotControl:
    """Read the robot's joints and frames, and write its actuators' targets.

    Poses of the base are (x [m], y [m], yaw [rad]) in map; reach vectors are the lift [m], if there is one,
    and the N - 1 or N arm joints [rad].
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, robot: SimRobot) -> None:
        self.model, self.data, self.robot = model, data, robot
        self.names = names = robot.names
        self._base = self._addresses(names.base_joints)
        self._reach = self._addresses(names.reach_joints)
        self._head = self._addresses(names.head_joints)
        self._finger = self._addresses(names.finger_joints[:1])
        self._base_dofs = np.array([model.joint(name).dofadr[0] for name in names.base_joints])
        others = (*names.reach_joints, *names.head_joints)
        self._dofs = np.array([*self._base_dofs, *(model.joint(name).dofadr[0] for name in others)])
        self._base_motors = self._actuators(names.base_joints)
        self._reach_motors = self._actuators(names.reach_joints)
        self._head_motors = self._actuators(names.head_joints)
        motors = np.concatenate([self._base_motors, self._reach_motors, self._head_motors])
        self._brake_forces = BRAKE_FACTOR * model.actuator_forcerange[motors, 1]
        self._gripper_motor = model.actuator(names.gripper_actuator).id
        self.bodies = robot_bodies(model, names)

    @property
    def base_pose(self) -> PlanarPose:
        """Measured pose of the base in map, shape (3,)."""
        return np.array(self.data.qpos[self._base])

    @property
    def planar_pose(self) -> Pose:
        """Measured pose of the base in map."""
        x, y, yaw = map(float, self.base_pose)
        return Pose.planar(x, y, yaw)

    @property
    def base_velocity(self) -> Vector3:
        """Measured velocity of the base along map's axes in [m/s, m/s, rad/s], shape (3,)."""
        return np.array(self.data.qvel[self._base_dofs])

    @property
    def reach(self) -> Joints:
        """Measured lift and arm joints, shape (N,)."""
        return np.array(self.data.qpos[self._reach])

    @property
    def reach_target(self) -> Joints:
        """Commanded lift and arm joints, shape (N,)."""
        return np.array(self.data.ctrl[self._reach_motors])

    @property
    def head(self) -> Joints:
        """Measured pan and tilt in [rad], shape (2,)."""
        return np.array(self.data.qpos[self._head])

    @property
    def head_geometry(self) -> HeadGeometry:
        """Geometry of the head with the lift where it is."""
        lift = self.names.lift_joint
        height = float(self.data.joint(lift).qpos[0]) - self.robot.lift_range[0] if lift else 0.0
        return self.robot.head.at_lift(height)

    @property
    def opening(self) -> float:
        """Measured distance between the finger pads in [m]."""
        return float(2.0 * self.data.qpos[self._finger][0])

    @property
    def commanded_velocity(self) -> Vector3:
        """Commanded velocity of the base along map's axes in [m/s, m/s, rad/s], shape (3,)."""
        return np.array(self.data.ctrl[self._base_motors])

    def drive(self, velocity: Vector3) -> None:
        """Command the base's velocity along map's axes in [m/s, m/s, rad/s], shape (3,)."""
        self.data.ctrl[self._base_motors] = velocity

    def move_reach(self, target: Joints) -> None:
        """Command the lift and the arm, shape (N,)."""
        self.data.ctrl[self._reach_motors] = target

    def point_head(self, pan: float, tilt: float) -> None:
        """Command the head in [rad]; values beyond its limits are clipped."""
        limits = np.array([self.model.joint(name).range for name in self.names.head_joints])
        self.data.ctrl[self._head_motors] = np.clip((pan, tilt), limits[:, 0], limits[:, 1])

    def grip(self, opening: float) -> None:
        """Command the distance between the finger pads in [m]."""
        self.data.ctrl[self._gripper_motor] = np.clip(opening / 2.0, 0.0, self.robot.gripper.finger_travel)

    def hold(self) -> None:
        """Stop the base, the lift and the arm where they are."""
        self.drive(np.zeros(3))
        self.move_reach(self.reach)

    def freeze(self, *, keep_grip: bool) -> None:
        """Stop every joint where it is; ``keep_grip`` leaves the fingers the force on what they hold."""
        self.hold()
        self.data.ctrl[self._head_motors] = self.head
        if not keep_grip:
            self.grip(self.opening)

    def set_brakes(self, *, engaged: bool) -> None:
        """Engage or release the brake of every joint but the fingers: dry friction."""
        self.model.dof_frictionloss[self._dofs] = self._brake_forces if engaged else 0.0

    @property
    def speeds(self) -> Joints:
        """Absolute velocities of base, lift, arm and head in [m/s] or [rad/s], shape (N + 5,)."""
        speeds: Joints = np.abs(self.data.qvel[self._dofs])
        return speeds

    def T_map_body(self, name: str) -> Transform:
        """Pose of a body in map as a homogeneous transform, shape (4, 4)."""
        body = self.data.body(name)
        return _transform(body.xmat, body.xpos)

    def T_map_grasp(self) -> Transform:
        """Pose of the point between the pads in map, shape (4, 4); z approach, y finger travel."""
        site = self.data.site(self.names.grasp_site)
        return _transform(site.xmat, site.xpos)

    def _addresses(self, joints: tuple[str, ...]) -> NDArray[np.int64]:
        return np.array([self.model.joint(name).qposadr[0] for name in joints])

    def _actuators(self, names: tuple[str, ...]) -> NDArray[np.int64]:
        return np.array([self.model.actuator(name).id for name in names])


def robot_bodies(model: mujoco.MjModel, names: RobotNames) -> frozenset[int]:
    """Ids of every body of the robot."""
    root = model.body(names.root).id
    return frozenset(body for body in range(model.nbody) if model.body_rootid[body] == root)


def hand_bodies(model: mujoco.MjModel, names: RobotNames) -> frozenset[int]:
    """Ids of the hand and its fingers."""
    return frozenset(model.body(name).id for name in (names.hand, *names.fingers))


def _transform(rotation: Rotation, position: Vector3) -> Transform:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.reshape(rotation, (3, 3)), position
    return T
