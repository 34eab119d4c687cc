"""emit_prompt."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Mission, Procedure, at_once
from openral_reasoner.tools.base import Outcome, Tool


class EmitPromptTool(Tool):
    """Tell the operator something; no answer is waited for."""

    tool: Literal["emit_prompt"] = "emit_prompt"
    text: str = Field(min_length=1, max_length=500, description="what to say")

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        mission.tell(self.text)
        return at_once(ToolResult(status="SAID", text="the operator can read it"))
