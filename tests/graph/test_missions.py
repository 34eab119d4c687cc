"""The stories, run for real: every node, every image, every motion."""

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from graph.deployments import Deployment, alive

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(400)]


GOALS = ("bring me the baguette", "find the mug", "bring me the unicorn")
HANDED_OVER = 3


def test_three_goals_on_one_graph_end_as_they_should(ros_domain: int, tmp_path: Path) -> None:
    goals = [word for goal in GOALS for word in ("--goal", goal)]
    with Deployment(tmp_path, *goals, "--set", "reasoner.candidates=3") as deployment:
        assert deployment.wait(380.0) == HANDED_OVER, deployment.output
        assert alive(deployment.family()) == []
    outcomes = [json.loads(line) for line in (tmp_path / "outcomes.jsonl").read_text().splitlines()]
    assert [outcome["exit_code"] for outcome in outcomes] == [0, 0, HANDED_OVER], deployment.output
    baguette, mug, unicorn = (tools_of(outcome) for outcome in outcomes)
    check_located_by_its_own_name_and_handed_over(baguette)
    assert "added to memory: baguette" in deployment.output
    check_recalled_from_memory_and_looked_at(mug)
    check_searched_for_within_the_budget_and_handed_over_once(unicorn)
    assert "searched" in deployment.output
    assert "NOT_IN_VIEW" in deployment.output


Tools = list[tuple[str, str]]


def tools_of(outcome: dict[str, Any]) -> Tools:
    return [(call["tool"], call["status"]) for call in outcome["mission"]["calls"]]


def check_located_by_its_own_name_and_handed_over(tools: Tools) -> None:
    looked_up = [("resolve_place", "FOUND"), ("recall_object", "NOT_IN_MEMORY"), ("locate_in_view", "FOUND")]
    assert tools[:3] == looked_up
    assert tools[-1] == ("execute_rskill", "SUCCEEDED")


def check_recalled_from_memory_and_looked_at(tools: Tools) -> None:
    assert tools[0][0] == "recall_object"
    assert tools[0][1] in ("FOUND", "AMBIGUOUS")
    assert ("locate_in_view", "FOUND") in tools


def check_searched_for_within_the_budget_and_handed_over_once(tools: Tools) -> None:
    assert [tool for tool, _ in tools].count("ask_human") == 1
    assert ("locate_in_view", "NOT_IN_VIEW") in tools
