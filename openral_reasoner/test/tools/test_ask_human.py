"""Tool ask_human."""

import pytest
from pydantic import ValidationError

from openral_core.missions import MissionState
from openral_reasoner.commands import Command, PublishHandoff
from openral_reasoner.context import ToolResult
from openral_reasoner.events import Event, PromptReceived
from openral_reasoner.mission import Ending, Mission
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import CallDeadlines, MissionSettings
from openral_reasoner.tools.ask_human import AskHumanTool
from openral_reasoner_testing.simulator import run_procedure

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
