"""Tool done."""

import pytest
from pydantic import ValidationError

from openral_core.missions import MissionState
from openral_reasoner.commands import Command, PublishPrompt
from openral_reasoner.context import ToolResult
from openral_reasoner.events import Event
from openral_reasoner.mission import Ending, Mission
from openral_reasoner.tools.done import DoneTool
from openral_reasoner_testing.simulator import run_procedure


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
