"""Tool emit_prompt."""

from openral_reasoner.commands import PublishPrompt
from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Mission
from openral_reasoner.tools.emit_prompt import EmitPromptTool
from openral_reasoner_testing.simulator import run_procedure


def test_a_message_goes_to_the_sender_of_the_goal_without_waiting(mission: Mission) -> None:
    procedure = EmitPromptTool(text="I am on my way").perform(mission)
    reply, commands = run_procedure(mission, procedure, lambda command: None)
    assert isinstance(reply, ToolResult)
    assert reply.status == "SAID"
    assert commands == [
        PublishPrompt(source="reasoner", text="I am on my way", in_reply_to="p1", mission_id="m1")
    ]
