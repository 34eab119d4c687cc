"""done."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_reasoner.exchanges.commands import PublishPrompt
from openral_reasoner.exchanges.statuses import MissionState
from openral_reasoner.procedures.mission import Ending, Mission, Procedure, at_once
from openral_reasoner.tools.tool import Outcome, Tool


class DoneTool(Tool):
    """End the mission: the goal is reached, or cannot be and no human can help."""

    tool: Literal["done"] = "done"
    success: bool = Field(description="whether the goal was reached")
    message: str = Field(min_length=1, max_length=500, description="what to tell whoever asked")

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        mission.emit(PublishPrompt(source="reasoner", text=self.message, in_reply_to=mission.prompt.id))
        return at_once(Ending(MissionState.SUCCEEDED if self.success else MissionState.FAILED, self.message))
