"""What the model is given in a tick."""
# MERGED Base of every event, command and part of them.

import json

from pydantic import BaseModel, ConfigDict

from openral_reasoner.palette.entries import ToolPalette


class FrozenModel(BaseModel):
    """Frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class CallEvent(FrozenModel):
    """Belongs to one call: what is asked and what answers it have the same id."""

    call_id: str


class ObjectSummary(FrozenModel):
    """A thing the model may name from now on, in words: no pose leaves the core."""

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
    """One place of the ranked frontier."""

    id: str
    label: str
    why: str
    must_open: bool = False


class ToolResult(FrozenModel):
    """The answer to one tool call.

    ``text`` is the core's own; whatever came from labels, memory, detectors or skills stands in the
    other fields and reaches the model as fenced data.
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
        """The words the model reads, ending with what remains of the budget."""
        data = self.model_dump(
            mode="json", include={"found", "frontier", "valid", "peer_words"}, exclude_defaults=True
        )
        operator = f"The operator says: {json.dumps(self.operator_words)}" if self.operator_words else ""
        fenced = fence_untrusted(data) if data else ""
        return "\n".join(
            part for part in (f"{self.status}: {self.text}", operator, fenced, self.remaining) if part
        )


class Turn(FrozenModel):
    """One tick of the past: what was new then, what was called and what came back."""

    call_id: str
    tool: str
    arguments: str
    reply: ToolResult
    news: tuple[str, ...] = ()
    operator_words: str = ""


class ToolSchema(FrozenModel):
    """A tool as a model sees it; ``parameters`` is JSON schema in JSON."""

    name: str
    description: str
    parameters: str


class Context(FrozenModel):
    """Everything one decision rests on."""

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
    """A tool call as a model wrote it, unchecked."""

    tool: str
    arguments: str = "{}"


def fence_untrusted(data: object) -> str:
    """Data from outside, marked so that nothing in it can close the mark or speak as an instruction."""
    words = json.dumps(data, ensure_ascii=True, sort_keys=True)
    safe = words.replace("<", "\\u003c").replace(">", "\\u003e")
    return f"<data>{safe}</data>"
