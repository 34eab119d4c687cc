"""Maps of the floor as messages: the same floor comes back, and a map that does not fit is refused."""

from array import array
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("rclpy")
from geometry_msgs.msg import Quaternion
from nav_msgs.msg import OccupancyGrid

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.skills import SkillStatus, Verb
from openral_mapping.floor_map import FREE, OCCUPIED, UNKNOWN
from openral_msgs.msg import SkillCatalogue
from openral_ros.qos import LATCHED
from openral_sim.ros.occupancy_messages import floor_map_from_message, occupancy_message
from openral_sim.skills.context import SkillContext
from openral_sim.world import SimWorldModel


def message_of(values: list[int], width: int) -> OccupancyGrid:
    message = OccupancyGrid()
    message.header.frame_id, message.info.resolution = "map", 0.1
    message.info.width, message.info.height = width, len(values) // width
    message.data = array("b", values)
    return message


def test_probabilities_become_free_occupied_or_unknown() -> None:
    floor = floor_map_from_message(message_of([-1, 0, 24, 25, 64, 65, 100, -128], 4))
    assert floor.cells.tolist() == [[UNKNOWN, FREE, FREE, UNKNOWN], [UNKNOWN, OCCUPIED, OCCUPIED, UNKNOWN]]


def test_a_turned_origin_is_kept() -> None:
    message = message_of([0, 100], 2)
    message.info.origin.position.x, message.info.origin.orientation = 2.0, Quaternion(z=1.0, w=0.0)
    assert floor_map_from_message(message).value_at(1.85, -0.05) == OCCUPIED


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("header.frame_id", "odom", "its frame is 'odom', expected 'map'"),
        ("info.resolution", 0.0, "its resolution is 0.0 m"),
        ("info.resolution", float("nan"), "its resolution is nan m"),
        ("info.width", 3, "4 values for 3x2 cells"),
        ("info.height", 0, "4 values for 2x0 cells"),
        ("info.width", 4_000_000_000, "too large"),
        ("info.origin.position.x", float("inf"), "finite"),
    ],
)
def test_a_map_that_does_not_fit_is_refused(field: str, value: object, words: str) -> None:
    message = message_of([0, 0, 0, 0], 2)
    *path, name = field.split(".")
    part: object = message
    for step in path:
        part = getattr(part, step)
    setattr(part, name, value)
    with pytest.raises(OpenRALError, match=words):
        floor_map_from_message(message)


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
    unknown = message_of([-1] * 40_000, 200)
    maps.publish(unknown)
    bench.until(lambda: bench.send("navigate", goal=near).result().status is SkillStatus.NOT_REACHABLE)
    free = message_of([0] * 40_000, 200)
    free.info.origin.position.x = free.info.origin.position.y = -5.0
    maps.publish(free)
    bench.until(lambda: bench.send("navigate", goal=near).result().success)
