"""Missions that set a table, in a symbolic home."""

import pytest

from openral_core.missions import MissionState
from openral_reasoner.commands import Command, PublishHandoff
from openral_reasoner.context import Context, RawCall
from openral_reasoner.events import Event, PromptReceived
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import BringSeveral, SetTable
from openral_reasoner.request.serving import place_settings
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, run_mission_in_home
from openral_testing.reasoner.symbolic_home import HomeObject, SymbolicHome

KITCHENWARE = ("plate", "fork", "knife", "glass")


@pytest.fixture
def stocked(home: SymbolicHome) -> SymbolicHome:
    """A home with two of each thing that sets a table, on the counter."""
    objects = [HomeObject(f"{what}_{n}", what, "counter_1", what) for what in KITCHENWARE for n in (1, 2)]
    home.objects = {each.id: each for each in objects}
    return home


def run(goal: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> MissionRun:
    return run_mission_in_home(goal, palette, HomePeers(home).answer, decide, settings)


def test_sets_the_table_with_everything_that_two_people_need(
    stocked: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("set the table for two", stocked, palette, settings)
    assert story.end is not None
    assert story.end.state is MissionState.SUCCEEDED, story.end
    assert {each.place for each in stocked.objects.values()} == {"table_1"}


def test_tells_what_is_missing_after_bringing_the_rest(
    stocked: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    del stocked.objects["fork_2"]
    story = run("set the table for two", stocked, palette, settings)
    assert story.end is not None
    assert story.end.state is MissionState.HANDED_OVER
    assert "I put 2 x plate on the table." in story.end.reason
    assert "I brought 1 of 2 x fork." in story.end.reason
    assert {each.place for each in stocked.objects.values()} == {"table_1"}


def test_an_unproven_table_is_only_claimed(
    stocked: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    def claims(context: Context) -> RawCall:
        return RawCall(tool="done", arguments='{"success": true, "message": "the table is set"}')

    story = run_mission_in_home("set the table for two", palette, HomePeers(stocked).answer, claims, settings)
    assert story.end is not None
    assert story.end.state is MissionState.CLAIMED


def test_asks_for_how_many_people(
    stocked: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    story = run("set the table", stocked, palette, settings)
    assert story.end is not None
    assert "For how many people should I set the table?" in story.end.reason
    assert story.skills == []


def test_the_answer_is_the_number_of_people(
    stocked: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(stocked)

    def with_operator(command: Command) -> Event | None:
        if isinstance(command, PublishHandoff):
            return PromptReceived(id="answer", text="For two, please", in_reply_to=command.question.id)
        return peers.answer(command)

    deadlines = settings.deadlines.model_copy(update={"handoff": 60.0})
    patient = settings.model_copy(update={"deadlines": deadlines})
    story = run_mission_in_home("lay the table", palette, with_operator, decide, patient)
    assert story.end is not None
    assert "I set the table for 2." in story.end.reason
    assert {each.place for each in stocked.objects.values()} == {"table_1"}


def test_breakfast_needs_other_things_than_dinner() -> None:
    assert place_settings(SetTable(1, "breakfast")) == (
        BringSeveral("bowl", 1, "table"),
        BringSeveral("spoon", 1, "table"),
        BringSeveral("cup", 1, "table"),
    )
    assert [part.what for part in place_settings(SetTable(2))] == list(KITCHENWARE)
