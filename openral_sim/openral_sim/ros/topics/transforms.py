"""Where the robot and its cameras are: /tf and /tf_static."""

from geometry_msgs.msg import TransformStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from openral_core.geometry import Pose, inverse
from openral_ros.conversions.geometry import transform_message
from openral_ros.conversions.times import stamp_of
from openral_ros.scopes import Scope
from openral_sim.robot import RobotControl
from openral_sim.ros.topics.frames import BASE, MAP, ODOM, graph_name

_MOVING = QoSProfile(depth=100)
_STATIC = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class TransformTopics:
    """odom -> base_link -> each camera's optical frame; map -> odom once, as the base never slips."""

    def __init__(self, scope: Scope, robot: RobotControl) -> None:
        self._robot = robot
        self._moving = scope.publisher(TFMessage, "tf", _MOVING)
        scope.publisher(TFMessage, "tf_static", _STATIC).publish(
            TFMessage(transforms=[_stamped(MAP, ODOM, Pose(), 0.0)])
        )

    def publish(self, time: float) -> None:
        """Every moving frame as it is now, stamped ``time`` [s]."""
        names = self._robot.names
        T_map_base = self._robot.T_map_body(names.base)
        T_base_map = inverse(T_map_base)
        transforms = [_stamped(ODOM, BASE, Pose.from_matrix(T_map_base), time)]
        for frame in names.cameras.values():
            pose = Pose.from_matrix(T_base_map @ self._robot.T_map_body(frame))
            transforms.append(_stamped(BASE, graph_name(frame), pose, time))
        self._moving.publish(TFMessage(transforms=transforms))


def _stamped(parent: str, child: str, pose: Pose, time: float) -> TransformStamped:
    message = TransformStamped(child_frame_id=child, transform=transform_message(pose))
    message.header.frame_id = parent
    message.header.stamp = stamp_of(time)
    return message
