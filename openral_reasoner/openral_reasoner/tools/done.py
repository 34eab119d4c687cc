"""Tool done: end the mission."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_core.missions import MissionState
from openral_reasoner.behaviors.search import challenge_giving_up, challenge_success, ended
from openral_reasoner.behaviors.verification import prove
from openral_reasoner.mission import Ending, Mission, Procedure
from openral_reasoner.tools.base import Outcome, Tool


class DoneTool(Tool):
    """End the mission: the goal is reached, or it cannot be reached and no human can help.

    Success is verified: a skill, a detector or memory must have shown it in this mission.
    """

    tool: Literal["done"] = "done"
    success: bool = Field(description="true if the goal was reached")
    message: str = Field(min_length=1, max_length=500, description="final message to the requester")

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        outcome = (yield from self._success(mission)) if self.success else (yield from self._failure(mission))
        if isinstance(outcome, Ending):
            mission.tell(outcome.reason)
        return outcome

    def _success(self, mission: Mission) -> Procedure[Outcome]:
        proof = yield from prove(mission)
        return challenge_success(mission, proof) or ended(mission, proof, self.message)

    def _failure(self, mission: Mission) -> Procedure[Outcome]:
        early = yield from challenge_giving_up(mission)
        return early or Ending(MissionState.FAILED, self.message)
