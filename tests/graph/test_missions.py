"""The stories, run for real: every node, every image, every motion."""

import json
from pathlib import Path

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from graph.deployments import Deployment, alive

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(400)]


def tools_of(folder: Path) -> list[tuple[str, str]]:
    outcome = json.loads((folder / "outcomes.jsonl").read_text().splitlines()[-1])
    return [(call["tool"], call["status"]) for call in outcome["mission"]["calls"]]


def test_the_baguette_is_located_by_its_own_name_grasped_and_handed_over(
    ros_domain: int, tmp_path: Path
) -> None:
    with Deployment(tmp_path, "--goal", "bring me the baguette") as deployment:
        assert deployment.wait(300.0) == 0, deployment.output
        assert alive(deployment.family()) == []
    tools = tools_of(tmp_path)
    looked_up = [("resolve_place", "FOUND"), ("recall_object", "NOT_IN_MEMORY"), ("locate_in_view", "FOUND")]
    assert tools[:3] == looked_up
    assert tools[-1] == ("execute_rskill", "SUCCEEDED")
    assert "added to memory: baguette" in deployment.output


def test_the_mug_is_recalled_from_memory_and_looked_at(ros_domain: int, tmp_path: Path) -> None:
    with Deployment(tmp_path, "--goal", "find the mug") as deployment:
        assert deployment.wait(300.0) == 0, deployment.output
    tools = tools_of(tmp_path)
    assert tools[0][0] == "recall_object"
    assert tools[0][1] in ("FOUND", "AMBIGUOUS")
    assert ("locate_in_view", "FOUND") in tools


def test_a_unicorn_is_searched_for_within_the_budget_and_handed_over_once(
    ros_domain: int, tmp_path: Path
) -> None:
    budget = ("--set", "reasoner.candidates=3")
    with Deployment(tmp_path, "--goal", "bring me the unicorn", *budget) as deployment:
        assert deployment.wait(300.0) == 3, deployment.output
    tools = tools_of(tmp_path)
    assert [tool for tool, _ in tools].count("ask_human") == 1
    assert "searched" in deployment.output
    assert "NOT_IN_VIEW" in deployment.output
