"""Registry of the tools: those offered now, their schemas, and the parser of a model's answers."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache

from pydantic import ValidationError

from openral_core.errors import OpenRALError
from openral_reasoner.context import (
    RawCall,
    ToolResult,
    ToolSchema,
    UnreadableArguments,
    plain,
    read_arguments,
)
from openral_reasoner.events import ModelAnswered
from openral_reasoner.mission import Mission
from openral_reasoner.palette.entries import ForeignToolEntry, ToolPalette
from openral_reasoner.request.goals import Request, parts_of
from openral_reasoner.tools.actions import ExecuteRskillTool, LifecycleTransitionTool
from openral_reasoner.tools.base import InvalidCall, Tool, parameters, short_schema
from openral_reasoner.tools.belongings import ListObjectsTool
from openral_reasoner.tools.comparing import CompareObjectsTool
from openral_reasoner.tools.deliveries import PlanDeliveriesTool
from openral_reasoner.tools.dialogue import AskHumanTool, DoneTool, EmitPromptTool
from openral_reasoner.tools.exploration import DescribeHomeTool, ExploreTool
from openral_reasoner.tools.foreign import ForeignCall
from openral_reasoner.tools.queries import LocateInViewTool, RecallObjectTool, ResolvePlaceTool
from openral_reasoner.tools.states import GetStateTool, NoteStateTool
from openral_reasoner.tools.stating import StateRequestTool, may_state

PALETTE: tuple[type[Tool], ...] = (
    StateRequestTool,
    RecallObjectTool,
    ResolvePlaceTool,
    ListObjectsTool,
    CompareObjectsTool,
    PlanDeliveriesTool,
    DescribeHomeTool,
    GetStateTool,
    NoteStateTool,
    LocateInViewTool,
    ExecuteRskillTool,
    ExploreTool,
    LifecycleTransitionTool,
    EmitPromptTool,
    AskHumanTool,
    DoneTool,
)


class MalformedCall(OpenRALError):
    """Call whose arguments do not fit the tool; the model can correct it."""

    def __init__(self, tool: str, problems: list[str]) -> None:
        super().__init__(f"malformed call of {tool!r}: " + "; ".join(problems))


def name_of(tool: type[Tool]) -> str:
    """Return the name by which the model calls a tool."""
    return str(tool.model_fields["tool"].default)


def offered(palette: ToolPalette) -> tuple[type[Tool], ...]:
    """Return the tools that this palette can serve."""
    return tuple(tool for tool in PALETTE if tool.offered(palette))


@lru_cache(maxsize=8)
def schemas(palette: ToolPalette, request: Request | None = None) -> tuple[ToolSchema, ...]:
    """Return the tools that serve a request, None for all, as a model sees them."""
    return tuple(
        ToolSchema(
            name=name_of(tool),
            description=tool.words(),
            parameters=parameters(tool, palette),
        )
        for tool in offered(palette)
        if not tool.only_for
        or request is None
        or any(isinstance(part, tool.only_for) for part in parts_of(request))
    ) + tuple(map(_foreign_schema, palette.foreign_tools))


def _foreign_schema(entry: ForeignToolEntry) -> ToolSchema:
    description = f"Foreign tool of the package {entry.package}: {entry.description}"
    return ToolSchema(
        name=entry.id,
        description=description,
        parameters=json.dumps(short_schema(json.loads(entry.parameters))),
    )


def parse_call(raw: RawCall, palette: ToolPalette, *, stating: bool = False) -> Tool:
    """Parse a raw call of an offered tool; ``stating`` if the goal may still be stated.

    Raises:
        InvalidCall: If the tool is not offered now.
        MalformedCall: If the arguments do not fit the tool.
    """
    tools = {name_of(tool): tool for tool in offered(palette) if stating or tool is not StateRequestTool}
    foreign = {entry.id: entry for entry in palette.foreign_tools}
    if raw.tool not in tools and raw.tool not in foreign:
        raise InvalidCall("tool", raw.tool, (*tools, *foreign))
    try:
        arguments = read_arguments(raw.arguments)
    except UnreadableArguments as error:
        raise MalformedCall(raw.tool, [str(error)]) from error
    if raw.tool in foreign:
        return ForeignCall(tool=raw.tool, package=foreign[raw.tool].package, arguments=json.dumps(arguments))
    try:
        return tools[raw.tool].model_validate({**arguments, "tool": raw.tool})
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
        raise MalformedCall(raw.tool, problems) from error


QUOTED = 80
"""Longest part of an answer shown to the operator [characters]."""
_TOOL_CALLING = "choose a model with tool calling, or enable it at the endpoint"
_CALL_AS_TEXT = re.compile(
    rf"[\[{{<].*(?:\b(?:{'|'.join(map(name_of, PALETTE))})\b|\"?name\"?\s*:)", re.DOTALL
)
"""Text that looks like a call: a bracket, then a tool's name or a "name" key."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Reason why an answer holds no usable call.

    ``reply`` is for the model. The operator reads what the model ``did``, an example and ``advice``.
    """

    did: str
    reply: ToolResult
    last: str = ""
    advice: str = ""

    def describe(self, times: int) -> str:
        """Describe the fault for the operator after it occurred ``times`` times."""
        often = f" {times} times" if times > 1 else ""
        return f"the model {self.did}{often}{self._last}{f'; {self.advice}' if self.advice else ''}"

    @property
    def _last(self) -> str:
        return f" (last: {plain(self.last, QUOTED)})" if self.last else ""


def parse_answer(mission: Mission, answer: ModelAnswered) -> tuple[RawCall, Tool | Fault]:
    """Return the one call of the answer, or the fault if there is none."""
    raw = answer.calls[0] if answer.calls else RawCall(tool="")
    if not answer.calls:
        is_compact = mission.settings.prompt == "compact"
        return raw, (fault_outside_choices if is_compact else fault_without_call)(answer)
    if len(answer.calls) > 1:
        return raw, fault_of_several_calls(answer)
    try:
        call = parse_call(raw, mission.palette, stating=may_state(mission))
        call.check(mission)
        return raw, call
    except InvalidCall as error:
        return raw, _invalid(raw, error)
    except MalformedCall as error:
        return raw, fault_of_length_limit(answer) if answer.cut else _malformed(raw, error)


def _invalid_call(text: str, valid: tuple[str, ...] = (), peer_words: tuple[str, ...] = ()) -> ToolResult:
    return ToolResult(status="INVALID_CALL", text=text, valid=valid, peer_words=peer_words)


def fault_without_call(answer: ModelAnswered) -> Fault:
    """Build the fault of an answer that calls no tool."""
    if answer.cut:
        return fault_of_length_limit(answer)
    text = answer.text.strip()
    if not text:
        reply = _invalid_call("your answer was empty: call exactly one tool")
        return Fault("returned an empty answer", reply, advice=_TOOL_CALLING)
    if _CALL_AS_TEXT.search(text):
        words = "a tool call written as text is not executed: use the tool-calling interface"
        advice = (
            "the endpoint does not recognise this model's tool calls: configure the tool-call parser of the "
            "endpoint for this model, or choose another model"
        )
        return Fault("wrote its tool call as text", _invalid_call(words), repr(text), advice)
    words = "text answers are ignored: call exactly one tool"
    return Fault("answered with text instead of a tool call", _invalid_call(words), repr(text), _TOOL_CALLING)


def fault_outside_choices(answer: ModelAnswered) -> Fault:
    """Build the fault of an answer that is none of the legal next calls."""
    if answer.cut:
        return fault_of_length_limit(answer)
    advice = "choose an endpoint that decodes by schema or grammar, or a larger model"
    reply = _invalid_call("your answer was none of the listed steps: answer with one of them, word for word")
    return Fault("answered with none of the listed steps", reply, repr(answer.text.strip()), advice)


def fault_of_several_calls(answer: ModelAnswered) -> Fault:
    """Build the fault of an answer with more than one call."""
    names = [plain(call.tool, 64) for call in answer.calls]
    text = f"you made {len(names)} tool calls: make exactly one per turn, starting with the first"
    advice = "choose a model or endpoint that makes one call per turn (parallel_tool_calls: false)"
    return Fault("made several tool calls at once", _invalid_call(text), " and ".join(names), advice)


def fault_of_length_limit(answer: ModelAnswered) -> Fault:
    """Build the fault of an answer that reached its length limit."""
    text = "your answer reached the length limit before the tool call was complete: write less"
    advice = "choose a model that writes less before its call, or an endpoint with a higher output limit"
    where = answer.calls[0].tool if answer.calls else repr(answer.text.strip())
    return Fault(
        "reached the length limit before its tool call was complete",
        _invalid_call(text),
        where,
        advice,
    )


def _invalid(raw: RawCall, error: InvalidCall) -> Fault:
    what = error.what
    did = "called an unavailable tool" if what == "tool" else f"called a tool with an invalid {what}"
    return Fault(did, _invalid_call(error.advice, valid=error.valid), f"{raw.tool} {raw.arguments}")


def _malformed(raw: RawCall, error: MalformedCall) -> Fault:
    reply = _invalid_call("the call is malformed", peer_words=(str(error)[:1000],))
    return Fault("made a malformed tool call", reply, str(error))
