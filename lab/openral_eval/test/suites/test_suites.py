"""Suites: the scripted planner does their tasks, and a wrong deed is never called a success."""

import json

import pytest

from openral_eval.metering import MeteredModel
from openral_eval.suites.household import missions
from openral_eval.suites.registry import SUITES, tasks_of
from openral_eval.suites.tasks import SuiteOptions, UnknownSuite
from openral_reasoner.context import Context, Decision, RawCall
from openral_reasoner.llm.base import ModelUnavailable
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner.settings import MissionSettings

BASIC = SUITES["household"].tasks(SuiteOptions(limit=len(missions())))


def call(tool: str, **arguments: object) -> Decision:
    return Decision(calls=(RawCall(tool=tool, arguments=json.dumps(arguments)),))


@pytest.mark.parametrize("task", BASIC, ids=lambda task: task.category)
def test_the_scripted_planner_does_the_basic_missions(task: object) -> None:
    found = SUITES["household"].run(task, SuiteOptions(), ScriptedModel(), MissionSettings())
    assert found.success, found


@pytest.mark.parametrize("task", BASIC, ids=lambda task: task.category)
def test_a_model_that_only_claims_success_does_none_of_them(task: object) -> None:
    def claim(context: Context) -> Decision:
        return call("done", success=True, message="done")

    assert not SUITES["household"].run(task, SuiteOptions(), claim, MissionSettings()).success


def test_what_was_not_asked_for_is_a_wrong_action() -> None:
    def opens(context: Context) -> Decision:
        if not context.turns:
            return call("state_request", steps=[])
        if len(context.turns) == 1:
            return call("execute_rskill", rskill_id="open", target="cabinet_1")
        return call("done", success=False, message="I cannot do that")

    refused = next(task for task in BASIC if task.category == "refused goal")
    found = SUITES["household"].run(refused, SuiteOptions(), opens, MissionSettings())
    assert (found.failure, found.detail) == ("WRONG_ACTION", "not asked for: open cabinet_1")


def test_a_search_succeeds_at_the_place_of_the_object_alone() -> None:
    tasks = SUITES["search"].tasks(SuiteOptions(limit=12))
    found = [SUITES["search"].run(t, SuiteOptions(), ScriptedModel(), MissionSettings()) for t in tasks]
    assert {task.category for task in tasks} == {"present", "absent"}
    for task, verdict in zip(tasks, found, strict=True):
        assert (verdict.spl is not None) is (task.category == "present")
    assert sum(each.success for each in found) >= 10


def test_the_same_task_ends_the_same_way() -> None:
    task = SUITES["search"].tasks(SuiteOptions(seed=6, limit=1))[0]
    first, second = (
        SUITES["search"].run(task, SuiteOptions(), ScriptedModel(), MissionSettings()) for _ in range(2)
    )
    assert first == second


def test_calls_that_come_back_are_counted_by_their_reason() -> None:
    answers = [
        call("execute_rskill", rskill_id="fly", target="mug_1"),
        call("recall_object", query="red mug"),
        call("execute_rskill", rskill_id="place", target="counter_1"),
        call("done", success=False, message="enough"),
    ]
    usage = {"read": 100, "written": 7}
    meter = MeteredModel(lambda context: answers[len(context.turns)].model_copy(update=usage))
    SUITES["household"].run(BASIC[0], SuiteOptions(), meter, MissionSettings())
    assert (meter.decisions, meter.malformed, meter.refused) == (4, 1, 1)
    assert (meter.tokens_in, meter.tokens_out, len(meter.latencies)) == (400, 28, 4)
    assert meter.cost is None


def test_an_endpoint_that_fails_is_named() -> None:
    def fails(context: Context) -> Decision:
        raise ModelUnavailable("OVERLOADED", "try later")

    meter = MeteredModel(fails)
    assert not SUITES["household"].run(BASIC[0], SuiteOptions(), meter, MissionSettings()).success
    assert meter.unavailable == "OVERLOADED"


def test_an_unknown_suite_is_refused_with_the_valid_ones() -> None:
    with pytest.raises(UnknownSuite, match=r"'cooking'; valid: .*household"):
        tasks_of(["cooking"], SuiteOptions())
