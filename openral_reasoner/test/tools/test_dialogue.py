"""Tools ask_human, emit_prompt and done."""

import pytest
from pydantic import ValidationError

from openral_core.missions import MissionState
from openral_reasoner.commands import Command, PublishHandoff, PublishPrompt
from openral_reasoner.context import ToolResult
from openral_reasoner.events import Event, PromptReceived
from openral_reasoner.mission import Ending, Mission
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import CallDeadlines, MissionSettings
from openral_reasoner.tools.dialogue import AskHumanTool, DoneTool, EmitPromptTool
from openral_testing.reasoner.simulator import run_procedure

QUESTION = "Which mug do you mean?"


def operator(command: Command) -> Event | None:
    if not isinstance(command, PublishHandoff):
        return None
    return PromptReceived(id="answer", text="the red one", in_reply_to=command.question.id)


def test_an_answer_continues_the_mission_with_the_operators_words(palette: ToolPalette) -> None:
    waiting = MissionSettings(deadlines=CallDeadlines(handoff=60.0))
    mission = Mission("m", PromptReceived(id="p", text="bring me the mug"), waiting, palette)
    reply, commands = run_procedure(mission, AskHumanTool(question=QUESTION).perform(mission), operator)
    assert isinstance(reply, ToolResult)
    assert (reply.status, reply.operator_words) == ("ANSWERED", "the red one")
    assert mission.state is MissionState.ACTIVE
    assert [c.question.question for c in commands if isinstance(c, PublishHandoff)] == [QUESTION]


def test_a_mission_that_does_not_wait_hands_over_its_question(mission: Mission) -> None:
    tool = AskHumanTool(question=QUESTION, choices=("red", "blue"))
    ending, commands = run_procedure(mission, tool.perform(mission), operator)
    assert ending == Ending(MissionState.HANDED_OVER, QUESTION)
    assert [c.question.choices for c in commands if isinstance(c, PublishHandoff)] == [("red", "blue")]


@pytest.mark.parametrize(
    "arguments",
    [{"question": ""}, {"question": "x" * 501}, {"question": "which?", "choices": list("abcdefghi")}],
    ids=["empty", "too long", "too many choices"],
)
def test_a_question_beyond_its_bounds_is_rejected(arguments: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=next(reversed(arguments))):
        AskHumanTool.model_validate(arguments)


def test_a_message_goes_to_the_sender_of_the_goal_without_waiting(mission: Mission) -> None:
    procedure = EmitPromptTool(text="I am on my way").perform(mission)
    reply, commands = run_procedure(mission, procedure, lambda command: None)
    assert isinstance(reply, ToolResult)
    assert reply.status == "SAID"
    assert commands == [
        PublishPrompt(source="reasoner", text="I am on my way", in_reply_to="p1", mission_id="m1")
    ]


def silence(command: Command) -> Event | None:
    return None


def messages(commands: list[Command]) -> list[str]:
    return [command.text for command in commands if isinstance(command, PublishPrompt)]


def test_an_admitted_failure_ends_the_mission_and_tells_the_requester(mission: Mission) -> None:
    tool = DoneTool(success=False, message="there is no mug")
    ending, commands = run_procedure(mission, tool.perform(mission), silence)
    assert ending == Ending(MissionState.FAILED, "there is no mug")
    assert messages(commands) == ["there is no mug"]


def test_an_unproven_success_is_questioned_and_not_announced(mission: Mission) -> None:
    tool = DoneTool(success=True, message="here is your mug")
    reply, commands = run_procedure(mission, tool.perform(mission), silence)
    assert isinstance(reply, ToolResult)
    assert messages(commands) == []


@pytest.mark.parametrize("message", ["", "x" * 501])
def test_a_final_message_has_one_to_five_hundred_characters(message: str) -> None:
    with pytest.raises(ValidationError, match="message"):
        DoneTool(success=False, message=message)
