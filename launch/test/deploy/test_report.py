"""Outcome of a goal: its exit code, its text and its line in the recording."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from openral_bringup.deploy.monitor_node import CallLine, MissionSnapshot
from openral_bringup.deploy.report import RunOutcome, report, save
from openral_core.missions import MissionState

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
def test_the_exit_code_is_that_of_the_final_state(state: MissionState, problem: str, code: int) -> None:
    assert RunOutcome("g", replace(MISSION, state=state), 1.0, 2.0, 3.0, problem).exit_code == code


def test_the_report_names_the_searched_places_and_the_folder_of_the_recording(tmp_path: Path) -> None:
    outcome = RunOutcome("bring me the unicorn", MISSION, 5.0, 20.0, 18.0)
    text = report(outcome, tmp_path)
    assert "handed over to a human: looked everywhere" in text
    assert "- kitchen counter: NOT_IN_VIEW" in text
    assert str(tmp_path) in text
    save(outcome, tmp_path)
    assert '"exit_code": 3' in (tmp_path / "outcomes.jsonl").read_text()


def test_the_report_of_a_claim_states_that_it_is_unproven_and_lists_the_evidence(tmp_path: Path) -> None:
    missing = "missing: no HANDOVER of 'baguette' that succeeded"
    mission = replace(MISSION, state=MissionState.CLAIMED, reason="I brought it.", evidence=(missing,))
    text = report(RunOutcome("bring me the baguette", mission, 5.0, 20.0, 18.0), tmp_path)
    assert "outcome    claimed, not proven: I brought it." in text
    assert f"  - {missing}" in text


def test_every_saved_outcome_is_one_line_of_json(tmp_path: Path) -> None:
    for goal in ("bring me\nthe mug", "öffne den Schrank"):
        save(RunOutcome(goal, MISSION, 1.0, 2.0, 3.0), tmp_path)
    lines = (tmp_path / "outcomes.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["goal"] for line in lines] == ["bring me\nthe mug", "öffne den Schrank"]
    assert {json.loads(line)["state"] for line in lines} == {"HANDED_OVER"}


def test_a_problem_of_the_graph_replaces_the_state_of_the_mission(tmp_path: Path) -> None:
    outcome = RunOutcome("g", replace(MISSION, state=MissionState.SUCCEEDED), 1.0, 2.0, 3.0, "reasoner died")
    assert outcome.exit_code == 4
    assert "outcome    reasoner died\n" in report(outcome, tmp_path)


def test_long_messages_are_cut_to_their_first_line(tmp_path: Path) -> None:
    calls = (replace(CALL, message="first\nsecond"), replace(CALL, message="x" * 500))
    lines = report(RunOutcome("g", replace(MISSION, calls=calls), 1.0, 2.0, 3.0), tmp_path).splitlines()
    steps = [line for line in lines if "recall_object" in line]
    assert steps[0].endswith("first")
    assert steps[1].endswith("x" * 99 + "…")
    assert "second" not in "\n".join(lines)


def test_a_mission_without_calls_has_no_steps(tmp_path: Path) -> None:
    text = report(RunOutcome("g", MissionSnapshot(), 1.0, 2.0, 3.0), tmp_path)
    assert "steps\n  none\n" in text
    assert "searched" not in text
    assert "evidence" not in text
