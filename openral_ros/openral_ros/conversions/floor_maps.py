"""Conversions of the floor between `FloorMap` and nav_msgs/OccupancyGrid."""

from array import array

import numpy as np
from nav_msgs.msg import OccupancyGrid

from openral_core.errors import OpenRALError
from openral_core.floor_map import (
    LARGEST_RESOLUTION,
    SMALLEST_RESOLUTION,
    FloorMap,
    cells_from_percent,
    check_size,
)
from openral_core.geometry import Pose, frame_name
from openral_core.home_map import Pose2
from openral_ros.conversions.geometry import MAP, pose_from_message, pose_message
from openral_ros.conversions.stamps import stamp_of


class InvalidMapMessage(OpenRALError):
    """A map that the robot cannot plan on."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"map ignored: {problem}")


def floor_map_from_message(message: OccupancyGrid, frame: str | None = MAP) -> FloorMap:
    """Convert a map; cells between the thresholds are unknown.

    Args:
        message: Map of the floor.
        frame: Map frame of the robot, None if any will do.

    Raises:
        InvalidMapMessage: If frame, resolution or number of cells do not fit.
        MapTooLarge: If it has more cells than any building.
        InvalidGeometry: If its origin is not finite.
    """
    info = message.info
    check_size(info.width, info.height)
    name = frame_name(message.header.frame_id)
    if frame is not None and name != frame_name(frame):
        raise InvalidMapMessage(f"its frame is '{name}', expected '{frame}' (frames.map of robot.yaml)")
    if not SMALLEST_RESOLUTION <= info.resolution <= LARGEST_RESOLUTION:
        limits = f"{SMALLEST_RESOLUTION:g} to {LARGEST_RESOLUTION:g} m"
        raise InvalidMapMessage(f"its resolution is {info.resolution} m, expected {limits}")
    if not len(message.data) == info.width * info.height > 0:
        raise InvalidMapMessage(
            f"it has {len(message.data)} values for {info.width}x{info.height} cells, expected one per cell"
        )
    values = np.asarray(message.data, np.int8).reshape(info.height, info.width)
    cells = cells_from_percent(values)
    origin = pose_from_message(info.origin)
    corner = Pose2(x=origin.position[0], y=origin.position[1], yaw=origin.yaw)
    return FloorMap(cells, float(info.resolution), corner, name)


def occupancy_grid_message(floor_map: FloorMap, stamp: float) -> OccupancyGrid:
    """Convert a map to a message."""
    message = OccupancyGrid()
    message.header.frame_id, message.header.stamp = floor_map.frame, stamp_of(stamp)
    message.info.map_load_time = message.header.stamp
    message.info.resolution = floor_map.resolution
    message.info.height, message.info.width = floor_map.cells.shape
    origin = floor_map.origin
    message.info.origin = pose_message(Pose.planar(origin.x, origin.y, origin.yaw))
    message.data = array("b", floor_map.cells.tobytes())
    return message
