"""Context of one decision: goal, palette, tools, past turns and news, with untrusted data fenced."""

import json

from pydantic import BaseModel, ConfigDict

from openral_reasoner.palette.entries import ToolPalette


class FrozenModel(BaseModel):
    """Base of every event, command and part of them: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class CallEvent(FrozenModel):
    """Base of a request and of its answers, which share one call id."""

    call_id: str


class ObjectSummary(FrozenModel):
    """Object whose id the model may use from now on; poses stay in the core."""

    id: str
    label: str
    kind: str = "object"
    room: str = ""
    place: str = ""
    containers: tuple[str, ...] = ()
    must_open: str = ""
    stale: bool = False
    why: str = ""


class Frontier(FrozenModel):
    """One place of a search's ranked frontier."""

    id: str
    label: str
    why: str
    must_open: bool = False


class ToolResult(FrozenModel):
    """Reply to one tool call.

    ``text`` is written by the core. Text from labels, memory, detectors or skills stands in the other fields
    and reaches the model as fenced data.
    """

    status: str
    text: str
    found: tuple[ObjectSummary, ...] = ()
    frontier: tuple[Frontier, ...] = ()
    valid: tuple[str, ...] = ()
    peer_words: tuple[str, ...] = ()
    operator_words: str = ""
    remaining: str = ""

    def rendered(self) -> str:
        """Render the text that the model reads, ending with the remaining budget."""
        data = self.model_dump(
            mode="json", include={"found", "frontier", "valid", "peer_words"}, exclude_defaults=True
        )
        operator = f"The operator says: {json.dumps(self.operator_words)}" if self.operator_words else ""
        fenced = fence_untrusted(data) if data else ""
        return "\n".join(
            part for part in (f"{self.status}: {self.text}", operator, fenced, self.remaining) if part
        )


class Turn(FrozenModel):
    """One past decision: its news, its call and the reply."""

    call_id: str
    tool: str
    arguments: str
    reply: ToolResult
    news: tuple[str, ...] = ()
    operator_words: str = ""


class ToolSchema(FrozenModel):
    """Tool as a model sees it; ``parameters`` is a JSON schema as text."""

    name: str
    description: str
    parameters: str


class Context(FrozenModel):
    """Complete input of one decision."""

    system: str
    goal: str
    requester: str
    palette: ToolPalette
    tools: tuple[ToolSchema, ...]
    turns: tuple[Turn, ...] = ()
    news: tuple[str, ...] = ()
    operator_words: str = ""
    holding: str = ""
    remaining: str = ""


class RawCall(FrozenModel):
    """Tool call as a model wrote it, not validated."""

    tool: str
    arguments: str = "{}"


def fence_untrusted(data: object) -> str:
    """Wrap untrusted data in <data> tags that its content cannot close."""
    text = json.dumps(data, ensure_ascii=True, sort_keys=True)
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e")
    return f"<data>{safe}</data>"
