"""Registry of the tools: those offered now, their schemas, and the parser of raw calls."""

from functools import lru_cache
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from openral_core.errors import OpenRALError
from openral_reasoner.context import RawCall, ToolSchema
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.ask_human import AskHumanTool
from openral_reasoner.tools.base import InvalidCall, Tool
from openral_reasoner.tools.done import DoneTool
from openral_reasoner.tools.emit_prompt import EmitPromptTool
from openral_reasoner.tools.execute_rskill import ExecuteRskillTool
from openral_reasoner.tools.json_schema import parameters
from openral_reasoner.tools.lifecycle_transition import LifecycleTransitionTool
from openral_reasoner.tools.locate_in_view import LocateInViewTool
from openral_reasoner.tools.recall_object import RecallObjectTool
from openral_reasoner.tools.resolve_place import ResolvePlaceTool
from openral_reasoner.untrusted_text import UnreadableArguments, read_arguments

PALETTE: tuple[type[Tool], ...] = (
    RecallObjectTool,
    ResolvePlaceTool,
    LocateInViewTool,
    ExecuteRskillTool,
    LifecycleTransitionTool,
    EmitPromptTool,
    AskHumanTool,
    DoneTool,
)
ReasonerToolCall = Annotated[
    RecallObjectTool
    | ResolvePlaceTool
    | LocateInViewTool
    | ExecuteRskillTool
    | LifecycleTransitionTool
    | EmitPromptTool
    | AskHumanTool
    | DoneTool,
    Field(discriminator="tool"),
]
CALL: TypeAdapter[ReasonerToolCall] = TypeAdapter(ReasonerToolCall)


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
def schemas(palette: ToolPalette, known: tuple[str, ...] = ()) -> tuple[ToolSchema, ...]:
    """Return the offered tools as a model sees them; ``known`` are ids that this mission has learnt."""
    return tuple(
        ToolSchema(
            name=name_of(tool), description=tool.words(palette), parameters=parameters(tool, palette, known)
        )
        for tool in offered(palette)
    )


def parse_call(raw: RawCall, palette: ToolPalette) -> ReasonerToolCall:
    """Parse a raw call of an offered tool.

    Raises:
        InvalidCall: If the tool is not offered now.
        MalformedCall: If the arguments do not fit the tool.
    """
    names = tuple(name_of(tool) for tool in offered(palette))
    if raw.tool not in names:
        raise InvalidCall("tool", raw.tool, names)
    try:
        arguments = read_arguments(raw.arguments)
    except UnreadableArguments as error:
        raise MalformedCall(raw.tool, [str(error)]) from error
    try:
        return CALL.validate_python({**arguments, "tool": raw.tool})
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, e['loc'][1:]))}: {e['msg']}" for e in error.errors()]
        raise MalformedCall(raw.tool, problems) from error
