"""Maps of the floor as messages: the same floor comes back, and a map that does not fit is refused."""

from array import array

import numpy as np
import pytest

pytest.importorskip("rclpy")
from geometry_msgs.msg import Quaternion
from nav_msgs.msg import OccupancyGrid

from openral_core.errors import OpenRALError
from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap
from openral_ros.conversions.floor_maps import floor_map_from_message, occupancy_grid_message


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


@pytest.mark.parametrize(
    ("written", "frame"), [("robot1/map", "robot1/map"), ("/map", "map"), ("odom", None)]
)
def test_the_map_frame_of_the_robot_is_accepted(written: str, frame: str | None) -> None:
    message = message_of([0, 100], 2)
    message.header.frame_id = written
    assert floor_map_from_message(message, frame).frame == written.removeprefix("/")


def test_a_message_has_the_cells_row_by_row_from_the_origin() -> None:
    cells = np.array([[FREE, OCCUPIED, -1], [-1, -1, FREE]], np.int8)
    message = occupancy_grid_message(FloorMap(cells, 0.1), 3.5)
    assert (message.info.width, message.info.height) == (3, 2)
    assert list(message.data) == [0, 100, -1, -1, -1, 0]
    assert message.info.origin.orientation.w == 1.0
