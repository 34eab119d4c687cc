"""Giving up with places and budget left, or ending with something in the gripper, is questioned once."""

from collections.abc import Callable

import pytest

from openral_core.missions import MissionState
from openral_reasoner.commands import EndMission, PublishHandoff, SendSkill
from openral_reasoner.context import Context, RawCall, ToolResult
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.policies import AdvicePolicy, Early, LoopDetector, PrematureEndPolicy
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome

RECALL = RawCall(tool="recall_object", arguments='{"query": "unicorn"}')
ASK = RawCall(tool="ask_human", arguments='{"question": "Where is it?"}')
FAIL = RawCall(tool="done", arguments='{"success": false, "message": "I give up."}')
DONE = RawCall(tool="done", arguments='{"success": true, "message": "Done."}')
MUG = RawCall(tool="recall_object", arguments='{"query": "mug"}')
GRASP = RawCall(tool="execute_rskill", arguments='{"rskill_id": "grasp", "target": "mug_1"}')
BREAD = RawCall(tool="recall_object", arguments='{"query": "bread"}')
GRASP_BREAD = RawCall(tool="execute_rskill", arguments='{"rskill_id": "grasp", "target": "bread_1"}')
HANDOVER = RawCall(tool="execute_rskill", arguments='{"rskill_id": "handover", "target": "me"}')

Told = list[ToolResult]


def script(reported: Told, *calls: RawCall) -> Callable[[Context], RawCall]:
    """A model that calls these in turn, the last one again and again."""

    def decide(context: Context) -> RawCall:
        reported[:] = [turn.reply for turn in context.turns]
        return calls[min(len(context.turns), len(calls) - 1)]

    return decide


@pytest.fixture
def told() -> Told:
    return []


@pytest.fixture
def run(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, told: Told
) -> Callable[..., MissionRun]:
    def start(*calls: RawCall, palette: ToolPalette = palette, **budget: int) -> MissionRun:
        limited = settings.budget.model_copy(update=budget)
        chosen = settings.model_copy(update={"budget": limited})
        return run_mission_in_home(
            "bring me the mug", palette, HomePeers(home).answer, script(told, *calls), chosen
        )

    return start


def ending(played: MissionRun) -> EndMission:
    assert played.end is not None
    return played.end


@pytest.mark.parametrize(("call", "state"), [(ASK, MissionState.HANDED_OVER), (FAIL, MissionState.FAILED)])
def test_giving_up_with_places_left_is_answered_once_with_them_and_then_accepted(
    call: RawCall, state: MissionState, run: Callable[..., MissionRun], told: Told
) -> None:
    played = run(RECALL, call, call)
    assert ending(played).state is state
    assert [reply.status for reply in told] == ["NOT_IN_MEMORY", "TOO_EARLY"]
    assert told[1].frontier == told[0].frontier
    assert sum(isinstance(c, PublishHandoff) for c in played.commands) == (1 if call is ASK else 0)


def test_the_objection_costs_no_question_to_a_human(run: Callable[..., MissionRun], told: Told) -> None:
    assert ending(run(RECALL, ASK, ASK, handoffs=1)).reason == "Where is it?"


@pytest.mark.parametrize("budget", [{"candidates": 0}, {"skills": 1}, {"locates": 1}])
def test_giving_up_is_taken_at_once_when_the_budget_allows_no_search(
    budget: dict[str, int], run: Callable[..., MissionRun], told: Told
) -> None:
    assert ending(run(RECALL, FAIL, **budget)).state is MissionState.FAILED
    assert [reply.status for reply in told] == ["NOT_IN_MEMORY"]


def test_giving_up_is_taken_at_once_when_nobody_can_look(
    run: Callable[..., MissionRun], palette: ToolPalette, told: Told
) -> None:
    blind = palette.model_copy(update={"locators": (), "detector_available": False})
    run(RECALL, FAIL, palette=blind)
    assert len(told) == 1


def test_a_question_without_an_open_search_is_put_at_once(run: Callable[..., MissionRun], told: Told) -> None:
    assert ending(run(MUG, ASK)).state is MissionState.HANDED_OVER
    assert len(told) == 1


def test_success_with_something_in_the_gripper_is_questioned_once(
    run: Callable[..., MissionRun], told: Told
) -> None:
    played = run(MUG, GRASP, DONE, DONE)
    assert ending(played).state is MissionState.CLAIMED
    assert [reply.status for reply in told] == ["FOUND", "SUCCEEDED", "NOT_PROVEN"]
    assert [item.id for item in told[-1].found] == ["mug_1"]


def test_what_is_held_can_still_be_delivered_after_the_objection(
    run: Callable[..., MissionRun], told: Told
) -> None:
    played = run(MUG, GRASP, DONE, HANDOVER, DONE)
    assert ending(played).state is MissionState.SUCCEEDED
    assert [c.goal.rskill_id for c in played.commands if isinstance(c, SendSkill)][-1] == "handover"
    assert [reply.status for reply in told].count("NOT_PROVEN") == 1


def test_another_object_still_in_the_gripper_after_the_goal_is_questioned_once(
    run: Callable[..., MissionRun], told: Told
) -> None:
    played = run(MUG, GRASP, HANDOVER, BREAD, GRASP_BREAD, DONE, DONE)
    assert ending(played).state is MissionState.SUCCEEDED
    assert [reply.status for reply in told].count("TOO_EARLY") == 1


def test_each_objection_is_made_once() -> None:
    policy = PrematureEndPolicy()
    for early in Early:
        first, policy = policy.after(early)
        again, policy = policy.after(early)
        assert (first, again) == (True, False)
    assert policy.after(None) == (False, policy)


def test_an_advisor_decides_a_few_times_whenever_the_model_is_stuck_and_then_no_more() -> None:
    policy, decided = AdvicePolicy(5), []
    for _ in range(3):
        policy = policy.after_stuck()
        count = 0
        while policy.pending:
            policy, count = policy.after_decision(), count + 1
        decided.append(count)
    assert decided == [3, 2, 0]


def test_a_question_asked_again_after_each_new_step_is_no_loop() -> None:
    loop = LoopDetector(3)
    for progress in (0, 1, 2, 3):
        looping, loop = loop.after("list_objects", "{}", "one left", progress)
        assert not looping
    for expected in (False, True):
        looping, loop = loop.after("list_objects", "{}", "one left", 3)
        assert looping is expected
