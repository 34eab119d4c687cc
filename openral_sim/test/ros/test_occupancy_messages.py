"""The floor of the model as a message, and the base on a map from elsewhere."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("rclpy")
from nav_msgs.msg import OccupancyGrid

from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap
from openral_core.geometry import Pose
from openral_core.home_map import Pose2
from openral_core.skills import SkillStatus, Verb
from openral_msgs.msg import SkillCatalogue
from openral_ros.conversions.floor_maps import floor_map_from_message, occupancy_grid_message
from openral_ros.qos import LATCHED
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.scene.world import SimWorldModel
from openral_testing.foreign_robot.ros.localisation import occupancy_message


def test_the_floor_of_the_model_comes_back(context: SkillContext) -> None:
    message = occupancy_message(cast("SimWorldModel", context.world), context.control)
    floor = floor_map_from_message(message)
    assert (floor.value_at(0.0, 0.0), floor.value_at(2.0, 0.0)) == (FREE, OCCUPIED)
    assert np.array_equal(floor.occupied.ravel(), np.asarray(message.data) == OCCUPIED)


@pytest.mark.xdist_group("sim_node")
def test_the_base_waits_for_a_map_and_drives_where_the_newest_shows_free_floor(
    bench_of: Callable[..., Any],
) -> None:
    bench = bench_of(floor="perceived")
    assert Verb.EXPLORE in bench.hear(SkillCatalogue, "openral/skills", LATCHED).verbs
    near = Pose.planar(1.6, 2.0, 0.0)
    assert bench.send("navigate", goal=near).result().status is SkillStatus.INACTIVE
    maps = bench.client.create_publisher(OccupancyGrid, "map", LATCHED)
    bench.until(lambda: maps.get_subscription_count() > 0)
    maps.publish(occupancy_grid_message(FloorMap(np.full((200, 200), UNKNOWN, np.int8), 0.1), 0.0))
    bench.until(lambda: bench.send("navigate", goal=near).result().status is SkillStatus.NOT_REACHABLE)
    free = FloorMap(np.full((200, 200), FREE, np.int8), 0.1, Pose2(x=-5.0, y=-5.0))
    maps.publish(occupancy_grid_message(free, 0.0))
    bench.until(lambda: bench.send("navigate", goal=near).result().success)
