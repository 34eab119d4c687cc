"""Advisor: a stronger model decides while the first is stuck, within its bound and the budget."""

import json

import pytest

from openral_eval.metering import MeteredModel
from openral_eval.suites.homes import draw_home
from openral_eval.suites.registry import SUITES
from openral_eval.suites.tasks import SuiteOptions
from openral_reasoner.budget import SearchBudget
from openral_reasoner.context import Context, Decision, RawCall
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner.settings import MissionSettings

FETCH = SUITES["household"].tasks(SuiteOptions(limit=1))[0]
PLACES = sorted(draw_home(0).places)


def stuck(context: Context) -> Decision:
    return Decision(
        calls=(RawCall(tool="execute_rskill", arguments='{"rskill_id": "grasp", "target": "x"}'),)
    )


def recalls_then_looks(context: Context) -> Decision:
    """Recall the mug, then ask the same again and again."""
    return Decision(calls=(RawCall(tool="recall_object", arguments=json.dumps({"query": "red mug"})),))


def helps(context: Context) -> Decision:
    """Do the next step from what the replies so far have shown."""
    done = [turn for turn in context.turns if turn.reply.status == "SUCCEEDED"]
    steps = [
        ("execute_rskill", {"rskill_id": "grasp", "target": "mug_1"}),
        ("execute_rskill", {"rskill_id": "handover", "target": "me"}),
        ("done", {"success": True, "message": "here you are"}),
    ]
    tool, arguments = steps[len(done)]
    return Decision(calls=(RawCall(tool=tool, arguments=json.dumps(arguments)),))


def mission(meter: MeteredModel, decisions: int, **budget: int) -> str:
    settings = MissionSettings(advisor_decisions=decisions, budget=SearchBudget(**budget))
    found = SUITES["household"].run(FETCH, SuiteOptions(), meter, settings)
    return "done" if found.success else found.state


def test_an_advisor_gets_a_stuck_mission_to_its_goal() -> None:
    meter = MeteredModel(recalls_then_looks, helps)
    assert mission(meter, 3) == "done"
    assert meter.advised == 3


def test_without_an_advisor_the_same_mission_is_handed_over() -> None:
    meter = MeteredModel(recalls_then_looks, helps)
    assert mission(meter, 0) == "HANDED_OVER"
    assert meter.advised == 0


def test_an_advisor_that_is_stuck_too_ends_the_mission() -> None:
    meter = MeteredModel(stuck, stuck)
    assert mission(meter, 6) == "HANDED_OVER"
    assert meter.advised <= 6


@pytest.mark.parametrize("calls", [1, 4, 5])
def test_the_budget_bounds_the_advisor_too(calls: int) -> None:
    meter = MeteredModel(recalls_then_looks, helps)
    assert mission(meter, 100, model_calls=calls) == "HANDED_OVER"
    assert meter.decisions <= calls


def test_a_model_that_is_not_stuck_asks_no_advisor() -> None:
    meter = MeteredModel(ScriptedModel(), stuck)
    assert mission(meter, 6) == "done"
    assert meter.advised == 0


def test_the_advisor_reads_why_it_is_asked() -> None:
    told: list[str] = []

    def reads(context: Context) -> Decision:
        told.extend(context.news)
        return helps(context)

    assert mission(MeteredModel(recalls_then_looks, reads), 3) == "done"
    assert any("is stuck: recall_object was called 3 times" in line for line in told)
