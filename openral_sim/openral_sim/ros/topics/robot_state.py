"""The robot's measured state: /odom and /joint_states."""

import numpy as np
from nav_msgs.msg import Odometry
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState

from openral_core.geometry import Pose
from openral_ros.conversions.geometry import pose_message
from openral_ros.conversions.times import stamp_of
from openral_ros.qos import RELIABLE
from openral_ros.scopes import Scope
from openral_sim.robot import RobotControl
from openral_sim.ros.topics.frames import BASE, ODOM, graph_name


class RobotStateTopics:
    """Base pose and velocity, and every joint above the base; made only while someone listens."""

    def __init__(self, scope: Scope, robot: RobotControl) -> None:
        self._robot = robot
        self._joints = tuple(name for name in robot.names.joints if name not in robot.names.base_joints)
        model = robot.model
        self._positions = np.array([model.joint(name).qposadr[0] for name in self._joints])
        self._velocities = np.array([model.joint(name).dofadr[0] for name in self._joints])
        self._odometry: Publisher = scope.publisher(Odometry, "odom", RELIABLE)
        self._joint_states: Publisher = scope.publisher(JointState, "joint_states", RELIABLE)

    def publish(self, time: float) -> None:
        """The state now, stamped ``time`` [s]."""
        if self._odometry.get_subscription_count():
            self._odometry.publish(self._odometry_message(time))
        if self._joint_states.get_subscription_count():
            self._joint_states.publish(self._joint_message(time))

    def _odometry_message(self, time: float) -> Odometry:
        pose = Pose.from_matrix(self._robot.T_map_body(self._robot.names.base))
        message = Odometry(child_frame_id=BASE)
        message.header.frame_id, message.header.stamp = ODOM, stamp_of(time)
        message.pose.pose = pose_message(pose)
        vx, vy, turn = self._robot.base_velocity
        c, s = np.cos(pose.yaw), np.sin(pose.yaw)
        twist = message.twist.twist
        twist.linear.x, twist.linear.y = float(c * vx + s * vy), float(c * vy - s * vx)
        twist.angular.z = float(turn)
        return message

    def _joint_message(self, time: float) -> JointState:
        data = self._robot.data
        message = JointState(name=[graph_name(name) for name in self._joints])
        message.header.stamp = stamp_of(time)
        message.position = data.qpos[self._positions].tolist()
        message.velocity = data.qvel[self._velocities].tolist()
        return message
