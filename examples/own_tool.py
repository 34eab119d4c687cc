"""A tool of your own: lists the objects that memory has in a room.

A tool is its arguments (pydantic), its docstring (what the model reads) and `perform`, a generator that
sends commands and receives events, without IO of its own. To offer it to the model, put the class into
``PALETTE`` of `openral_reasoner.tools.registry`.

Usage: tools/env python examples/own_tool.py kitchen
"""

import sys
from typing import Literal

from kitchen import kitchen, palette_of
from pydantic import Field

from openral_reasoner.behaviors.requests import read_scene
from openral_reasoner.context import ObjectSummary, ToolResult
from openral_reasoner.events import PromptReceived
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings
from openral_reasoner.tools.base import Outcome, Tool, parameters
from openral_testing.reasoner.fake_peers import HomePeers


class ListRoomTool(Tool):
    """List the objects that memory has in a room. Read-only."""

    tool: Literal["list_room"] = "list_room"
    room: str = Field(min_length=1, max_length=100, description="id of a room")

    @classmethod
    def offered(cls, palette: ToolPalette) -> bool:
        """Offer it only while memory is available."""
        return palette.spatial_memory_available

    def perform(self, mission: Mission) -> Procedure[Outcome]:
        """Read the scene graph and reply with the objects of the room."""
        graph, _ = yield from read_scene(mission)
        if self.room not in graph.by_id:
            return ToolResult(status="NOT_FOUND", text="no such room")
        center = graph.by_id[self.room].pose
        found = tuple(
            ObjectSummary(id=node.id, label=node.label, room=self.room)
            for node in graph.nodes
            if node.kind.name == "OBJECT" and node.pose.distance(center) < 5.0
        )
        return ToolResult(status="FOUND", text=f"{len(found)} objects", found=found)


def main(room: str) -> int:
    """Call the tool as a mission does; 0 if the room is known."""
    home = kitchen()
    palette, peers = palette_of(home), HomePeers(home)
    print(parameters(ListRoomTool, palette))
    mission = Mission("example", PromptReceived(id="1", text="what is here?"), MissionSettings(), palette)
    procedure = ListRoomTool(room=room).perform(mission)
    next(procedure)
    while True:
        event = next(event for command in mission.drain() if (event := peers.answer(command)))
        try:
            procedure.send(event)
        except StopIteration as end:
            print(end.value.rendered())
            return 0 if end.value.status == "FOUND" else 1


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:]) or "kitchen"))
