"""Every way to stop the robot, over any quality of service; only the service releases it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

pytest.importorskip("rclpy")

import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool, Empty, String
from std_srvs.srv import Trigger

from openral_core.emergency_stop import StopState, write_first_record
from openral_msgs.msg import PromptStamped
from openral_ros.emergency_stop import EmergencyStop, StopParameters, stop_reason
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.stop_client import StopClient


class Robot:
    """A node with an emergency stop, and an operator."""

    def __init__(self, context: Any, **options: Any) -> None:
        self.node = rclpy.create_node("skill_server", context=context)
        self.operator = rclpy.create_node("operator", context=context)
        self.executor = SingleThreadedExecutor(context=context)
        for node in (self.node, self.operator):
            self.executor.add_node(node)
        self.scopes = [ResourceScope(self.node), ResourceScope(self.operator)]
        self.changes: list[str] = []
        self.phrases: list[str] = []
        self.stop = EmergencyStop(
            self.scopes[0],
            self.node,
            StopParameters(**options),
            lambda state: self.changes.append(state.reason),
            self.phrases.append,
        )

    def until(self, condition: Callable[[], object], timeout: float = 30.0) -> None:
        end = monotonic() + timeout
        while not condition():
            assert monotonic() < end, f"still false after {timeout} s: {condition}"
            self.executor.spin_once(timeout_sec=0.02)

    def call(self, name: str) -> Trigger.Response:
        client = self.scopes[1].client(Trigger, name)
        self.until(client.service_is_ready)
        answer = client.call_async(Trigger.Request())
        self.until(answer.done)
        return answer.result()

    def say(self, text: str, source: str = "operator") -> None:
        prompt = PromptStamped(text=text)
        prompt.header.frame_id = source
        publisher = self.scopes[1].publisher(PromptStamped, "openral/prompt", RELIABLE)
        self.until(publisher.get_subscription_count)
        publisher.publish(prompt)

    def close(self) -> None:
        for scope in self.scopes:
            scope.close()
        self.executor.shutdown()
        self.node.destroy_node()
        self.operator.destroy_node()


@pytest.fixture
def make_robot(ros_context: Any, request: pytest.FixtureRequest) -> Callable[..., Robot]:
    def make(**options: Any) -> Robot:
        robot = Robot(ros_context, **options)
        request.addfinalizer(robot.close)
        return robot

    return make


@pytest.mark.parametrize("reliability", [ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT])
@pytest.mark.parametrize("durability", [DurabilityPolicy.VOLATILE, DurabilityPolicy.TRANSIENT_LOCAL])
def test_a_stop_of_any_quality_of_service_is_taken(
    make_robot: Any, reliability: ReliabilityPolicy, durability: DurabilityPolicy
) -> None:
    robot = make_robot()
    qos = QoSProfile(depth=1, reliability=reliability, durability=durability)
    publisher = robot.scopes[1].publisher(String, "openral/stop", qos)
    robot.until(publisher.get_subscription_count)
    publisher.publish(String(data="red button"))
    robot.until(lambda: robot.changes)
    assert robot.changes == ["red button"]


def test_a_button_that_was_pressed_before_the_robot_started_stops_it(make_robot: Any) -> None:
    before = make_robot()
    before.scopes[0].close()
    before.scopes[1].publisher(String, "openral/stop", LATCHED).publish(String(data="red button"))
    robot = make_robot()
    robot.until(lambda: robot.changes or before.executor.spin_once(timeout_sec=0.0))
    assert robot.stop.state.reason == "red button"


def test_it_is_announced_kept_and_released_by_the_service_alone(make_robot: Any) -> None:
    robot = make_robot()
    told: list[DiagnosticStatus] = []
    locked: list[Bool] = []
    robot.scopes[1].subscription(DiagnosticStatus, "openral/stop_state", told.append, LATCHED)
    robot.scopes[1].subscription(Bool, "openral/stopped", locked.append, LATCHED)
    robot.until(lambda: told and locked)
    assert (stop_reason(told[-1]), locked[-1].data) == ("", False)
    assert robot.call("openral/emergency_stop").success
    robot.stop.stop("another reason")
    robot.until(lambda: stop_reason(told[-1]) and locked[-1].data)
    assert stop_reason(told[-1]) == "service openral/emergency_stop"
    assert robot.call("openral/release").success
    robot.until(lambda: not stop_reason(told[-1]) and not locked[-1].data)
    assert robot.changes == ["service openral/emergency_stop", ""]
    assert robot.call("openral/release").message == "released"


@pytest.mark.parametrize("text", ["emergency stop", "E-STOP!", "freeze", "robot, freeze now", "Not-Aus"])
@pytest.mark.parametrize("source", ["operator", ""])
def test_an_emergency_word_latches(make_robot: Any, text: str, source: str) -> None:
    robot = make_robot()
    robot.say(text, source)
    robot.until(lambda: robot.changes)
    assert text[:4] in robot.changes[0]
    assert not robot.phrases


def test_a_plain_stop_ends_the_goal_and_latches_nothing(make_robot: Any) -> None:
    robot = make_robot()
    for text, source in (("emergency stop", "reasoner"), ("put the soup in the freezer", "operator")):
        robot.say(text, source)
    robot.say("stop, please")
    robot.until(lambda: robot.phrases)
    assert not robot.changes


def test_a_lost_heartbeat_stops_and_must_be_back_before_the_release(make_robot: Any) -> None:
    robot = make_robot(operator_heartbeat=0.3)
    robot.until(lambda: robot.changes)
    assert robot.changes == ["no heartbeat of the operator for 0.3 s"]
    refused = robot.call("openral/release")
    assert not refused.success
    assert "no heartbeat" in refused.message
    publisher = robot.scopes[1].publisher(Empty, "openral/operator_heartbeat", RELIABLE)
    robot.scopes[1].timer(0.05, lambda: publisher.publish(Empty()))
    robot.until(lambda: robot.call("openral/release").success)
    assert robot.stop.state == StopState()


def test_nothing_moves_before_the_first_heartbeat(make_robot: Any) -> None:
    robot = make_robot(operator_heartbeat=60.0)
    assert (robot.stop.reason, robot.stop.state.reason) == ("no heartbeat of the operator came yet", "")
    publisher = robot.scopes[1].publisher(Empty, "openral/operator_heartbeat", RELIABLE)
    robot.scopes[1].timer(0.05, lambda: publisher.publish(Empty()))
    robot.until(lambda: not robot.stop.reason)
    assert not robot.changes


def test_a_restarted_node_is_still_stopped(make_robot: Any, tmp_path: Path) -> None:
    file = tmp_path / "state" / "stop.json"
    write_first_record(file, "/skill_server")
    first = make_robot(stop_file=str(file))
    first.stop.stop("person on the floor")
    first.close()
    second = make_robot(stop_file=str(file))
    assert second.stop.state.reason == "person on the floor"
    assert second.call("openral/release").success
    second.close()
    assert not make_robot(stop_file=str(file)).stop.state.reason


@pytest.mark.parametrize("state", ["", "released"])
def test_a_node_that_does_not_know_that_it_was_released_starts_stopped(
    make_robot: Any, tmp_path: Path, state: str
) -> None:
    file = tmp_path / "stop.json"
    if state:
        file.write_text(state)
    robot = make_robot(stop_file=str(file))
    told: list[DiagnosticStatus] = []
    robot.scopes[1].subscription(DiagnosticStatus, "openral/stop_state", told.append, LATCHED)
    robot.until(lambda: told)
    assert str(file)[:40] in stop_reason(told[-1])
    assert robot.call("openral/release").success
    assert robot.stop.state == StopState()


def test_a_second_node_of_the_robot_stays_stopped(make_robot: Any, tmp_path: Path) -> None:
    file = tmp_path / "state" / "stop.json"
    write_first_record(file, "/skill_server")
    first = make_robot(stop_file=str(file))
    second = make_robot(stop_file=str(file))
    assert not first.stop.state.reason
    assert "another skill server" in second.stop.state.reason


def test_a_state_that_cannot_be_written_stops_nevertheless(make_robot: Any, tmp_path: Path) -> None:
    file = tmp_path / "state" / "stop.json"
    write_first_record(file, "/skill_server")
    robot = make_robot(stop_file=str(file))
    shutil.rmtree(file.parent)
    file.parent.write_text("no folder")
    robot.stop.stop("red button")
    assert robot.changes == ["red button"]
    robot.close()
    again = make_robot(stop_file=str(file))
    assert again.stop.state.reason == "red button"


def test_a_client_repeats_a_stop_until_it_is_confirmed(make_robot: Any) -> None:
    robot = make_robot()
    states: list[str] = []
    client = StopClient(robot.scopes[1], robot.operator, states.append)
    client.stop("console")  # before the robot is discovered
    robot.until(lambda: client.reason)
    assert client.reason == "console"
    robot.until(lambda: client.can_release)
    answers: list[Any] = []
    client.release(5.0, answers.append)
    robot.until(lambda: answers and client.reason == "")
    assert answers[0].success
    assert states[-2:] == ["console", ""]


def test_a_cry_ends_the_goal_and_latches_nothing(make_robot: Any) -> None:
    robot = make_robot()
    for text in ("where is the help desk leaflet", "ouch! let go of me"):
        robot.say(text)
    robot.until(lambda: robot.phrases)
    assert (robot.phrases, robot.changes) == (["ouch! let go of me"], [])
