"""The scene graph as the reasoner reads it."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("rclpy")
from openral_core.geometry import Pose
from openral_msgs.msg import WorldState
from openral_reasoner.commands import ReadScene
from openral_reasoner.events import SceneRead
from openral_reasoner_ros.clients.memory import SceneClient
from openral_ros.conversions.geometry import pose_message


class Wire:
    """A scope that keeps the callbacks."""

    def __init__(self) -> None:
        self.callbacks: dict[str, Callable[[Any], None]] = {}

    def subscription(self, kind: type, topic: str, callback: Callable[[Any], None], qos: object) -> None:
        self.callbacks[topic] = callback


@pytest.mark.parametrize(
    ("known", "robot"), [(True, Pose.planar(2.0, 3.0, 1.57)), (False, None)], ids=["known", "unknown"]
)
def test_a_robot_whose_pose_is_not_known_is_nowhere(known: bool, robot: Pose | None) -> None:
    wire, read = Wire(), []
    adapter = SceneClient(wire, None, read.append)  # type: ignore[arg-type]
    tell = wire.callbacks["openral/world_state"]
    tell(WorldState(robot_pose_known=True, robot_pose=pose_message(Pose((9.0, 9.0, 0.0)))))
    tell(WorldState(robot_pose_known=known, robot_pose=pose_message(robot or Pose())))
    adapter.read(ReadScene(call_id="1"))
    assert isinstance(read[0], SceneRead)
    assert (read[0].robot is None) is not known
    if robot is not None:
        assert read[0].robot.distance(robot) < 1e-9
