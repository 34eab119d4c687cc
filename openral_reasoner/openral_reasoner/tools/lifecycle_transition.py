"""Tool lifecycle_transition: activate or deactivate a detector."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_reasoner.behaviors.residency import activate_peer, deactivate_peer
from openral_reasoner.context import ToolResult, fence_untrusted
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.base import InvalidCall, Outcome, Tool


class LifecycleTransitionTool(Tool):
    """Activate or deactivate a detector, using or freeing its memory.

    Loading takes time and transitions are limited: use it sparingly and do not toggle. locate_in_view
    activates its locator automatically. When memory is short, continuous detectors are deactivated and
    restored automatically.
    """

    tool: Literal["lifecycle_transition"] = "lifecycle_transition"
    peer: str = Field(max_length=64, description="id of a listed lifecycle peer")
    transition: Literal["activate", "deactivate"] = Field(description="transition to request")

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return bool(palette.peers)

    @classmethod
    @override
    def words(cls, palette: ToolPalette) -> str:
        peers = [
            {"id": each.id, "state": each.state.name, "memory_mb": each.memory}
            for each in palette.detectors
            if each.id in palette.peers
        ]
        return f"{super().words(palette)} {fence_untrusted({'peers': peers})}"

    @classmethod
    @override
    def ids(cls, palette: ToolPalette, known: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
        return {"peer": palette.peers}

    @override
    def check(self, mission: Mission) -> None:
        if self.peer not in mission.palette.peers:
            raise InvalidCall("peer", self.peer, mission.palette.peers)

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        mission.say(f"{self.transition} {self.peer}")
        activate = self.transition == "activate"
        refused = yield from (activate_peer if activate else deactivate_peer)(mission, self.peer)
        if refused:
            return ToolResult(
                status="REFUSED", text="the transition was not carried out", peer_words=(refused,)
            )
        return ToolResult(status="SUCCEEDED", text=f"{self.transition} succeeded")
