"""Commands over the local socket: confirmed by the skill server, for its own robot, user and moment alone."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("rclpy")
import rclpy
from rclpy.executors import SingleThreadedExecutor
from std_msgs.msg import String

from openral_core import local_commands
from openral_core.local_commands import cancel, is_trusted, release, send_command, socket_address, stop
from openral_msgs.msg import PromptReceipt, PromptStamped
from openral_ros.emergency_stop import EmergencyStop, StopParameters
from openral_ros.qos import RECEIPTS, RELIABLE
from openral_ros.resources import ResourceScope
from openral_testing.ros.executor_thread import ExecutorThread

Make = Callable[..., EmergencyStop]


@pytest.fixture
def nodes(ros_context: Any) -> Iterator[Callable[..., tuple[Any, ResourceScope]]]:
    executor, made = SingleThreadedExecutor(context=ros_context), []

    def make(name: str, namespace: str = "") -> tuple[Any, ResourceScope]:
        node = rclpy.create_node(name, namespace=namespace, context=ros_context)
        made.append((node, ResourceScope(node)))
        executor.add_node(node)
        executor.wake()
        return made[-1]

    with ExecutorThread(executor):
        yield make
        for node, _ in made:
            executor.remove_node(node)
    for node, scope in made:
        scope.close()
        node.destroy_node()


@pytest.fixture
def serve(nodes: Any) -> Make:
    def make(namespace: str = "", **options: Any) -> EmergencyStop:
        node, scope = nodes("skill_server", namespace)
        return EmergencyStop(scope, node, StopParameters(**options), lambda state: None, lambda _: None)

    return make


def test_a_stop_is_latched_with_its_reason_when_it_is_confirmed_and_released_again(serve: Make) -> None:
    server = serve()
    assert stop("", "person on the floor", 5.0) == "person on the floor"
    assert server.state.reason == "person on the floor"
    assert stop("", "another reason", 5.0) == "person on the floor"
    assert release("", 5.0) == (True, "released; stopped was: person on the floor")
    assert not server.state.reason
    assert stop("", "half a surrogate \ud800 " + "x" * 5000, 5.0).startswith("half a surrogate")


def test_each_robot_of_a_machine_has_a_socket_of_its_own(
    serve: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = serve("r1"), serve("r2")
    assert stop("/r2/", "that one", 5.0) == "that one"
    assert (first.state.reason, second.state.reason) == ("", "that one")
    assert stop("", "no such robot", 5.0) == ""
    monkeypatch.setenv("ROS_DOMAIN_ID", "231")
    assert stop("r1", "of another domain", 5.0) == ""
    monkeypatch.setenv("ROS_DOMAIN_ID", "no number")
    assert stop("r1", "of no domain", 5.0) == ""
    assert socket_address(0, f"/{'long' * 30}/openral/stop") is None


def test_a_refused_release_stays_refused(serve: Make, wait_until: Any) -> None:
    server = serve(operator_heartbeat=0.05)
    wait_until(lambda: server.state.reason)
    answer = release("", 5.0)
    assert answer is not None
    assert not answer[0]
    assert "no heartbeat" in answer[1]


def test_a_stop_also_reaches_other_skill_servers_of_the_robot(
    serve: Make, nodes: Any, wait_until: Any
) -> None:
    serve()
    heard: list[String] = []
    other, scope = nodes("other_skill_server")
    scope.subscription(String, "openral/stop", heard.append, RELIABLE)
    wait_until(lambda: other.count_publishers("openral/stop"))

    def is_told() -> bool:  # their discovery takes its time
        stop("", "both of you", 5.0)
        return bool(heard)

    wait_until(is_told)
    assert heard[0].data == "both of you"


def test_a_cancelled_mission_is_confirmed_by_the_reasoner_alone(serve: Make, nodes: Any) -> None:
    serve()
    assert cancel("", 1.0) == ""
    _, scope = nodes("reasoner")
    receipts = scope.publisher(PromptReceipt, "openral/prompt_receipt", RECEIPTS)

    def acknowledge(prompt: PromptStamped) -> None:
        stopped = PromptReceipt.OUTCOME_STOPPED if prompt.text == "stop" else PromptReceipt.OUTCOME_STARTED
        receipts.publish(PromptReceipt(prompt_id=prompt.id, outcome=stopped, mission_id="m1"))

    scope.subscription(PromptStamped, "openral/prompt", acknowledge, RELIABLE)
    answers = (cancel("", 5.0) for _ in range(20))
    assert next(answer for answer in answers if answer) == "stopped m1"


def test_a_hung_server_ends_the_wait_and_forgets_a_release_but_no_stop(
    nodes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = rclpy.create_node("skill_server", context=nodes("other")[0].context)
    scope = ResourceScope(node)
    server = EmergencyStop(scope, node, StopParameters(), lambda state: None, lambda _: None)
    server.stop("first")
    monkeypatch.setattr(local_commands, "SILENCE", 0.2)
    assert release("", 5.0) is None  # its executor does not run
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    for _ in range(50):
        executor.spin_once(timeout_sec=0.01)
    assert server.state.reason == "first"
    assert release_while(executor) == (True, "released; stopped was: first")
    assert stop("", "late", 5.0) == ""
    for _ in range(50):
        executor.spin_once(timeout_sec=0.01)
    assert server.state.reason == "late"
    scope.close()
    executor.shutdown()
    node.destroy_node()


def release_while(executor: SingleThreadedExecutor) -> object:
    answers: list[object] = []
    asker = Thread(target=lambda: answers.append(release("", 5.0)))
    asker.start()
    while asker.is_alive():
        executor.spin_once(timeout_sec=0.01)
    asker.join()
    return answers[0]


@pytest.mark.parametrize(
    "line", [b"[]\n", b"{}\n", b"\xff\n", b'{"command": "dance"}\n', b"x" * 70_000 + b"\n", b"{"]
)
def test_nonsense_is_not_answered_and_harms_nothing(serve: Make, line: bytes) -> None:
    serve()
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.settimeout(5.0)
        stranger.connect(address())
        stranger.sendall(line)
        stranger.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            assert stranger.recv(100) == b""
    assert stop("", "still there", 5.0) == "still there"


def test_idle_connections_leave_room_and_deep_json_is_refused(serve: Make) -> None:
    serve()
    idle = [socket.socket(socket.AF_UNIX) for _ in range(20)]
    for each in idle:
        each.connect(address())
    deep = {"command": "stop", "reason": json.loads("[" * 500 + "]" * 500)}
    assert send_command("", deep) == {"message": str(deep["reason"])[:200]}
    for each in idle:
        each.close()


def test_nobody_but_this_user_and_root_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        assert is_trusted(ours)
        monkeypatch.setattr(local_commands, "_CREDENTIALS", Stranger)
        assert not is_trusted(ours)


class Stranger:
    """Credentials of user 4711."""

    size = 12

    @staticmethod
    def unpack(_: bytes) -> tuple[int, int, int]:
        return 1, 4711, 4711


def test_a_process_that_dies_leaves_no_socket_behind(serve: Make, ros_domain: int) -> None:
    code = (
        "import socket, os; s = socket.socket(socket.AF_UNIX); "
        f"s.bind({address()!r}); s.listen(); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code], check=False, timeout=30.0)
    serve()
    assert stop("", "alive", 5.0) == "alive"


def address() -> bytes:
    made = socket_address(int(os.environ["ROS_DOMAIN_ID"]), "/openral/stop")
    assert made is not None
    return made
