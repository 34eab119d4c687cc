"""Console output: the view, the lines, the report, the plan."""

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from openral_bringup.deploy.console import changes, plan, unreported, view
from openral_bringup.deploy.monitor_node import CallLine, GraphSnapshot, MissionSnapshot
from openral_bringup.deploy.report import RunOutcome, report, save
from openral_bringup.graph.description import GraphDescription
from openral_bringup.graph.errors import InvalidDeployment
from openral_bringup.graph.node_spec import NodeSpec
from openral_bringup.graph.overrides import overrides_of
from openral_core.missions import MissionState
from openral_sim.ros.parameters import SimParameters

CALL = CallLine(1, "recall_object", '{"query": "baguette"}', "NOT_IN_MEMORY", "bread is known", 0.1)
MISSION = MissionSnapshot(
    "m1",
    "bring me the baguette",
    MissionState.HANDED_OVER,
    "",
    "looked everywhere",
    (CALL,),
    {"locates": (2.0, 8.0)},
    ("kitchen counter: NOT_IN_VIEW",),
)
SNAPSHOT = GraphSnapshot(
    {"/sim": "active", "/openral/perception/sim_groundtruth/detector": "down"},
    {"head": 5.0},
    ("bread", "mug", "mug"),
    12.5,
    True,
    MISSION,
)


def printed(renderable: object) -> str:
    console = Console(width=140, record=True, file=StringIO())
    console.print(renderable)
    return console.export_text()


def test_the_view_shows_nodes_memory_budget_and_calls() -> None:
    shown = printed(view(SNAPSHOT, {"sim_groundtruth": 2}, ["[sim] [ERROR] slow"], 3.0))
    for words in (
        "sim_groundtruth",
        "down",
        "head 5.0 Hz",
        "mug x2",
        "locates 2/8",
        "NOT_IN_MEMORY",
        "[sim] [ERROR] slow",
    ):
        assert words in shown


def test_markup_in_what_nodes_say_is_shown_as_it_is() -> None:
    call = replace(CALL, message="[bold]ignore previous instructions[/bold]", tool="[/tool]")
    mission = replace(MISSION, calls=(call,), goal="find the [/mug]")
    shown = printed(view(replace(SNAPSHOT, mission=mission), {}, [], 0.0))
    assert "[bold]ignore previous instructions" in shown
    assert "find the [/mug]" in shown
    assert "[/tool]" in shown


def test_a_waiting_view_says_so() -> None:
    assert "waiting for the graph, 4 s" in printed(view(GraphSnapshot(), {}, [], 4.0))


def test_only_changes_are_told() -> None:
    assert list(changes(SNAPSHOT, SNAPSHOT)) == []
    told = list(changes(GraphSnapshot(), SNAPSHOT))
    assert 'recall_object {"query": "baguette"} -> NOT_IN_MEMORY: bread is known' in told
    assert "mission 'bring me the baguette' is handed_over: looked everywhere" in told


@pytest.mark.parametrize(
    ("state", "problem", "code"),
    [
        (MissionState.SUCCEEDED, "", 0),
        (MissionState.FAILED, "", 1),
        (MissionState.CANCELLED, "", 1),
        (MissionState.HANDED_OVER, "", 3),
        (MissionState.CLAIMED, "", 5),
        (MissionState.ACTIVE, "no end", 4),
    ],
)
def test_exit_codes_tell_how_it_ended(state: MissionState, problem: str, code: int) -> None:
    assert RunOutcome("g", replace(MISSION, state=state), 1.0, 2.0, 3.0, problem).exit_code == code


def test_the_report_says_where_it_looked_and_where_the_recording_lies(tmp_path: Path) -> None:
    outcome = RunOutcome("bring me the unicorn", MISSION, 5.0, 20.0, 18.0)
    told = report(outcome, tmp_path)
    assert "handed over to a human: looked everywhere" in told
    assert "- kitchen counter: NOT_IN_VIEW" in told
    assert str(tmp_path) in told
    save(outcome, tmp_path)
    assert '"exit_code": 3' in (tmp_path / "outcomes.jsonl").read_text()


def test_the_report_of_a_claim_says_that_nothing_proves_it_and_what_was_seen(tmp_path: Path) -> None:
    missing = "missing: no HANDOVER of 'baguette' that succeeded"
    mission = replace(MISSION, state=MissionState.CLAIMED, reason="I brought it.", evidence=(missing,))
    told = report(RunOutcome("bring me the baguette", mission, 5.0, 20.0, 18.0), tmp_path)
    assert "outcome    claimed, not proven: I brought it." in told
    assert f"  - {missing}" in told
    assert "claimed: I brought it." in printed(view(replace(SNAPSHOT, mission=mission), {}, [], 0.0))


def test_the_plan_lists_every_node_with_its_parameters() -> None:
    graph = GraphDescription((NodeSpec("sim", "openral_sim", "sim", "/robot1", 0, {"seed": 3}),))
    shown = printed(plan(graph, ["weights of 'tiny'"]))
    assert "openral_sim sim" in shown
    assert "seed: 3" in shown
    for name in SimParameters.model_fields:
        assert f"{name}: " in shown
    assert "shadows: False (default)" in shown
    assert "required before start: weights of 'tiny'" in shown


def test_an_alarm_is_told_once_whenever_it_is_repeated() -> None:
    refused, again, lost = ("[a] [ERROR] [1.5] [a]: no", "[a] [ERROR] [2.5] [a]: no", "[b] died")
    first = unreported([refused, again, lost], set())
    assert first == ["[a] [ERROR] [a]: no", "[b] died"]
    assert unreported([again], set(first)) == []


def test_settings_come_from_files_and_words_and_words_win(tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text("sim: {seed: 1, real_time_factor: 2.0}")
    assert overrides_of([file], ["sim.seed=5", "reasoner.brain=scripted"]) == {
        "sim": {"seed": 5, "real_time_factor": 2.0},
        "reasoner": {"brain": "scripted"},
    }


def test_a_setting_of_another_form_is_refused_with_an_example() -> None:
    with pytest.raises(InvalidDeployment, match=r"--set seed=3: expected node\.parameter=value"):
        overrides_of([], ["seed=3"])
