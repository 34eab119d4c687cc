"""Surroundings are read from the newest valid messages, and only when they are asked for."""

from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("rclpy")

from std_msgs.msg import String

from openral_core.floor_map import FREE, FloorMap
from openral_core.geometry import Pose
from openral_core.home_map import Fixture, HomeMap, Pose2, Room
from openral_core.spatial_memory import NodeKind, SceneGraph, SceneNode
from openral_ros.conversions.floor_maps import occupancy_grid_message
from openral_ros.conversions.spatial_memory import scene_graph_message
from openral_ros.surroundings import SurroundingsSubscription


class Topics:
    """A scope that keeps the callbacks of its subscriptions."""

    def __init__(self) -> None:
        self.callbacks: dict[str, Callable[[object], None]] = {}

    def subscription(
        self, kind: type, topic: str, callback: Callable[[object], None], qos: object, **_: object
    ) -> None:
        self.callbacks[topic] = callback


def home(x: float) -> HomeMap:
    room = Room(id="r", name="kitchen", polygon=((0, 0), (4, 0), (4, 4), (0, 4)))
    table = Fixture(
        id="t", kind="table", name="table", room="r", pose=Pose2(x=x, y=1.0), depth=1, width=1, height=1
    )
    return HomeMap(name="flat", rooms=(room,), fixtures=(table,))


def test_nothing_is_known_before_a_message_has_come_but_what_was_told() -> None:
    known = SurroundingsSubscription(Topics(), home(1.0))()  # type: ignore[arg-type]
    assert (known.floor, known.home, known.people) == (None, home(1.0), ())


def test_newer_messages_replace_what_was_told_and_the_first_pose_of_furniture_stays() -> None:
    topics = Topics()
    surroundings = SurroundingsSubscription(topics, home(1.0))  # type: ignore[arg-type]
    floor = FloorMap(np.full((8, 9), FREE, np.int8), 0.05)
    anna = SceneNode("p", NodeKind.AGENT, "Anna", Pose.planar(1.0, 2.0, 0.0))
    topics.callbacks["map"](occupancy_grid_message(floor, 0.0))
    topics.callbacks["openral/scene_graph"](scene_graph_message(SceneGraph((anna,)), 0.0))
    topics.callbacks["home_map"](String(data=home(3.0).model_dump_json()))
    known = surroundings()
    assert known.floor is not None
    assert (known.floor.cells == floor.cells).all()
    assert known.home == home(3.0)
    assert [person.label for person in known.people] == ["Anna"]
    assert known.earlier == {"t": Pose2(x=1.0, y=1.0)}


def test_a_floor_of_another_map_frame_than_the_robots_counts_as_not_come() -> None:
    topics = Topics()
    surroundings = SurroundingsSubscription(topics, map_frame="robot1/map")  # type: ignore[arg-type]
    cells = np.full((8, 9), FREE, np.int8)
    topics.callbacks["map"](occupancy_grid_message(FloorMap(cells, 0.05, frame="robot1/map"), 0.0))
    assert surroundings().floor is not None
    topics.callbacks["map"](occupancy_grid_message(FloorMap(cells, 0.05), 0.0))
    assert surroundings().floor is None


def test_invalid_messages_count_as_not_come() -> None:
    topics = Topics()
    surroundings = SurroundingsSubscription(topics)  # type: ignore[arg-type]
    broken = occupancy_grid_message(FloorMap(np.full((8, 9), FREE, np.int8), 0.05), 0.0)
    broken.info.resolution = float("nan")
    topics.callbacks["map"](broken)
    topics.callbacks["home_map"](String(data="no map"))
    assert (surroundings().floor, surroundings().home) == (None, None)
