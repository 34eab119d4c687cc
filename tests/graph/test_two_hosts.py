"""Detectors on the robot, reasoner and world state on a second host, and a link that drops."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Timer

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from graph.deployments import Deployment, alive
from graph.hosts import DESK, ROBOT, Cable, on_host, two_hosts

pytestmark = [pytest.mark.slow, pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(500)]
CUT = 10.0
"""How long the cable is out [s]."""


@pytest.fixture
def cable(ros_domain: int) -> Iterator[Cable]:
    if shutil.which("ip") is None:
        pytest.skip("network namespaces need the `ip` command (package iproute2)")
    hosts = two_hosts()
    try:
        connected = hosts.__enter__()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"network namespaces cannot be made here: {error.stderr.strip()}")
    yield connected
    hosts.__exit__(None, None, None)


def only(*nodes: str) -> list[str]:
    return ["--discovery", "subnet", *(word for node in nodes for word in ("--run", node))]


def test_a_mission_over_two_hosts_ends_although_the_link_is_cut_and_the_next_one_succeeds(
    cable: Cable, tmp_path: Path
) -> None:
    eyes = only("sim", "sim_groundtruth", "sim_groundtruth_locator")
    mind = only("world_state", "reasoner", "bringup")
    goals = ("--goal", "find the bread", "--goal", "find the mug")
    robot = Deployment(tmp_path / "robot", *eyes, through=partial(on_host, ROBOT))
    desk = Deployment(tmp_path / "desk", *mind, *goals, through=partial(on_host, DESK))
    with robot, desk:
        desk.wait_until_printed("recall_object", 200.0)
        cable.cut()
        Timer(CUT, cable.heal).start()
        desk.wait(300.0)
        assert alive(desk.family()) == []
    first, second = map(json.loads, (tmp_path / "desk" / "outcomes.jsonl").read_text().splitlines())
    assert first["problem"] == ""
    assert first["state"] in ("SUCCEEDED", "FAILED", "HANDED_OVER"), desk.output
    assert second["state"] == "SUCCEEDED", desk.output
