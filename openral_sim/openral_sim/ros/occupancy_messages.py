"""The floor of the model as nav_msgs/OccupancyGrid."""

import numpy as np
from nav_msgs.msg import OccupancyGrid

from openral_core.floor_map import FREE, OCCUPIED, FloorMap
from openral_core.home_map import Pose2
from openral_ros.conversions.floor_maps import occupancy_grid_message
from openral_sim.planning.occupancy_grid import RESOLUTION, rasterise
from openral_sim.robot import RobotControl
from openral_sim.ros.state_publishers import MAP
from openral_sim.world import SimWorldModel


def occupancy_message(world: SimWorldModel, robot: RobotControl) -> OccupancyGrid:
    """Make the map of the floor as the world is now."""
    floor = rasterise(world.model, world.data, robot.bodies)
    x, y = (float(value) - RESOLUTION / 2 for value in floor.origin)
    cells = np.where(floor.clearance.T == 0.0, OCCUPIED, FREE).astype(np.int8)
    return occupancy_grid_message(FloorMap(cells, RESOLUTION, Pose2(x=x, y=y), MAP), 0.0)
