"""The examples that need a running graph."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from graph.deployments import ROOT, Deployment

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(600)]
CLIENTS = {
    ("ask_detector.py", "red mug"): "red mug",
    ("recall_object.py", "mug"): "m in map",
    ("list_scene_graph.py",): "present",
    ("send_goal.py", "find the mug"): "state 3",
    ("agent_over_mcp.py", "mug"): "SUCCEEDED",
}


@pytest.fixture
def graph(ros_domain: int, tmp_path: Path) -> Iterator[Deployment]:
    with Deployment(tmp_path / "graph") as deployment:
        for line in ("added to memory: mug", "/reasoner is active"):
            deployment.wait_until_printed(line, 150.0)
        yield deployment


def run(*command: str, timeout: float) -> str:
    done = subprocess.run(
        [sys.executable, f"examples/{command[0]}", *command[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_clients_get_their_answers(graph: Deployment) -> None:
    for command, expected in CLIENTS.items():
        assert expected in run(*command, timeout=120.0)


def test_two_robots_are_started_each_with_its_own_goal(ros_domain: int) -> None:
    """The plan alone: test_namespaces.py has the same two robots pursue the same goals."""
    output = run("two_robots.py", "--dry-run", timeout=200.0)
    assert output.count("exit code 0") == 2, output
    for robot in ("/robot1", "/robot2"):
        assert f"{robot}/reasoner" in output, output
