"""Composed, the graph succeeds at missions, and its container may die: the robot can be stopped meanwhile."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from goldens.graphs import running
from goldens.interfaces import difference, kept
from graph.deployments import Deployment, alive, until

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(300)]
COMPOSED = "--composed"
CONTAINER = "openral_ros/container"
RESTART = 60.0
"""Longest wait for a restarted container [s]."""


def test_a_mission_succeeds_and_leaves_nothing(ros_domain: int, tmp_path: Path) -> None:
    with Deployment(tmp_path, COMPOSED, "--goal", "find the baguette") as deployment:
        assert deployment.wait(240.0) == 0, deployment.output
        assert alive(deployment.family()) == []
    (outcome,) = map(json.loads, (tmp_path / "outcomes.jsonl").read_text().splitlines())
    assert outcome["state"] == "SUCCEEDED"
    spans = {file.stem for file in (tmp_path / "recording" / "spans").iterdir()}
    assert {"reasoner", "world_state", "sim_groundtruth_locator"} <= spans


@pytest.mark.slow
def test_it_has_the_recorded_interfaces_is_stopped_while_its_container_is_down_and_comes_back(
    ros_domain: int, tmp_path: Path
) -> None:
    with Deployment(tmp_path, COMPOSED, "--domain-id", str(ros_domain)) as deployment:
        present = json.loads(json.dumps(running(deployment, ros_domain)))
        different = difference(kept()["graph"], present)
        assert not different, different
        (container,) = [pid for pid in deployment.pids(CONTAINER) if is_itself(pid)]
        os.kill(container, signal.SIGSTOP)
        stopped = [sys.executable, "-m", "openral_reasoner_ros.cli", "stop", "person on the floor"]
        done = subprocess.run(stopped, capture_output=True, text=True, timeout=60.0, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        os.kill(container, signal.SIGKILL)
        deployment.wait_until_printed("died; restarting", RESTART)
        until(lambda: deployment.output.count("/reasoner is active") == 2, RESTART, lambda: deployment.output)
        deployment.process.send_signal(signal.SIGINT)
        deployment.wait(30.0)
        assert alive(deployment.family()) == []


def is_itself(pid: int) -> bool:
    """Test if a process is the container, and not one that it started."""
    return CONTAINER in Path(f"/proc/{pid}/cmdline").read_text()
