"""Processes that die during a mission never prevent its typed end."""

import signal
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from graph.deployments import Deployment, alive, until

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(500)]
LOCATOR = "sim_groundtruth_locator.yaml"


@pytest.mark.slow
def test_a_mission_ends_typed_although_the_locators_worker_and_then_its_node_are_killed(
    ros_domain: int, tmp_path: Path
) -> None:
    budget = ("--set", "reasoner.seconds=200")
    with Deployment(tmp_path, "--goal", "bring me the baguette", *budget) as deployment:
        deployment.wait_until_printed("recall_object", 120.0)
        assert deployment.kill("inference.worker", LOCATOR) == 1
        deployment.wait_until_printed("execute_rskill", 60.0)
        assert deployment.kill("setpriv" if deployment.pids("setpriv", LOCATOR) else "detector", LOCATOR) >= 1
        code = deployment.wait(300.0)
        assert code in (0, 1, 3), deployment.output
        assert alive(deployment.family()) == []
    assert "outcome" in deployment.output


def test_ctrl_c_ends_every_process(ros_domain: int, tmp_path: Path) -> None:
    with Deployment(tmp_path, "--goal", "bring me the unicorn") as deployment:
        deployment.wait_until_printed("execute_rskill", 150.0)
        family = deployment.family()
        assert len(family) >= 8
        deployment.process.send_signal(signal.SIGINT)
        assert deployment.wait(15.0) == 130
        assert alive(family) == []


def test_nodes_end_although_the_supervisor_is_killed_outright(ros_domain: int, tmp_path: Path) -> None:
    with Deployment(tmp_path) as deployment:
        deployment.wait_until_printed("/reasoner is active", 150.0)
        family = deployment.family()
        deployment.process.kill()
        until(lambda: alive(family) == [], 20.0, lambda: str(alive(family)))


def test_a_mission_whose_reasoner_is_killed_is_resumed_and_succeeds(ros_domain: int, tmp_path: Path) -> None:
    with Deployment(tmp_path, "--goal", "bring me the baguette") as deployment:
        deployment.wait_until_printed("execute_rskill", 150.0)
        assert deployment.kill("openral_reasoner_ros/reasoner") >= 1
        assert deployment.wait(240.0) == 0, deployment.output
        assert alive(deployment.family()) == []
