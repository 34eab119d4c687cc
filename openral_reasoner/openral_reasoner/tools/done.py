"""done."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_core.missions import MissionState
from openral_reasoner.procedures.endings import before_giving_up, before_success
from openral_reasoner.procedures.mission import Ending, Mission, Procedure
from openral_reasoner.tools.tool import Outcome, Tool


class DoneTool(Tool):
    """End the mission: the goal is reached, or cannot be and no human can help."""

    tool: Literal["done"] = "done"
    success: bool = Field(description="whether the goal was reached")
    message: str = Field(min_length=1, max_length=500, description="what to tell whoever asked")

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        early = before_success(mission) if self.success else (yield from before_giving_up(mission))
        if early is not None:
            return early
        mission.tell(self.message)
        return Ending(MissionState.SUCCEEDED if self.success else MissionState.FAILED, self.message)
