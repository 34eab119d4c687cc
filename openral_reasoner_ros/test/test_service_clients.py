"""Clients of memory, detectors and lifecycle peers: outcomes become events, converted or typed failures."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.clock import Clock

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_msgs.msg import WorldState
from openral_reasoner.commands import ChangeState, ReadScene
from openral_reasoner.events import CallFailed, SceneRead, StateChanged
from openral_reasoner_ros.service_clients import LifecycleClient, SceneClient, answered
from openral_ros.conversions.geometry import pose_message
from openral_ros.service_client import ServiceFailed, ServiceTimedOut, ServiceUnavailable

pytest.importorskip("rclpy")


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
    node = SimpleNamespace(get_clock=Clock)
    adapter = SceneClient(wire, node, read.append)  # type: ignore[arg-type]
    tell = wire.callbacks["openral/world_state"]
    tell(WorldState(robot_pose_known=True, robot_pose=pose_message(Pose((9.0, 9.0, 0.0)))))
    tell(WorldState(robot_pose_known=known, robot_pose=pose_message(robot or Pose())))
    adapter.read(ReadScene(call_id="1"))
    assert isinstance(read[0], SceneRead)
    assert (read[0].robot is None) is not known
    assert read[0].now
    if robot is not None:
        assert read[0].robot.distance(robot) < 1e-9


def test_a_peer_that_is_not_registered_is_unavailable() -> None:
    posted: list[Any] = []
    client = LifecycleClient(None, None, posted.append, 1.0)  # type: ignore[arg-type]
    client.change(ChangeState(call_id="1", peer="eye", transition="activate"))
    message = "eye is not a lifecycle peer"
    assert posted == [CallFailed(call_id="1", condition="UNAVAILABLE", message=message)]


@pytest.mark.parametrize(
    ("error", "condition"),
    [
        (ServiceUnavailable("/ask"), "UNAVAILABLE"),
        (ServiceTimedOut("/ask", 1.0), "TIMEOUT"),
        (ServiceFailed("/ask", "shut down"), "BROKEN_OFF"),
    ],
)
def test_a_call_without_response_fails_with_its_condition(error: Exception, condition: str) -> None:
    posted: list[Any] = []
    answered("1", lambda response: pytest.fail("there is no response"), posted.append)(error)
    assert posted == [CallFailed(call_id="1", condition=condition, message=str(error))]


def test_a_response_is_posted_once_as_it_was_converted() -> None:
    posted: list[Any] = []
    event = StateChanged(call_id="1", success=True, message="done")
    answered("1", {"raw": event}.__getitem__, posted.append)("raw")
    assert posted == [event]


@pytest.mark.parametrize("error", [OpenRALError("odd"), ValueError("odd"), ZeroDivisionError("odd")])
def test_an_invalid_response_fails_the_call_with_the_reason(error: Exception) -> None:
    posted: list[Any] = []

    def convert(response: object) -> StateChanged:
        raise error

    answered("1", convert, posted.append)("raw")
    assert posted == [CallFailed(call_id="1", condition="BAD_ANSWER", message="odd")]
