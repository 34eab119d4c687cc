"""A goal is heard or is said again; a mission ends or the operator is told why not."""

import asyncio
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
    RunTimeouts,
)
from openral_bringup.deploy.monitor_node import GraphSnapshot, MissionSnapshot, MissionState, Receipt
from openral_bringup.deploy.report import RunOutcome

QUICK = RunTimeouts(start_up=1.0, receipt=0.2, mission=1.0, memories=0.2)
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
        self.snapshot = replace(self.snapshot, mission=MissionSnapshot(f"mission of {prompt}", state=state))

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
