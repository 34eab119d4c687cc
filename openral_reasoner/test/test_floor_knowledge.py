"""Obstacles of blocked ways reach the hand-off, the report and the model."""

import pytest

from openral_core.missions import MissionState
from openral_core.obstructions import ObstacleKind, Obstruction
from openral_core.skills import SkillResult, SkillStatus
from openral_reasoner.commands import Command, PublishHandoff, SendSkill
from openral_reasoner.events import Event, SkillEnded
from openral_reasoner.floor_knowledge import BlockedWays
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome

DOOR = Obstruction(ObstacleKind.SHUT_DOOR, (1.0, 2.0), "d", rooms=("kitchen", "bedroom"))


def failed(found: Obstruction) -> SkillResult:
    return SkillResult(SkillStatus.NOT_REACHABLE, f"no way: {found.sentence}", found.evidence())


def test_a_mission_that_a_shut_door_ends_says_so_in_its_question_and_its_report(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    peers = HomePeers(home)

    def answer(command: Command) -> Event | None:
        if isinstance(command, SendSkill):
            return SkillEnded(call_id=command.call_id, result=failed(DOOR))
        return peers.answer(command)

    story = run_mission_in_home("go to the fridge", palette, answer, decide, settings)
    assert story.end is not None
    assert story.end.state is MissionState.HANDED_OVER
    (asked,) = [command.question for command in story.commands if isinstance(command, PublishHandoff)]
    for text in (asked.question, story.end.reason):
        assert text.count("The door from the kitchen to the bedroom is shut.") == 1


def test_each_obstacle_is_told_once_and_forgotten_where_the_robot_arrived() -> None:
    ways = BlockedWays()
    for target in ("book", "lamp"):
        ways = ways.after(target, failed(DOOR), drove=True)
    assert ways.with_obstacles("No.") == "No. (The door from the kitchen to the bedroom is shut.)"
    there = SkillResult(SkillStatus.SUCCEEDED, "arrived")
    assert ways.after("book", there, drove=False) == ways
    ways = ways.after("book", there, drove=True)
    assert ways.advice("book") == ""
    assert "a door between rooms is shut" in ways.advice("lamp")
    assert ways.after("lamp", there, drove=True).with_obstacles("Yes.") == "Yes."


@pytest.mark.parametrize("kind", ObstacleKind)
def test_every_kind_has_advice_without_names_from_memory(kind: ObstacleKind) -> None:
    ways = BlockedWays().after("book", failed(Obstruction(kind, (0.0, 0.0), "x", "Anna")), drove=True)
    assert ways.advice("book").startswith(": ")
    assert "Anna" not in ways.advice("book")
    assert (ways.with_obstacles("No.") == "No.") is (kind is ObstacleKind.UNKNOWN_FLOOR)


def test_a_long_name_is_cut_before_it_reaches_a_human() -> None:
    long = Obstruction(ObstacleKind.FURNITURE, (0.0, 0.0), "x", "shelf " * 200)
    assert len(BlockedWays().after("book", failed(long), drove=True).with_obstacles("No.")) < 250
