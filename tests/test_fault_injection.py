"""Support of the fault tests: the record of goals, and the model behind an endpoint."""

import json

import pytest

pytest.importorskip("openral_msgs")
from graph.fault_injection.goal_log import ExecutedGoal, done_twice
from graph.faults.model_endpoint import decision

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
