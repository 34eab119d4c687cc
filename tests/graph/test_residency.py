"""Memory for one detector at a time: the mission goes on all the same."""

import json
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from graph.deployments import Deployment, alive

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(400)]


@pytest.mark.slow
def test_the_locator_is_woken_for_the_baguette_and_the_stream_makes_room(
    ros_domain: int, tmp_path: Path
) -> None:
    with Deployment(tmp_path, "--goal", "bring me the baguette", "--gpu-budget-mb", "150") as deployment:
        assert deployment.wait(300.0) == 0, deployment.output
        assert alive(deployment.family()) == []
    mission = json.loads((tmp_path / "outcomes.jsonl").read_text().splitlines()[-1])["mission"]
    asked = [call["arguments"] for call in mission["calls"] if call["tool"] == "lifecycle_transition"]
    moves = [(json.loads(item)["peer"], json.loads(item)["transition"]) for item in asked]
    assert moves[:2] == [("sim-groundtruth", "deactivate"), ("sim-groundtruth-locator", "activate")]
    looks = [call["status"] for call in mission["calls"] if call["tool"] == "locate_in_view"]
    assert "FOUND" in looks
