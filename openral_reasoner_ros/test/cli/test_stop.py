"""The emergency stop on the command line: confirmed by the skill server, or said to be unconfirmed."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from typer.testing import CliRunner

from openral_core.emergency_stop import StopState
from openral_msgs.msg import PromptStamped
from openral_reasoner_ros.cli.main import app
from openral_reasoner_ros.topics import PROMPT
from openral_ros.emergency_stop import EmergencyStop, StopParameters
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope
from openral_testing.ros.executor_thread import ExecutorThread


class SkillServer(Node):
    """The emergency stop of a skill server."""

    def __init__(self, context: Any, heartbeat: float) -> None:
        super().__init__("skill_server", context=context)
        self.changes: list[StopState] = []
        self.heard: list[PromptStamped] = []
        self.scope = ResourceScope(self)
        self.create_subscription(PromptStamped, PROMPT, self.heard.append, RELIABLE)
        options = StopParameters(operator_heartbeat=heartbeat)
        EmergencyStop(self.scope, self, options, self.changes.append, lambda _: None)


@pytest.fixture
def skill_server(ros_context: Any) -> Iterator[Callable[..., SkillServer]]:
    """Makes the skill server and spins it on a thread of its own, as another process would."""
    executor, made = SingleThreadedExecutor(context=ros_context), list[SkillServer]()

    def make(heartbeat: float = 0.0) -> SkillServer:
        made.append(SkillServer(ros_context, heartbeat))
        executor.add_node(made[-1])
        executor.wake()
        return made[-1]

    with ExecutorThread(executor):
        yield make
    for server in made:
        server.scope.close()
        server.destroy_node()


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_a_stop_is_confirmed_and_ends_the_mission_too_until_the_release(skill_server: Any) -> None:
    server = skill_server()
    stopped = invoke("stop", "person on the floor")
    assert (stopped.exit_code, stopped.output.strip()) == (0, "stopped: person on the floor")
    assert {prompt.text for prompt in server.heard} <= {"stop"}
    released = invoke("release")
    assert (released.exit_code, released.output.strip()) == (0, "released; stopped was: person on the floor")
    assert [state.reason for state in server.changes] == ["person on the floor", ""]


def test_a_refused_release_has_an_exit_code_of_its_own(skill_server: Any, wait_until: Any) -> None:
    server = skill_server(heartbeat=0.05)
    wait_until(lambda: server.changes)
    refused = invoke("release")
    assert refused.exit_code == 1
    assert "no heartbeat of the operator" in refused.output


@pytest.mark.parametrize("command", ["stop", "release"])
def test_without_a_skill_server_nothing_is_claimed(ros_context: Any, command: str) -> None:
    done = invoke(command, "--timeout", "0.5")
    assert done.exit_code != 0
    assert getattr(done.exception, "exit_code", 0) == 4
    assert "skill server" in str(done.exception)
