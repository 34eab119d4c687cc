"""Tools about states of objects and furniture: get_state and note_state."""

from typing import Literal

from pydantic import Field
from typing_extensions import override

from openral_core.spatial_memory import EditOperation, EditStatus, MemoryEdit, Relation, SceneGraph, SceneNode
from openral_reasoner.behaviors.requests import MEMORY, RequestFailed, edit_memory, read_scene, wait_for
from openral_reasoner.context import ToolResult
from openral_reasoner.evidence import Node, Stated
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import TellState
from openral_reasoner.tools.base import InvalidCall, Outcome, Tool

StateValue = Literal["on", "off", "open", "closed", "full", "empty", "clean", "dirty"]
UNKNOWN_STATE = "UNKNOWN_STATE"


class _StateTool(Tool):
    """Base of the tools about the state of one node."""

    target: str = Field(max_length=128)

    @classmethod
    @override
    def offered(cls, palette: ToolPalette) -> bool:
        return palette.spatial_memory_available

    @override
    def check(self, mission: Mission) -> None:
        valid = (*_listed(mission.palette), *mission.objects)
        if self.target not in valid:
            raise InvalidCall("target", self.target, valid)

    def subject(self, palette: ToolPalette) -> str:
        """Id of the node that has the state: of a control, its appliance."""
        return next((each.controls for each in palette.controls if each.id == self.target), self.target)


def _listed(palette: ToolPalette) -> tuple[str, ...]:
    return (*(place.id for place in palette.places), *(control.id for control in palette.controls))


class GetStateTool(_StateTool):
    """Ask memory if an id is on, open, full or clean."""

    tool: Literal["get_state"] = "get_state"

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        yield from wait_for(mission, MEMORY)
        mission.spend("recalls")
        name = self.subject(mission.palette)
        call_id = mission.next_id("state")
        mission.begin(call_id, "get_state", target=name)
        graph, _ = yield from read_scene(mission)
        node = graph.by_id.get(name)
        mission.finish(call_id, "KNOWN" if node is not None and node.states else UNKNOWN_STATE)
        if node is None:
            return ToolResult(status=UNKNOWN_STATE, text="memory does not have it")
        return _reply(mission, graph, node)


def _reply(mission: Mission, graph: SceneGraph, node: SceneNode) -> ToolResult:
    now = mission.scene_time
    states = [state for state in node.states if now is None or state.is_believed(now)]
    rooms = graph.targets(node.id, Relation.IN_ROOM)
    described = Node(node.id, node.label, node.kind.value, rooms[0] if rooms else "")
    mission.note(Stated(described, tuple(state.value for state in states)))
    if not states:
        return ToolResult(status=UNKNOWN_STATE, text="memory knows no state of it that is still believed")
    words = ", ".join(state.in_words(state.since if now is None else now) for state in states)
    return ToolResult(status="KNOWN", text="", peer_words=(f"{node.label}: {words}",))


class NoteStateTool(_StateTool):
    """Remember what the operator told you."""

    only_for = (TellState,)
    tool: Literal["note_state"] = "note_state"
    state: StateValue

    @override
    def perform(self, mission: Mission) -> Procedure[Outcome]:
        name = self.subject(mission.palette)
        edit = MemoryEdit(EditOperation.STATE, name, self.state)
        answer = yield from edit_memory(mission, edit)
        if isinstance(answer, RequestFailed):
            return ToolResult(
                status=answer.condition, text="memory did not answer", peer_words=(answer.message,)
            )
        if answer.status is not EditStatus.EDITED:
            return ToolResult(status=answer.status.name, text="not noted", peer_words=(answer.message,))
        item = mission.objects.get(name)
        label = item.label if item else next((p.label for p in mission.palette.places if p.id == name), name)
        mission.note(Stated(Node(name, label), (self.state,)))
        return ToolResult(status="NOTED", text="memory has noted it")
