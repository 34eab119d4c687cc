"""Publication of what a localiser publishes: the map of the floor, and the pose with its covariance."""

from geometry_msgs.msg import PoseWithCovarianceStamped, TransformStamped
from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node
from tf2_msgs.msg import TFMessage

from openral_core.geometry import Pose
from openral_ros.conversions.geometry import pose_message, transform_message
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope
from openral_sim.robot import RobotControl
from openral_sim.ros.occupancy_messages import occupancy_message
from openral_sim.ros.parameters import ForeignParameters
from openral_sim.ros.state_publishers import BASE, MAP
from openral_sim.world import SimWorldModel

HEAD_MOUNT = "head_mount"
"""Fixed frame at the pan axis."""
HEAD_MOUNT_DEPTH = 0.08
"""Distance of the pan link below the tilt axis [m]."""
POSE_PERIOD = 0.5
"""Period of the pose [s]."""


class LocalisationTopics:
    """Publishers of map, amcl_pose and the fixed frame of the head."""

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        world: SimWorldModel,
        robot: RobotControl,
        parameters: ForeignParameters,
    ) -> None:
        self._node, self._robot, self._parameters = node, robot, parameters
        self._pose = scope.publisher(PoseWithCovarianceStamped, "amcl_pose", LATCHED)
        scope.publisher(OccupancyGrid, "map", LATCHED).publish(occupancy_message(world, robot))
        mount = TransformStamped(child_frame_id=HEAD_MOUNT)
        mount.header.frame_id = BASE
        head = robot.head_geometry
        mount.transform = transform_message(Pose((head.pan_x, 0.0, head.height - HEAD_MOUNT_DEPTH)))
        scope.publisher(TFMessage, "tf_static", LATCHED).publish(TFMessage(transforms=[mount]))
        scope.timer(POSE_PERIOD, self._publish)

    def _publish(self) -> None:
        message = PoseWithCovarianceStamped()
        message.header.frame_id, message.header.stamp = MAP, self._node.get_clock().now().to_msg()
        message.pose.pose = pose_message(self._robot.planar_pose)
        for index in (0, 7):
            message.pose.covariance[index] = self._parameters.position_variance
        message.pose.covariance[35] = self._parameters.yaw_variance
        self._pose.publish(message)
