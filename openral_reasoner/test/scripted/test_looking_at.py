"""Goals to look at furniture that the map calls otherwise."""

from dataclasses import replace

import pytest

from openral_core.missions import MissionState
from openral_core.spatial_memory import NodeKind, ResolveResult, ResolveStatus
from openral_reasoner.commands import CallResolve, Command
from openral_reasoner.context import Context, ObjectSummary, ToolResult, Turn
from openral_reasoner.events import Event, Resolved
from openral_reasoner.palette.entries import PlaceEntry, ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.sentences.reader import read_sentence
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome

SEEN = ObjectSummary(id="sideboard_7", label="sideboard", place="table_1")


@pytest.mark.parametrize(
    ("answer", "end"),
    [
        (ResolveResult(ResolveStatus.FOUND, "it is the shelf", kind="place", node_id="shelf_1"), "SUCCEEDED"),
        (ResolveResult(ResolveStatus.AMBIGUOUS, "several", candidates=("shelf_1", "shelf_2")), "HANDED_OVER"),
    ],
)
def test_furniture_that_no_place_is_called_is_asked_of_memory(
    answer: ResolveResult, end: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(home)
    shelf = home.places["shelf_1"]
    found = replace(answer, goal_pose=shelf.standing, target_pose=shelf.pose)

    def told(command: Command) -> Event | None:
        if isinstance(command, CallResolve) and command.query.reference == "bookshelf":
            return Resolved(call_id=command.call_id, result=found)
        return peers.answer(command)

    story = run_mission_in_home("look at the bookshelf", palette, told, decide, settings)
    assert story.end is not None
    assert story.end.state is MissionState[end], story.end
    assert story.skills == (["navigate", "look-at"] if end == "SUCCEEDED" else [])
    assert ("it may be shelf_1, shelf_2" in story.end.reason) == (end == "HANDED_OVER")


def test_furniture_that_nobody_knows_is_searched_for(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run_mission_in_home("look at the bookshelf", palette, HomePeers(home).answer, decide, settings)
    assert story.end is not None
    assert "I don't know which place" not in story.end.reason
    assert "navigate" in story.skills


def test_a_place_that_becomes_known_on_the_way_does_not_change_the_steps_before(
    palette: ToolPalette, settings: MissionSettings
) -> None:
    recalled = Turn(
        call_id="call_1",
        tool="recall_object",
        arguments='{"query": "sideboard"}',
        reply=ToolResult(status="FOUND", text="memory has one", found=(SEEN,)),
    )
    sideboard = PlaceEntry(id="sideboard_1", label="sideboard", kind=NodeKind.PLACE)
    grown = palette.model_copy(update={"places": (*palette.places, sideboard)})
    goal = "look at the sideboard"
    request = read_sentence(goal)
    context = Context(
        system="", goal=goal, request=request, requester="", palette=grown, tools=(), turns=(recalled,)
    )
    call = decide(context)
    assert call.tool == "execute_rskill", call
    assert '"target":"sideboard_7"' in call.arguments


@pytest.mark.parametrize("goal", ["what's on the table?", "look at the table"])
def test_whoever_looks_at_a_place_says_what_is_there(
    goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run_mission_in_home(goal, palette, HomePeers(home).answer, decide, settings)
    assert story.end is not None
    assert story.end.state is MissionState.SUCCEEDED
    assert {"bread", "mug"} <= set(story.end.reason.replace(",", "").split())
