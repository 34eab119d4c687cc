"""The stories, run for real: every node, every image, every motion."""

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openral_msgs")
pytest.importorskip("mujoco")
from graph.deployments import Deployment, alive

pytestmark = [pytest.mark.graph, pytest.mark.xdist_group("graph"), pytest.mark.timeout(400)]


GOALS = ("bring me the baguette", "find the mug", "bring me the teddy bear", "bring me the unicorn")
HANDED_OVER = 3
ENDS = [0, 0, HANDED_OVER, HANDED_OVER]
LEARNED = ("--detectors", "embedded")


def test_four_goals_on_one_graph_with_learned_detectors_end_as_they_should(
    ros_domain: int, tmp_path: Path
) -> None:
    goals = [word for goal in GOALS for word in ("--goal", goal)]
    with Deployment(tmp_path, *LEARNED, *goals, "--set", "reasoner.candidates=2") as deployment:
        assert deployment.wait(380.0) == HANDED_OVER, deployment.output
        assert alive(deployment.family()) == []
    outcomes = [json.loads(line) for line in (tmp_path / "outcomes.jsonl").read_text().splitlines()]
    assert [outcome["exit_code"] for outcome in outcomes] == ENDS, deployment.output
    baguette, mug, teddy_bear, unicorn = (tools_of(outcome) for outcome in outcomes)
    assert baguette[-1] == ("execute_rskill", "SUCCEEDED")
    assert "added to memory: baguette" in deployment.output
    check_recalled_from_memory_and_looked_at(mug)
    check_searched_for_within_the_budget_and_handed_over_once(teddy_bear)
    assert "searched" in deployment.output
    check_handed_over_without_a_search_for_what_no_locator_names(unicorn)


Tools = list[tuple[str, str]]


def tools_of(outcome: dict[str, Any]) -> Tools:
    return [(call["tool"], call["status"]) for call in outcome["mission"]["calls"]]


def check_recalled_from_memory_and_looked_at(tools: Tools) -> None:
    assert tools[0][0] == "recall_object"
    assert tools[0][1] in ("FOUND", "AMBIGUOUS")
    assert ("locate_in_view", "FOUND") in tools


def check_searched_for_within_the_budget_and_handed_over_once(tools: Tools) -> None:
    assert [tool for tool, _ in tools].count("ask_human") == 1
    assert ("locate_in_view", "NOT_IN_VIEW") in tools


def check_handed_over_without_a_search_for_what_no_locator_names(tools: Tools) -> None:
    assert ("locate_in_view", "NOT_IN_VOCABULARY") in tools
    assert "execute_rskill" not in [tool for tool, status in tools if status == "SUCCEEDED"]
