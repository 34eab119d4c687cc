"""Goals about the home as a whole, and missions in a home whose floor is not known yet."""

from dataclasses import replace

import pytest

from openral_core.missions import MissionState
from openral_core.rskills import ParameterSpec, ParameterType, SkillManifest
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_core.spatial_memory import ResolveResult, ResolveStatus
from openral_reasoner.budget import SearchBudget
from openral_reasoner.commands import (
    CallResolve,
    CancelSkill,
    Command,
    PublishHandoff,
    PublishStatus,
    SendSkill,
)
from openral_reasoner.events import Event, Recalled, Resolved, SkillEnded, SkillProgressed
from openral_reasoner.palette.build import GraphState, skill_entries
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import Describe, Explore, Find, LookAt, Request
from openral_reasoner.scripted.planner import decide
from openral_reasoner.sentences import read_sentence
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, run_mission_in_home
from openral_testing.reasoner.symbolic_home import HomeObject, SymbolicHome

EXPLORE = SkillManifest(
    kind="skill",
    id="explore",
    description="look around",
    verb=Verb.EXPLORE,
    parameters=(
        ParameterSpec(name="room", type=ParameterType.POSE, description="middle", required=False),
        ParameterSpec(name="views", type=ParameterType.INT, description="bound", required=False),
    ),
    deadline=600.0,
)


@pytest.fixture
def able(palette: ToolPalette) -> ToolPalette:
    """A palette of a robot that can explore."""
    graph = GraphState(skill_server_alive=True, verbs=(Verb.EXPLORE,))
    explore = skill_entries(graph, [EXPLORE])
    return palette.model_copy(update={"skills": (*palette.skills, *explore)})


@pytest.fixture
def undrawn(home: SymbolicHome) -> SymbolicHome:
    """A home of which only the floor at the counter is known."""
    for place in home.places.values():
        place.unknown = place.id != "counter_1"
    return home


def run(goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> MissionRun:
    return run_mission_in_home(goal, palette, HomePeers(home).answer, decide, settings)


def ending(story: MissionRun) -> tuple[MissionState, str]:
    assert story.end is not None
    return story.end.state, story.end.reason


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("explore the home", Explore()),
        ("please go and explore the whole flat", Explore()),
        ("have a look around", Explore()),
        ("look around in here", Explore()),
        ("take a tour of the house", Explore()),
        ("get to know the apartment", Explore()),
        ("map the house, please", Explore()),
        ("look around in the kitchen", Explore("kitchen")),
        ("could you explore the living room?", Explore("living room")),
        ("what do you know of this home?", Describe()),
        ("tell me what you know about the house", Describe()),
        ("what have you seen so far in the flat?", Describe()),
        ("what do you know about the kitchen?", Describe("kitchen")),
        ("which rooms do you know?", Describe()),
        ("describe the living room", Describe("living room")),
        ("look around the kitchen for the mug", Find("mug", "kitchen")),
        ("look around the table", LookAt("table")),
    ],
)
def test_reads_goals_about_the_home(text: str, goal: Request) -> None:
    assert read_sentence(text) == goal


def test_explores_the_home_and_tells_what_was_seen(
    undrawn: SymbolicHome, able: ToolPalette, settings: MissionSettings
) -> None:
    story = run("explore the home", undrawn, able, settings)
    state, reason = ending(story)
    assert state is MissionState.SUCCEEDED
    assert story.skills == ["explore"]
    assert "about 100 % of the reachable floor was seen, 0 % was not" in reason
    assert "Memory has 2 rooms, 5 places and 3 objects" in reason


def test_explores_one_room(undrawn: SymbolicHome, able: ToolPalette, settings: MissionSettings) -> None:
    state, reason = ending(run("look around in the kitchen", undrawn, able, settings))
    assert (state, undrawn.places["fridge_1"].unknown) == (MissionState.SUCCEEDED, False)
    assert undrawn.places["table_1"].unknown
    assert "About 100% of the room's reachable floor was seen" in reason


def test_a_look_inside_ends_with_what_is_in_it(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.objects["fridge_2"] = HomeObject("fridge_2", "fridge", "fridge_1", "fridge")
    state, reason = ending(run("what's in the fridge?", home, palette, settings))
    assert state is MissionState.SUCCEEDED
    assert reason.endswith("I am looking into the fridge, which is now open. I know of wine in it.")


def test_a_look_into_something_empty_says_that_nothing_is_known(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    del home.objects["wine_1"]
    state, reason = ending(run("is the fridge empty?", home, palette, settings))
    assert state is MissionState.SUCCEEDED
    assert "I know of no loose object in it." in reason


def test_a_robot_without_memory_looks_inside_all_the_same(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    palette = palette.model_copy(update={"spatial_memory_available": False})
    _, reason = ending(run("look in the fridge", home, palette, settings))
    assert "I know of" not in reason


def test_names_the_known_rooms_instead_of_exploring_an_unknown_one(
    undrawn: SymbolicHome, able: ToolPalette, settings: MissionSettings
) -> None:
    story = run("explore the ballroom", undrawn, able, settings)
    state, reason = ending(story)
    assert (state, story.skills) == (MissionState.HANDED_OVER, [])
    assert "I know no room called 'ballroom'. The rooms that I know: kitchen, living room." in reason


def test_a_robot_that_cannot_explore_says_so(
    undrawn: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("explore the home", undrawn, palette, settings)
    state, reason = ending(story)
    assert (state, story.skills) == (MissionState.HANDED_OVER, [])
    assert "offers no EXPLORE skill" in reason


def test_says_what_it_knows_without_moving(
    home: SymbolicHome, able: ToolPalette, settings: MissionSettings
) -> None:
    story = run("what do you know of this home?", home, able, settings)
    state, reason = ending(story)
    assert (state, story.skills) == (MissionState.SUCCEEDED, [])
    assert "kitchen: kitchen counter, fridge, cabinet; objects: wine" in reason
    assert "the share of the floor that was seen is not known" in reason


def test_fetches_in_an_undrawn_home_by_exploring_on_the_way(
    undrawn: SymbolicHome, able: ToolPalette, settings: MissionSettings
) -> None:
    story = run("bring me the mug", undrawn, able, settings)
    assert ending(story)[0] is MissionState.SUCCEEDED
    assert story.skills[:3] == ["navigate", "explore", "navigate"]
    assert undrawn.delivered == [("mug_1", "ana")]


@pytest.mark.parametrize("able_to_explore", [True, False])
def test_explores_for_an_object_before_which_no_floor_is_known(
    undrawn: SymbolicHome,
    able: ToolPalette,
    palette: ToolPalette,
    settings: MissionSettings,
    able_to_explore: bool,
) -> None:
    peers = HomePeers(undrawn)

    def nowhere_to_stand(command: Command) -> Event | None:
        """Answer that the mug cannot be reached until its place was seen."""
        is_mug = isinstance(command, CallResolve) and command.query.reference == "mug_1"
        if is_mug and undrawn.places["table_1"].unknown:
            answer = ResolveResult(ResolveStatus.UNREACHABLE, "no free base pose is known", node_id="mug_1")
            return Resolved(call_id=command.call_id, result=answer)
        event = peers.answer(command)
        if isinstance(event, Recalled):
            matches = tuple(replace(match, viewpoint=None) for match in event.result.matches)
            return event.model_copy(update={"result": replace(event.result, matches=matches)})
        return event

    given = able if able_to_explore else palette
    story = run_mission_in_home("bring me the mug", given, nowhere_to_stand, decide, settings)
    state, reason = ending(story)
    if able_to_explore:
        assert state is MissionState.SUCCEEDED, reason
        assert story.skills[:2] == ["explore", "navigate"]
    else:
        assert (state, story.skills) == (MissionState.HANDED_OVER, [])


def test_searches_unexplored_floor_for_what_memory_does_not_have(
    undrawn: SymbolicHome, able: ToolPalette, settings: MissionSettings
) -> None:
    undrawn.objects["keys_1"] = HomeObject("keys_1", "keys", "shelf_1")
    story = run("find the keys", undrawn, able, settings)
    assert ending(story)[0] is MissionState.SUCCEEDED
    assert "explore" in story.skills
    replies = [t.reply for c in story.commands if hasattr(c, "context") for t in c.context.turns]
    frontier = next(reply.frontier for reply in replies if reply.frontier)
    unexplored = next(each for each in frontier if each.id == "unexplored")
    assert "not known: the robot has not explored: call explore with search_for" in unexplored.why


def test_a_hand_off_tells_what_was_never_seen(
    undrawn: SymbolicHome, able: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(undrawn)

    def hidden(command: Command) -> Event | None:
        """Answer every exploration with a share that does not grow."""
        if isinstance(command, SendSkill) and command.goal.rskill_id == "explore":
            result = SkillResult(SkillStatus.BLOCKED, "something is in the way", {"seen": 0.62})
            return SkillEnded(call_id=command.call_id, result=result)
        return peers.answer(command)

    story = run_mission_in_home("bring me the red mug", able, hidden, decide, settings)
    state, reason = ending(story)
    assert state is MissionState.HANDED_OVER
    assert "About 62 % of the reachable floor was seen, 38 % was not." in reason
    question = next(c.question for c in story.commands if isinstance(c, PublishHandoff))
    assert "38 % was not" in question.question


def test_exploration_ends_before_the_mission_does_and_its_progress_is_told(
    undrawn: SymbolicHome, able: ToolPalette, settings: MissionSettings
) -> None:
    short = settings.model_copy(update={"budget": SearchBudget(seconds=60.0)})
    peers = HomePeers(undrawn)

    def endless(command: Command) -> Event | None:
        if isinstance(command, SendSkill):
            return SkillProgressed(call_id=command.call_id, stage="driving", progress=0.4)
        if isinstance(command, CancelSkill):
            cancelled = SkillResult(SkillStatus.CANCELLED, "stopped")
            return SkillEnded(call_id=command.call_id, result=cancelled)
        return peers.answer(command)

    story = run_mission_in_home("explore the home", able, endless, decide, short)
    goal = next(c.goal for c in story.commands if isinstance(c, SendSkill))
    assert goal.deadline < 60.0
    steps = [c.report.step for c in story.commands if isinstance(c, PublishStatus)]
    assert any("reachable floor seen 40 %" in step for step in steps)
    state, reason = ending(story)
    assert state is MissionState.HANDED_OVER
    assert "40 % of the reachable floor was seen" in reason
