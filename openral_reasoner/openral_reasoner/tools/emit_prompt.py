"""Tool emit_prompt: send a message to the operator."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Mission, Procedure, at_once
from openral_reasoner.tools.base import Outcome, Tool


class EmitPromptTool(Tool):
    """Send a message to the operator without waiting for an answer."""

    tool: Literal["emit_prompt"] = "emit_prompt"
    text: str = Field(min_length=1, max_length=500, description="text of the message")

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        mission.tell(self.text)
        return at_once(ToolResult(status="SAID", text="the message was sent to the operator"))
