"""Tool resolve_place: resolve a reference to an id."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_core.spatial_memory import ResolveStatus
from openral_reasoner.behaviors.requests import RequestFailed, resolve
from openral_reasoner.behaviors.targets import KnownObject
from openral_reasoner.context import ObjectSummary, ToolResult
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.base import Outcome, Tool


class ResolvePlaceTool(Tool):
    """Resolve a reference to the id of a place, room, person or object.

    Read-only. Not needed for ids that a list or a reply gave you, nor for 'me'.
    """

    tool: Literal["resolve_place"] = "resolve_place"
    reference: str = Field(
        min_length=1, max_length=200, description="words or an id; 'me' is the requester of this goal"
    )

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return palette.spatial_memory_available

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        mission.say(f"resolving {self.reference}")
        answer = yield from resolve(mission, self.reference)
        if isinstance(answer, RequestFailed):
            return ToolResult(
                status=answer.condition, text="memory did not answer", peer_words=(answer.message,)
            )
        if answer.status is not ResolveStatus.FOUND or not answer.node_id:
            return ToolResult(
                status=answer.status.name if answer.status else "NOT_FOUND",
                text="the reference does not identify exactly one place, person or object",
                valid=answer.candidates,
                peer_words=(answer.message,),
            )
        entry = mission.palette.place(answer.node_id)
        known_object = mission.learn(KnownObject.resolved(answer, entry.label if entry else self.reference))
        found = ObjectSummary(
            id=known_object.id,
            label=known_object.label,
            kind=known_object.kind,
            room=entry.room if entry else "",
        )
        return ToolResult(status="FOUND", text="this id may be used as a target", found=(found,))
