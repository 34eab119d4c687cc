"""lifecycle_transition."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_reasoner.exchanges.turns import Reply, fence
from openral_reasoner.palettes import ToolPalette
from openral_reasoner.procedures.asks import Unanswered, change_state
from openral_reasoner.procedures.mission import Mission, Procedure
from openral_reasoner.tools.tool import InvalidCall, Outcome, Tool


class LifecycleTransitionTool(Tool):
    """Activate or deactivate a detector to take or free memory.

    It costs loading time and is bounded: use it sparingly, never to and fro.
    """

    tool: Literal["lifecycle_transition"] = "lifecycle_transition"
    peer: str = Field(max_length=64, description="a lifecycle peer of the list")
    transition: Literal["activate", "deactivate"] = Field(description="what to do with it")

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return bool(palette.peers)

    @classmethod
    @override
    def words(cls, palette: ToolPalette) -> str:
        return f"{super().words(palette)} {fence({'peers': palette.peers})}"

    @override
    def check(self, mission: Mission) -> None:
        if self.peer not in mission.palette.peers:
            raise InvalidCall("peer", self.peer, mission.palette.peers)

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        mission.say(f"{self.transition} {self.peer}")
        answer = yield from change_state(mission, self.peer, self.transition == "activate")
        if isinstance(answer, Unanswered):
            return Reply(
                status=answer.condition, text="the peer did not answer", peer_words=(answer.message,)
            )
        status = "SUCCEEDED" if answer.success else "REFUSED"
        return Reply(status=status, text="the transition ended", peer_words=(answer.message,))
