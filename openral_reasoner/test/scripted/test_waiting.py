"""Missions that wait for a person, in a symbolic home."""

import pytest

from openral_core.missions import MissionState
from openral_reasoner.commands import Command, PublishHandoff
from openral_reasoner.events import Event, PromptReceived
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, run_mission_in_home
from openral_testing.reasoner.symbolic_home import HomeObject, SymbolicHome

KEYS = "when Ana comes, give her the keys"
MILK = "when Ana comes, bring her the milk"


def run(
    answer: str, home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, goal: str = MILK
) -> MissionRun:
    peers = HomePeers(home)
    deadlines = settings.deadlines.model_copy(update={"handoff": 60.0})

    def with_operator(command: Command) -> Event | None:
        if isinstance(command, PublishHandoff) and answer:
            return PromptReceived(id="answer", text=answer, in_reply_to=command.question.id)
        return peers.answer(command)

    patient = settings.model_copy(update={"deadlines": deadlines})
    return run_mission_in_home(goal, palette, with_operator, decide, patient)


@pytest.mark.parametrize("answer", ["yes", "Ana is here", "She's here now!"])
def test_nothing_moves_before_the_operator_says_that_the_person_has_come(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, answer: str
) -> None:
    story = run(answer, home, palette, settings)
    kinds = [type(command).__name__ for command in story.commands]
    assert kinds.index("PublishHandoff") < kinds.index("SendSkill")
    assert home.delivered == [("milk_1", "ana")]
    assert story.end is not None
    assert story.end.state is MissionState.CLAIMED, "nothing proves that Ana has come"


@pytest.mark.parametrize(
    "answer", ["no", "not yet", "not here", "Ana isn't here", "nobody came", "is Ana here?", "who?", ""]
)
def test_without_a_yes_nothing_moves(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, answer: str
) -> None:
    story = run(answer, home, palette, settings)
    assert story.skills == []
    assert home.delivered == []
    assert story.end is not None
    assert story.end.state is MissionState.HANDED_OVER


def test_the_keys_are_given_to_the_person_who_has_come(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    home.objects["keys_1"] = HomeObject("keys_1", "keys", "shelf_1", "keys")
    story = run("yes", home, palette, settings, KEYS)
    assert home.delivered == [("keys_1", "ana")]
    assert story.end is not None
    assert story.end.state is MissionState.CLAIMED


def test_an_order_is_kept_after_the_wait(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    goal = "when Ana comes, first bring her the baguette, then open the cabinet"
    story = run("yes", home, palette, settings, goal)
    assert home.delivered == [("bread_1", "ana")]
    assert story.skills.index("handover") < story.skills.index("open")
