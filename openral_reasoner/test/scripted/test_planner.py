"""Whole missions of the scripted planner in a symbolic home."""

import json
from collections import Counter

import pytest

from openral_core.geometry import Pose
from openral_core.missions import MissionState
from openral_core.skills import SkillResult, SkillStatus
from openral_core.spatial_memory import ObserveResult, ObserveStatus
from openral_reasoner.commands import (
    AskModel,
    CallLocate,
    CallObserve,
    CallRecall,
    Command,
    EndMission,
    PublishHandoff,
    PublishStatus,
    SendSkill,
)
from openral_reasoner.context import Context, RawCall
from openral_reasoner.events import Event, Observed, PromptReceived, SkillEnded
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import CallDeadlines, MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, run_mission_in_home
from openral_testing.reasoner.symbolic_home import HomeObject, SymbolicHome


def run(goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> MissionRun:
    return run_mission_in_home(goal, palette, HomePeers(home).answer, decide, settings)


def ended(story: MissionRun) -> MissionState | None:
    return story.end.state if story.end else None


def terminal_events(story: MissionRun) -> list[EndMission]:
    return [c for c in story.commands if isinstance(c, EndMission)]


def test_brings_the_baguette_that_memory_calls_bread(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("bring me the baguette", home, palette, settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    assert home.delivered == [("bread_1", "ana")]
    queries = [c.query.query for c in story.commands if isinstance(c, CallRecall)]
    looks = [c.query for c in story.commands if isinstance(c, CallLocate)]
    assert queries == ["baguette"]
    assert set(looks) == {"baguette"}
    assert story.skills == ["navigate", "look-at", "look-at", "grasp", "navigate", "handover"]


def test_escalates_to_the_locator_before_anything_moves(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("bring me the baguette", home, palette, settings)
    kinds = [type(c) for c in story.commands]
    assert kinds.index(CallRecall) < kinds.index(CallLocate) < kinds.index(SendSkill)


def test_takes_the_baguette_in_view_without_a_search(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.at, home.x, home.y = "table_1", 5.2, 0.0
    story = run("bring me the baguette", home, palette, settings)
    assert home.delivered == [("bread_1", "ana")]
    assert ended(story) is MissionState.SUCCEEDED, story.end


def test_finds_the_mug_from_memory_and_says_where(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("find the mug", home, palette, settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    assert story.end is not None
    assert "dining table" in story.end.reason
    assert story.skills == ["navigate", "look-at"]


def test_hands_over_once_after_a_bounded_search_for_the_unicorn(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("bring me the unicorn", home, palette, settings)
    assert ended(story) is MissionState.HANDED_OVER, story.end
    handoffs = [c for c in story.commands if isinstance(c, PublishHandoff)]
    assert len(handoffs) == 1
    assert len(terminal_events(story)) == 1
    tried = " ".join(handoffs[0].question.tried)
    assert all(label in tried for label in ("kitchen counter", "dining table", "fridge", "cabinet", "shelf"))
    assert not home.delivered


def test_opens_the_fridge_for_the_milk_and_closes_it_again(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("bring me the milk", home, palette, settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    assert home.delivered == [("milk_1", "ana")]
    assert not home.places["fridge_1"].is_open
    assert story.skills.index("open") < story.skills.index("grasp") < story.skills.index("close")


def test_stands_before_what_a_door_hid_before_it_looks_inside(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("bring me the milk", home, palette, settings)
    after = story.skills[story.skills.index("open") + 1 :]
    assert after.index("navigate") < after.index("look-at")


def test_closes_the_door_with_the_hand_that_has_given_away_what_was_behind_it(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("bring me the milk", home, palette, settings)
    assert story.skills.index("handover") < story.skills.index("close")


def test_brings_a_cup_of_wine_with_the_glass_found_in_the_closed_cabinet(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("bring me a cup of wine", home, palette, settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    assert home.filled == {"glass_1": "wine_1"}
    assert home.delivered == [("glass_1", "ana")]
    assert not home.places["fridge_1"].is_open


def test_searches_on_when_the_mug_is_not_where_memory_has_it(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.objects["mug_1"].remembered_at = "shelf_1"
    story = run("bring me the mug", home, palette, settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    assert home.delivered == [("mug_1", "ana")]


def test_grasps_from_memory_alone_when_the_locator_is_dead(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(home)
    peers.locator_alive = False
    story = run_mission_in_home("bring me the mug", palette, peers.answer, decide, settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    assert home.delivered == [("mug_1", "ana")]


def test_a_dead_locator_is_never_evidence_of_absence(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(home)
    peers.locator_alive = False
    story = run_mission_in_home("bring me the baguette", palette, peers.answer, decide, settings)
    assert ended(story) is MissionState.HANDED_OVER, story.end
    question = next(c.question for c in story.commands if isinstance(c, PublishHandoff))
    assert not any("NOT_IN_VIEW" in line for line in question.tried)


@pytest.mark.parametrize(
    ("goal", "skills"),
    [
        ("go to the fridge", ["navigate"]),
        ("please look at the dining table", ["navigate", "look-at"]),
        ("open the fridge", ["navigate", "open"]),
        ("put the mug on the shelf", ["navigate", "look-at", "grasp", "navigate", "place"]),
    ],
)
def test_plain_goals_take_plain_steps(
    goal: str, skills: list[str], home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run(goal, home, palette, settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    assert story.skills == skills


def test_a_look_whose_depth_image_was_lost_is_had_again(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers, looks = HomePeers(home), list[str]()

    def losing(command: Command) -> Event | None:
        if isinstance(command, CallLocate):
            looks.append(command.call_id)
        if isinstance(command, CallObserve) and command.located == looks[0]:
            lost = ObserveResult(ObserveStatus.NO_FRAME, "no depth image of that moment")
            return Observed(call_id=command.call_id, result=lost)
        return peers.answer(command)

    home.at, home.x, home.y = "table_1", 5.2, 0.0
    story = run_mission_in_home("bring me the baguette", palette, losing, decide, settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    report = [c for c in story.commands if isinstance(c, PublishStatus)][-1].report
    assert not report.searched


def test_memory_that_lags_behind_the_look_is_asked_again(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.at, home.x, home.y = "table_1", 5.2, 0.0
    peers, asked = HomePeers(home), Counter[str]()

    def lagging(command: Command) -> Event | None:
        if isinstance(command, CallObserve):
            asked[command.located] += 1
            if asked[command.located] < 3:
                late = ObserveResult(ObserveStatus.STALE_TRANSFORM, "not yet")
                return Observed(call_id=command.call_id, result=late)
        return peers.answer(command)

    story = run_mission_in_home("bring me the baguette", palette, lagging, decide, settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    assert set(asked.values()) == {3}


def test_does_not_drive_to_a_closed_door_that_nothing_can_open(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    skills = tuple(skill for skill in palette.skills if skill.id != "open")
    shut = palette.model_copy(update={"skills": skills})
    story = run("find the unicorn", home, shut, settings)
    assert ended(story) is MissionState.HANDED_OVER
    question = next(c.question for c in story.commands if isinstance(c, PublishHandoff))
    assert "fridge: NO_SKILL_TO_OPEN" in question.tried
    goals = [str(c.goal.prompt) for c in story.commands if isinstance(c, SendSkill)]
    assert not any("fridge" in goal for goal in goals)


def test_an_answered_handoff_goes_on_with_the_remaining_budget(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.places["table_1"].reachable = False
    peers = HomePeers(home)

    def answer(command: Command) -> Event | None:
        if isinstance(command, PublishHandoff):
            home.places["table_1"].reachable = True
            reply = command.question.id
            return PromptReceived(id="answer", text="it is on the dining table", in_reply_to=reply)
        return peers.answer(command)

    waiting = settings.model_copy(update={"deadlines": CallDeadlines(handoff=60.0)})
    home.objects["bread_1"].broader = ()
    story = run_mission_in_home("bring me the baguette", palette, answer, decide, waiting)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    assert home.delivered == [("bread_1", "ana")]
    assert len(terminal_events(story)) == 1


def test_a_tool_reply_ends_with_what_runs_low(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    budget = settings.budget.model_copy(update={"candidates": 4})
    scarce = settings.model_copy(update={"budget": budget})
    story = run("bring me the unicorn", home, palette, scarce)
    asked = [c for c in story.commands if isinstance(c, AskModel)]
    assert len(asked) > 3
    last = [turn.reply.rendered().splitlines()[-1] for turn in asked[-1].context.turns]
    assert "Remaining: 0 candidates" in last
    assert not last[0].startswith("Remaining")


def test_a_model_that_goes_in_circles_is_stopped_early(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    def parrot(context: Context) -> RawCall:
        return RawCall(tool="resolve_place", arguments='{"reference": "fridge"}')

    story = run_mission_in_home("find the mug", palette, HomePeers(home).answer, parrot, settings)
    assert ended(story) is MissionState.HANDED_OVER
    assert story.end is not None
    assert "3 times" in story.end.reason


def test_a_wrong_id_goes_back_once_with_the_valid_ones(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    seen: list[Context] = []

    def stray(context: Context) -> RawCall:
        seen.append(context)
        tool = '{"query": "mug", "detector": "yolo"}'
        return RawCall(tool="locate_in_view", arguments=tool)

    story = run_mission_in_home("find the mug", palette, HomePeers(home).answer, stray, settings)
    assert seen[1].turns[0].reply.status == "INVALID_CALL"
    assert "sim-locator" in seen[1].turns[0].reply.valid
    assert not any(isinstance(c, CallLocate) for c in story.commands)
    assert ended(story) is MissionState.HANDED_OVER


@pytest.mark.parametrize(
    ("goal", "skills"),
    [
        ("pick up the mug", ["navigate", "look-at", "grasp"]),
        ("look in the fridge", ["navigate", "open", "look-at"]),
        ("take the mug to the living room", ["navigate", "look-at", "grasp", "navigate", "place"]),
    ],
)
def test_does_what_is_said_and_no_more(
    goal: str, skills: list[str], home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run(goal, home, palette, settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    assert story.skills == skills


def test_pours_into_the_glass_and_leaves_it(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("pour wine into the glass", home, palette, settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    assert home.filled == {"glass_1": "wine_1"}
    assert not home.delivered
    assert not home.holding


def test_of_two_that_fit_takes_the_one_that_is_where_it_was_said_to_be(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.objects["mug_2"] = HomeObject("mug_2", "blue mug", "counter_1", "mug")
    story = run("get me the mug from the kitchen", home, palette, settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    assert home.delivered == [("mug_2", "ana")]


def test_looks_first_where_it_is_said_to_be(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("find the glass in the cabinet", home, palette, settings)
    assert ended(story) is MissionState.SUCCEEDED, story.end
    report = [c for c in story.commands if isinstance(c, PublishStatus)][-1].report
    assert report.searched == ("cabinet: FOUND",)


def test_says_what_it_understands_when_it_does_not(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("wash the mug", home, palette, settings)
    assert ended(story) is MissionState.HANDED_OVER
    assert story.end is not None
    assert "I don't understand 'wash the mug'" in story.end.reason
    assert "For example, I understand: what do you see; go to the kitchen" in story.end.reason
    assert story.skills == []


@pytest.mark.parametrize(("drove", "comes_back"), [(0.0, False), (0.6, True)])
def test_comes_back_from_where_a_look_took_the_robot(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, drove: float, comes_back: bool
) -> None:
    peers, steps = HomePeers(home), iter(["navigate", "look-at", "open"])

    def answer(command: Command) -> Event | None:
        if isinstance(command, SendSkill) and command.goal.rskill_id == "look-at":
            result = SkillResult(SkillStatus.SUCCEEDED, "looking", {"drove": drove})
            return SkillEnded(call_id=command.call_id, result=result)
        return peers.answer(command)

    def model(_: Context) -> RawCall:
        step = next(steps, "")
        arguments = json.dumps({"rskill_id": step, "target": "fridge_1"})
        done = RawCall(tool="done", arguments='{"success": true, "message": "open"}')
        return RawCall(tool="execute_rskill", arguments=arguments) if step else done

    story = run_mission_in_home("open the fridge", palette, answer, model, settings)
    assert home.places["fridge_1"].is_open
    back = ["navigate"] if comes_back else []
    assert story.skills == ["navigate", "look-at", *back, "open"]


@pytest.mark.parametrize(
    "goal", ["hand the mug to Zoe", "bring Zoe a cup of wine", "put the mug on the portcullis"]
)
def test_an_unknown_receiver_is_asked_about_before_anything_is_fetched(
    goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    played = run_mission_in_home(goal, palette, HomePeers(home).answer, decide, settings)
    asked = [c.question.question for c in played.commands if isinstance(c, PublishHandoff)]
    assert asked[0].startswith("I don't know which place or person ")
    assert played.skills == []


def test_a_receiver_who_moves_meanwhile_is_asked_for_again_at_the_end(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(home)

    def answer(command: Command) -> Event | None:
        if isinstance(command, SendSkill) and command.goal.rskill_id == "grasp":
            home.agents["ana"].x = 1.0
        return peers.answer(command)

    played = run_mission_in_home("bring me the mug", palette, answer, decide, settings)
    handed = [c.goal for c in played.commands if isinstance(c, SendSkill)][-1]
    given = handed.params["agent"]
    assert isinstance(given, Pose)
    assert given.position[0] == 1.0
