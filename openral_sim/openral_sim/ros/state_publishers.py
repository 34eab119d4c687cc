"""Publication of the simulation's state: /clock, /tf, /tf_static, /odom, /joint_states, /robot_description.

`SimPublishers` publishes these and the cameras' images in the order in which subscribers need them.
"""

from collections.abc import Sequence
from contextlib import ExitStack

import mujoco
import numpy as np
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from openral_core.arrays import Array, Vector3
from openral_core.geometry import Pose, inverse
from openral_ros.conversions.geometry import pose_message, transform_message
from openral_ros.conversions.stamps import stamp_of
from openral_ros.qos import LATCHED, RELIABLE, SENSOR
from openral_ros.resources import ResourceScope
from openral_sim.odometry import Localisation
from openral_sim.rendering.camera import CameraRenderer, InstanceLabels
from openral_sim.rendering.sensor import SENSORS
from openral_sim.robot.control import RobotControl
from openral_sim.robot.joints import PREFIX
from openral_sim.robot.urdf import TIP, links_of, robot_description, ros_name
from openral_sim.ros.camera_publisher import CameraImageSource, CameraTopics, ImageQueue
from openral_sim.ros.parameters import WorldParameters
from openral_sim.scene.world import SimWorldModel
from openral_sim.simulation import RateTimer, StepProfiler

MAP = "map"
ODOM = "odom"
BASE = "base_link"
STATE_RATE = 25.0
"""Rate of transforms and joint states in simulated time [Hz]."""
LINK_RATE = 10.0
"""Rate of the transforms of links in simulated time [Hz]: for views; cameras have transforms of their own."""
_DYNAMIC = QoSProfile(depth=100)
_STATIC = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class RobotStateTopics:
    """Publishers of odometry, of the joints above the base, and of the URDF.

    Odometry and joint states without subscribers are not built.
    """

    def __init__(self, scope: ResourceScope, robot: RobotControl, localisation: Localisation) -> None:
        self._robot, self._localisation = robot, localisation
        self._joints = tuple(name for name in robot.names.joints if name not in robot.names.base_joints)
        model = robot.model
        self._positions = np.array([model.joint(name).qposadr[0] for name in self._joints])
        self._velocities = np.array([model.joint(name).dofadr[0] for name in self._joints])
        self._odometry: Publisher = scope.publisher(Odometry, "odom", RELIABLE)
        self._joint_states: Publisher = scope.publisher(JointState, "joint_states", RELIABLE)
        description = String(data=robot_description(model, robot.robot, robot.robot.mesh_files))
        scope.publisher(String, "robot_description", LATCHED).publish(description)

    def publish(self, time: float) -> None:
        """Publish the current state, stamped ``time`` [s]."""
        if self._odometry.get_subscription_count():
            self._odometry.publish(self._odometry_message(time))
        if self._joint_states.get_subscription_count():
            self._joint_states.publish(self._joint_message(time))

    def _odometry_message(self, time: float) -> Odometry:
        true = Pose.from_matrix(self._robot.T_map_body(self._robot.names.base))
        pose = Pose.from_matrix(self._localisation.T_odom_world @ true.matrix())
        message = Odometry(child_frame_id=BASE)
        message.header.frame_id, message.header.stamp = ODOM, stamp_of(time)
        message.pose.pose = pose_message(pose)
        vx, vy, turn = self._robot.base_velocity
        c, s = np.cos(true.yaw), np.sin(true.yaw)
        twist = message.twist.twist
        twist.linear.x, twist.linear.y = float(c * vx + s * vy), float(c * vy - s * vx)
        twist.angular.z = float(turn)
        return message

    def _joint_message(self, time: float) -> JointState:
        data = self._robot.data
        message = JointState(name=[ros_name(name) for name in self._joints])
        message.header.stamp = stamp_of(time)
        message.position = data.qpos[self._positions].tolist()
        message.velocity = data.qvel[self._velocities].tolist()
        return message


class TransformTopics:
    """Publishers of the transforms odom -> base_link -> cameras' optical frames, and of the robot's links.

    map -> odom is static unless the odometry drifts; then the localiser publishes it. A camera's frame
    is a child of base_link, as it is stamped with each image; the links of the URDF have their parents in it,
    and `LINK_RATE`.
    """

    def __init__(self, scope: ResourceScope, robot: RobotControl, localisation: Localisation) -> None:
        self._robot, self._localisation = robot, localisation
        links = links_of(robot.model, robot.names)[1:]
        self._moving = [link for link in links if robot.model.body_jntnum[link]]
        self._link_timer = RateTimer(LINK_RATE)
        self._dynamic = scope.publisher(TFMessage, "tf", _DYNAMIC)
        fixed = [] if localisation.drifts else [_stamped(MAP, ODOM, Pose(), 0.0)]
        fixed += [self._link_transform(link, 0.0) for link in links if link not in self._moving]
        site = robot.model.site(robot.names.grasp_site)
        tip = _stamped(ros_name(robot.names.hand), TIP, _pose(site.pos, site.quat), 0.0)
        scope.publisher(TFMessage, "tf_static", _STATIC).publish(TFMessage(transforms=[*fixed, tip]))

    def _link_transform(self, link: int, time: float) -> TransformStamped:
        model, data = self._robot.model, self._robot.data
        parent = int(model.body_parentid[link])
        pos, back, quat = np.zeros(3), np.zeros(4), np.zeros(4)
        mujoco.mju_negQuat(back, data.xquat[parent])
        mujoco.mju_rotVecQuat(pos, data.xpos[link] - data.xpos[parent], back)
        mujoco.mju_mulQuat(quat, back, data.xquat[link])
        parent_name, name = (ros_name(model.body(body).name) for body in (parent, link))
        return _stamped(parent_name, name, _pose(pos, quat), time)

    def publish(self, time: float, stamp: float) -> None:
        """Publish the pose of every moving frame, and of links if they are due at ``time`` [s]."""
        if self._link_timer.due(time):
            links = [self._link_transform(link, stamp) for link in self._moving]
            self._dynamic.publish(TFMessage(transforms=links))
        names = self._robot.names
        T_map_base = self._robot.T_map_body(names.base)
        T_base_map = inverse(T_map_base)
        T_odom_base = self._localisation.T_odom_world @ T_map_base
        transforms = [_stamped(ODOM, BASE, Pose.from_matrix(T_odom_base), stamp)]
        for frame in names.cameras.values():
            pose = Pose.from_matrix(T_base_map @ self._robot.T_map_body(frame))
            transforms.append(_stamped(BASE, ros_name(frame), pose, stamp))
        self._dynamic.publish(TFMessage(transforms=transforms))


def _pose(pos: Vector3, quat: Array) -> Pose:
    w, x, y, z = map(float, quat)
    return Pose((float(pos[0]), float(pos[1]), float(pos[2])), (x, y, z, w))


def _stamped(parent: str, child: str, pose: Pose, time: float) -> TransformStamped:
    message = TransformStamped(child_frame_id=child, transform=transform_message(pose))
    message.header.frame_id = parent
    message.header.stamp = stamp_of(time)
    return message


class SimPublishers:
    """All publishers of a simulated robot; clock and transforms of an instant precede its images.

    Args:
        camera_suffix: Suffix of a camera's name in the names of its topics.
        clock: Publish /clock.
        localisation: Its belief of where it is; None: it knows.
    """

    def __init__(
        self,
        scope: ResourceScope,
        world: SimWorldModel,
        robot: RobotControl,
        parameters: WorldParameters,
        camera_suffix: str = "",
        *,
        clock: bool = True,
        localisation: Localisation | None = None,
    ) -> None:
        localisation = localisation or Localisation(robot.base_pose)
        self._world, self._parameters = world, parameters
        self._styles = world.scene.document.cameras
        labels = InstanceLabels(self._world) if parameters.publish_semantic else None
        self._clock = scope.publisher(Clock, "/clock", RELIABLE) if clock else None
        self._transforms = TransformTopics(scope, robot, localisation)
        self._state = RobotStateTopics(scope, robot, localisation)
        images = RELIABLE if parameters.reliable_images else SENSOR
        self._cameras = {
            name: CameraTopics(scope, name, style, labels, images, name + camera_suffix)
            for name, style in self._styles.items()
        }
        self._state_timer = RateTimer(STATE_RATE)
        self._images = ImageQueue()

    def open_cameras(self, stack: ExitStack) -> tuple[CameraImageSource, ...]:
        """Open every camera's renderer in the calling thread, until the stack closes.

        Raises:
            GlContextRefused: If no OpenGL context can be opened.
        """
        stack.callback(self._images.clear)
        return tuple(self._open_camera(stack, name) for name in self._cameras)

    def publish(
        self, time: float, cameras: Sequence[CameraImageSource], profiler: StepProfiler, stamp: float
    ) -> None:
        """Publish everything that is due at the simulated ``time``, stamped ``stamp`` [s]."""
        due = [camera for camera in cameras if camera.due(time)]
        with profiler.of("messages"):
            if self._clock is not None:
                self._clock.publish(Clock(clock=stamp_of(stamp)))
            state_due = self._state_timer.due(time)
            if state_due or due:
                self._transforms.publish(time, stamp)
            if state_due:
                self._state.publish(stamp)
        with profiler.of("images"):
            for camera in due:
                self._images.add(camera.render(stamp))
            self._images.send()

    def _open_camera(self, stack: ExitStack, name: str) -> CameraImageSource:
        style, parameters = self._styles[name], self._parameters
        renderer = CameraRenderer(
            self._world,
            PREFIX + name,
            style.width,
            style.height,
            parameters.shadows,
            SENSORS[parameters.sensors],
            parameters.seed,
        )
        rate = self._parameters.camera_rate or style.rate
        return CameraImageSource(self._cameras[name], stack.enter_context(renderer), rate)
