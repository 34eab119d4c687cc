"""A goal is heard or is said again; a mission ends or the operator is told why not."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from openral_bringup.deploy.mission_runner import (
    GOAL_NOT_ACCEPTED,
    GOAL_REFUSED,
    INTERRUPTED,
    REASONER_DIED,
    MissionRunner,
    RunOutcome,
    RunTimeouts,
    report,
    save,
)
from openral_bringup.deploy.monitor_node import (
    CallLine,
    GraphSnapshot,
    MissionSnapshot,
    Receipt,
)
from openral_core.missions import MissionState

QUICK = RunTimeouts(start_up=1.0, receipt=0.2, mission=1.0, memories=0.2, resumption=0.3, last_words=0.01)
UP = GraphSnapshot({"/reasoner": "active"}, palette_known=True, remembered=("mug",))


class Graph:
    """Stands for the observer: what a reasoner does with the n-th time that a goal is said."""

    namespace = ""

    def __init__(self, *hears: Callable[["Graph", str], None]) -> None:
        self.snapshot, self.deaths, self.said = UP, 0, list[str]()
        self._hears = list(hears)

    def reasoner_listens(self) -> bool:
        return True

    def send_goal(self, goal: str, again: str = "") -> str:
        prompt = again or f"prompt of {goal}"
        self.said.append(prompt)
        if self._hears:
            self._hears.pop(0)(self, prompt)
        return prompt

    def report(self, prompt: str, state: MissionState) -> None:
        self.acknowledge(prompt, Receipt(f"mission of {prompt}"))
        mission = MissionSnapshot(f"mission of {prompt}", state=state)
        self.snapshot = replace(self.snapshot, mission=mission, reports=self.snapshot.reports + 1)

    def acknowledge(self, prompt: str, receipt: Receipt) -> None:
        self.snapshot = replace(self.snapshot, receipts={**self.snapshot.receipts, prompt: receipt})


def succeed(graph: Graph, prompt: str) -> None:
    graph.report(prompt, MissionState.SUCCEEDED)


def ignore(graph: Graph, prompt: str) -> None:
    """A reasoner that is just being started does not hear it."""


def refuse(graph: Graph, prompt: str) -> None:
    graph.acknowledge(prompt, Receipt("", refused=True, message="these words are empty"))


def die(graph: Graph, prompt: str) -> None:
    graph.report(prompt, MissionState.ACTIVE)
    loop = asyncio.get_running_loop()
    loop.call_later(0.3, setattr, graph, "deaths", 1)
    loop.call_later(0.4, setattr, graph, "snapshot", UP)


def die_at_once(graph: Graph, prompt: str) -> None:
    graph.report(prompt, MissionState.ACTIVE)
    graph.deaths = 1


def pursued(graph: Graph, *goals: str) -> tuple[int, list[RunOutcome]]:
    outcomes: list[RunOutcome] = []

    async def run() -> int:
        runner = MissionRunner(graph, Path(), QUICK, tuple, lambda: {"reasoner": graph.deaths})
        return await runner.run(goals, outcomes.append)

    return asyncio.run(run()), outcomes


def test_a_goal_that_nobody_heard_is_said_again_as_the_same_one() -> None:
    graph = Graph(ignore, ignore, succeed)
    assert pursued(graph, "a")[0] == 0
    assert graph.said == ["prompt of a"] * 3


def test_a_reasoner_that_never_takes_the_goal_is_told_of() -> None:
    code, (outcome,) = pursued(Graph(), "a")
    assert (code, outcome.problem) == (4, GOAL_NOT_ACCEPTED)


def test_a_goal_that_is_refused_is_told_at_once_with_the_reasoners_words() -> None:
    graph = Graph(refuse)
    code, (outcome,) = pursued(graph, " ")
    assert (code, outcome.problem) == (4, GOAL_REFUSED.format("these words are empty"))
    assert len(graph.said) == 1


def test_the_end_of_another_mission_is_not_the_goals_end() -> None:
    def hear_among_others(graph: Graph, prompt: str) -> None:
        graph.report("of another terminal", MissionState.SUCCEEDED)
        graph.acknowledge(prompt, Receipt("m1"))

    code, (outcome,) = pursued(Graph(hear_among_others), "a")
    assert code == 4
    assert outcome.problem.startswith("the mission did not end")


def test_a_lost_mission_is_told_and_the_next_goal_is_pursued_all_the_same() -> None:
    code, (lost, reached) = pursued(Graph(die, succeed), "a", "b")
    assert (lost.problem, reached.problem) == (REASONER_DIED, "")
    assert (code, reached.exit_code) == (4, 0)


def test_a_mission_that_the_restarted_reasoner_goes_on_with_is_awaited() -> None:
    def die_and_resume(graph: Graph, prompt: str) -> None:
        die(graph, prompt)
        loop = asyncio.get_running_loop()
        loop.call_later(0.4, graph.report, prompt, MissionState.ACTIVE)
        loop.call_later(0.6, graph.report, prompt, MissionState.SUCCEEDED)

    code, (reached,) = pursued(Graph(die_and_resume), "a")
    assert (code, reached.problem) == (0, "")


def test_a_mission_that_the_restarted_reasoner_does_not_know_is_lost() -> None:
    def die_and_forget(graph: Graph, prompt: str) -> None:
        die(graph, prompt)

        def idle() -> None:
            graph.snapshot = replace(graph.snapshot, mission=MissionSnapshot(), reports=9)

        asyncio.get_running_loop().call_later(0.4, idle)

    _, (lost,) = pursued(Graph(die_and_forget), "a")
    assert lost.problem == REASONER_DIED


def test_an_interrupted_goal_has_an_outcome_too() -> None:
    outcomes: list[RunOutcome] = []

    async def run() -> None:
        graph = Graph(lambda graph, prompt: graph.report(prompt, MissionState.ACTIVE))
        runner = MissionRunner(graph, Path(), QUICK, tuple, dict)
        task = asyncio.ensure_future(runner.run(("a", "b"), outcomes.append))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    (outcome,) = outcomes
    assert (outcome.goal, outcome.problem) == ("a", INTERRUPTED)
    assert outcome.mission.state is MissionState.ACTIVE


def test_a_mission_whose_reasoner_dies_as_soon_as_it_begins_is_lost_too() -> None:
    _, (lost,) = pursued(Graph(die_at_once), "a")
    assert lost.problem == REASONER_DIED


def test_no_goal_is_said_before_the_graph_is_up_again() -> None:
    graph = Graph(succeed)
    graph.snapshot = replace(UP, nodes={"/reasoner": "down"})
    code, (outcome,) = pursued(graph, "a")
    assert (code, graph.said) == (4, [])
    assert "/reasoner is down" in outcome.problem


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
