"""Two graphs of the same names in one ROS domain: the second is refused before anything starts."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rclpy.node import Node

from openral_bringup import domains
from openral_bringup.domains import FIRST_PORT, PORTS, Claims, domain_of, occupy
from openral_bringup.graph.problems import InvalidDeployment
from openral_ros.node_names import nodes_of

DEPLOY_SIM = "import sys; from openral_bringup.deploy.main import main; sys.exit(main())"
HOLDER = """
import sys
from openral_bringup.domains import Claims
claims = Claims()
assert not any(claims.take(int(sys.argv[1]), name) for name in sys.argv[2:])
print("holding", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Claims]]:
    """Claims of a test, apart from those of other tests in this process."""
    claims: list[Claims] = []
    monkeypatch.setattr(domains, "HELD", claims)
    yield claims
    for claim in claims:
        claim.release()


@pytest.fixture
def another_graph(ros_domain: int) -> Iterator[int]:
    """A process that has claimed the names of a sim and a reasoner; its process id."""
    command = [sys.executable, "-P", "-c", HOLDER, str(ros_domain), "/sim", "/reasoner"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "holding\n"
        yield process.pid
        process.communicate()


def test_who_starts_second_is_told_what_is_taken_by_whom_and_what_to_do(
    another_graph: int, ros_domain: int, held: list[Claims]
) -> None:
    with pytest.raises(InvalidDeployment) as refused:
        occupy(ros_domain, ["/sim", "/world_state"])
    reported = str(refused.value)
    assert f"ROS domain {ros_domain} already has '/sim'" in reported
    assert f"process {another_graph} " in reported
    assert "--domain-id auto" in reported
    assert "world_state" not in reported
    assert held == []


@pytest.mark.parametrize("names", [["/robot2/sim"], ["/world_state"]])
def test_another_namespace_or_another_part_of_the_graph_is_no_conflict(
    another_graph: int, ros_domain: int, names: list[str]
) -> None:
    assert occupy(ros_domain, names) == ros_domain


def test_names_are_free_again_when_their_process_has_ended(ros_domain: int) -> None:
    command = [sys.executable, "-P", "-c", HOLDER, str(ros_domain), "/sim"]
    subprocess.run(command, input="", text=True, check=True, stdout=subprocess.DEVNULL, timeout=60)
    assert occupy(ros_domain, ["/sim"]) == ros_domain


def test_a_node_that_claims_nothing_is_seen_in_the_domain(
    ros_context: Any, ros_domain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(domains, "DISCOVERY_TIME", 4.0)
    node = Node("sim", namespace="/robot1", context=ros_context)
    with pytest.raises(InvalidDeployment, match="already has '/robot1/sim', started by a process that"):
        occupy(ros_domain, ["/robot1/sim", "/robot1/reasoner"])
    node.destroy_node()


def test_a_command_line_names_its_nodes_and_a_container_those_of_each() -> None:
    alone = ["sim", "--ros-args", "-r", "__node:=sim", "-r", "__ns:=/"]
    assert nodes_of(alone) == ["/sim"]
    several = ["m:A", "--ros-args", "-r", "__node:=a", "-r", "__ns:=/robot1", "--"]
    several += ["m:B", "--ros-args", "-r", "__node:=b", "--"]
    assert nodes_of(several) == ["/robot1/a", "/b"]
    assert nodes_of(["talker", "__node:="]) == []


def test_a_node_of_this_machine_is_told_with_its_process(ros_domain: int) -> None:
    code = "import rclpy; rclpy.init(); n = rclpy.create_node('x'); print('up', flush=True); rclpy.spin(n)"
    words = ["--ros-args", "-r", "__node:=sim", "-r", "__ns:=/"]
    code = code.replace("rclpy.init()", f"rclpy.init(args={words})")
    command = [sys.executable, "-P", "-c", code, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "up\n"
            with pytest.raises(InvalidDeployment, match=f"process {process.pid} "):
                occupy(ros_domain, ["/sim"])
        finally:
            process.kill()


def test_auto_takes_a_free_domain_and_the_next_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domains, "AUTO_DOMAINS", range(90, 101))
    first = occupy(None, ["/sim"])
    assert occupy(None, ["/sim"]) not in (first, None)
    assert {first} <= set(range(90, 101))


def test_auto_leaves_a_domain_alone_whose_ports_are_used(
    monkeypatch: pytest.MonkeyPatch, held: list[Claims]
) -> None:
    monkeypatch.setattr(domains, "AUTO_DOMAINS", range(97, 101))
    chosen = occupy(None, ["/sim"])
    held.pop().release()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as used:
        used.bind(("127.0.0.1", FIRST_PORT + PORTS * chosen + 10))
        assert occupy(None, ["/sim"]) != chosen


def test_auto_says_when_no_domain_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domains, "AUTO_DOMAINS", range(99, 100))
    monkeypatch.setattr(domains, "used_ports", lambda: [FIRST_PORT + PORTS * 99 + 10])
    with pytest.raises(InvalidDeployment, match="none of the domains 99 to 99 is free"):
        occupy(None, ["/sim"])


@pytest.mark.parametrize(
    ("word", "variable", "domain"),
    [("", "", 0), ("", "7", 7), ("3", "7", 3), ("232", "", 232), ("auto", "7", None)],
)
def test_the_words_win_over_the_environment(word: str, variable: str, domain: int | None) -> None:
    assert domain_of(word, {"ROS_DOMAIN_ID": variable}) == domain


@pytest.mark.parametrize(("word", "variable"), [("233", ""), ("-1", ""), ("any", ""), ("", "any")])
def test_what_is_no_domain_is_refused(word: str, variable: str) -> None:
    with pytest.raises(InvalidDeployment, match="expected 0 to 232"):
        domain_of(word, {"ROS_DOMAIN_ID": variable})


def test_deploy_sim_refuses_with_exit_code_2_and_starts_nothing(
    another_graph: int, ros_domain: int, tmp_path: Path
) -> None:
    command = [sys.executable, "-P", "-c", DEPLOY_SIM, "--goal", "find the mug"]
    command += ["--record", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 2, done.stdout
    assert "'/reasoner', '/sim'" in done.stderr
    assert not (tmp_path / "run").exists()
