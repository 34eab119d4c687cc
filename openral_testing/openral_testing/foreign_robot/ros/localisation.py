"""Publication of what a localiser publishes: the map of the floor, and the pose with its covariance."""

import numpy as np
from geometry_msgs.msg import PoseWithCovarianceStamped, TransformStamped
from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node
from tf2_msgs.msg import TFMessage

from openral_core.floor_map import FREE, OCCUPIED, FloorMap
from openral_core.geometry import Pose
from openral_core.home_map import Pose2
from openral_ros.conversions.floor_maps import occupancy_grid_message
from openral_ros.conversions.geometry import pose_message, transform_message
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope
from openral_sim.planning.occupancy_grid import RESOLUTION, rasterise
from openral_sim.robot.control import RobotControl
from openral_sim.ros.state_publishers import BASE, MAP
from openral_sim.scene.world import SimWorldModel
from openral_testing.foreign_robot.ros.parameters import ForeignParameters

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


def occupancy_message(world: SimWorldModel, robot: RobotControl) -> OccupancyGrid:
    """Make the map of the floor as the world is now."""
    floor = rasterise(world.model, world.data, robot.bodies)
    x, y = (float(value) - RESOLUTION / 2 for value in floor.origin)
    cells = np.where(floor.clearance.T == 0.0, OCCUPIED, FREE).astype(np.int8)
    return occupancy_grid_message(FloorMap(cells, RESOLUTION, Pose2(x=x, y=y), MAP), 0.0)
