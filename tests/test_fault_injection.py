"""Support of the fault tests: the record of goals, and the model behind an endpoint."""

import json
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("openral_msgs")
from graph.fault_injection.goal_log import ExecutedGoal, done_twice
from graph.faults.model_endpoint import decision
from graph.faults.operator import Acknowledged
from graph.faults.resource_usage import ResourceUsage

from openral_core.missions import PromptOutcome

Step = tuple[str, str, str]
FRIDGE = ("OPEN", "fridge")


def goals(*steps: tuple[str, str] | Step) -> list[ExecutedGoal]:
    """One goal after the other; a third part of a step is its status."""
    return [
        ExecutedGoal(str(number), step[0].lower(), (step[1],), 0.0, 1.0, [*step, "SUCCEEDED"][2])
        for number, step in enumerate(steps)
    ]


@pytest.mark.parametrize(
    "steps",
    [
        (FRIDGE, ("CLOSE", "fridge"), FRIDGE, ("CLOSE", "fridge")),
        (FRIDGE, ("OPEN", "cabinet")),
        (("GRASP", "glass"), ("PLACE", "table"), ("GRASP", "glass"), ("HANDOVER", "ana")),
        (("OPEN", "fridge", "BLOCKED"), FRIDGE),
        (("NAVIGATE", ""), ("NAVIGATE", ""), ("LOOK_AT", ""), ("LOOK_AT", "")),
    ],
)
def test_a_step_that_was_undone_or_failed_may_be_done_again(steps: tuple[Step, ...]) -> None:
    assert done_twice(goals(*steps)) == []


@pytest.mark.parametrize(
    "steps",
    [
        (FRIDGE, ("GRASP", "wine"), FRIDGE),
        (("GRASP", "glass"), ("GRASP", "glass")),
        (("GRASP", "glass"), ("PLACE", "table"), ("PLACE", "table")),
        (("POUR", "glass"), ("NAVIGATE", ""), ("POUR", "glass")),
    ],
)
def test_a_step_whose_effect_is_there_counts_as_done_twice(steps: tuple[Step, ...]) -> None:
    assert len(done_twice(goals(*steps))) == 1


def test_a_goal_that_is_executed_twice_counts() -> None:
    first = goals(("NAVIGATE", ""))
    assert done_twice([*first, *first]) == ["navigate : goal 0 executed twice"]


def test_the_model_of_the_endpoint_finds_the_object_of_the_goal() -> None:
    opening = {"role": "user", "content": 'Goal, in the operator\'s words: "find the mug".'}
    reply = {"role": "tool", "content": json.dumps({"found": [{"id": "mug_1"}]})}
    messages = [{"role": "system", "content": ""}, opening]
    assert decision({"messages": messages}) == ("recall_object", '{"query": "mug"}')
    tool, arguments = decision({"messages": [*messages, reply]})
    assert (tool, json.loads(arguments)["target"]) == ("execute_rskill", "mug_1")
    assert decision({"messages": [*messages, reply, reply, reply]})[0] == "done"


STOPPED, STARTED = PromptOutcome.STOPPED, PromptOutcome.STARTED


def said(outcome: PromptOutcome, at: float) -> Acknowledged:
    return Acknowledged("stop" if outcome is STOPPED else "find the mug", at, at + 0.1, outcome)


@pytest.fixture
def operators(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    return import_module("benchmarks.operators")


@pytest.mark.parametrize(
    ("began", "ended", "graces", "problem"),
    [
        (5.0, 11.0, (0, 0), ""),
        (5.0, 10.2, (0, 1), "ran on"),
        (5.0, 0.0, (0, 0), "ran on"),
        (10.2, 50.0, (1, 0), "began"),
        (40.5, 50.0, (0, 0), ""),
    ],
)
def test_a_goal_after_a_stop_is_found(
    began: float, ended: float, graces: tuple[int, int], problem: str, operators: ModuleType
) -> None:
    after, until = (grace * operators.GRACE for grace in graces)
    goal = ExecutedGoal("1", "navigate", (), began + after, ended + until, "CANCELLED")
    prompts = [said(STARTED, 1.0), said(STOPPED, 10.0), said(STARTED, 40.0)]
    found = list(operators.goals_after_stops([goal], prompts))
    assert len(found) == bool(problem)
    assert all(problem in line for line in found)


def test_growth_of_memory_is_measured_after_the_warm_up_and_beside_the_same_children(
    operators: ModuleType,
) -> None:
    def used(memory: float, children: int = 0) -> ResourceUsage:
        return ResourceUsage(memory, 10, 4, children)

    samples = [{"node": used(memory)} for memory in (10.0, 50.0, 80.0, 80.0, 81.0, 82.0, 84.0, 84.0)]
    samples[3]["node"] = used(300.0, children=1)
    assert operators.memory_growth(samples) == {"node": 4.0}
    assert operators.memory_growth(samples[:3]) == {}
