"""The benchmark of operators: goals that outlive a stop, and growth of memory."""

import pytest

pytest.importorskip("openral_msgs")
from graph.fault_injection.goal_log import ExecutedGoal
from graph.faults.operator import Acknowledged
from graph.faults.resource_usage import ResourceUsage

from benchmarks import operators
from openral_core.missions import PromptOutcome

STOPPED, STARTED = PromptOutcome.STOPPED, PromptOutcome.STARTED


def said(outcome: PromptOutcome, at: float) -> Acknowledged:
    return Acknowledged("stop" if outcome is STOPPED else "find the mug", at, at + 0.1, outcome)


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
    began: float, ended: float, graces: tuple[int, int], problem: str
) -> None:
    after, until = (grace * operators.GRACE for grace in graces)
    goal = ExecutedGoal("1", "navigate", (), began + after, ended + until, "CANCELLED")
    prompts = [said(STARTED, 1.0), said(STOPPED, 10.0), said(STARTED, 40.0)]
    found = list(operators.goals_after_stops([goal], prompts))
    assert len(found) == bool(problem)
    assert all(problem in line for line in found)


def test_growth_of_memory_is_measured_after_the_warm_up_and_beside_the_same_children() -> None:
    def used(memory: float, children: int = 0) -> ResourceUsage:
        return ResourceUsage(memory, 10, 4, children)

    samples = [{"node": used(memory)} for memory in (10.0, 50.0, 80.0, 80.0, 81.0, 82.0, 84.0, 84.0)]
    samples[3]["node"] = used(300.0, children=1)
    assert operators.memory_growth(samples) == {"node": 4.0}
    assert operators.memory_growth(samples[:3]) == {}
