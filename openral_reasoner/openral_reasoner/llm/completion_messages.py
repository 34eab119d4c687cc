"""Requests of chat completions: messages whose roles alternate, tools, and calls as one schema.

A model without tool calls, by its endpoint or its chat template, reads the tools in its first message and
answers with one JSON object, {"tool": ..., "arguments": ...}.
"""

import json
import re
from collections.abc import Collection
from enum import StrEnum
from typing import Any

from openral_reasoner.context import Context, ToolSchema, Turn
from openral_reasoner.llm.base import NO_CALL, arguments_of, exchanges, opaque_fields, usable

CALL = "tool_call"
"""Key of what an answer's call carried, among the fields of its message."""
OWN_FIELDS = ("role", "content", "tool_calls")
"""Fields of an assistant message that are written anew."""


class CallForm(StrEnum):
    """Form of a model's calls: the protocol's tools, or JSON that a schema describes."""

    TOOLS = "tools"
    SCHEMA = "schema"


def messages(
    context: Context, writer: str = "", form: CallForm = CallForm.TOOLS, refused: Collection[str] = ()
) -> list[Any]:
    """Render the mission as messages for the model ``writer``, without the fields that are ``refused``."""
    system = context.system if form is CallForm.TOOLS else f"{context.system}\n{tools_as_text(context.tools)}"
    result: list[Any] = [{"role": "system", "content": system}]
    for each in exchanges(context):
        if each.turn is None:
            result.append({"role": "user", "content": each.whole})
        elif form is CallForm.TOOLS and usable(each.turn):
            result += _as_tool_call(each.turn, each.whole, writer, refused)
        else:
            call = {"tool": each.turn.tool, "arguments": arguments_of(each.turn)}
            text = json.dumps(call) if usable(each.turn) else NO_CALL
            result.append({**_opaque(each.turn, writer, refused), "role": "assistant", "content": text})
            result.append({"role": "user", "content": each.whole})
    if "system" in refused:
        first, second, *rest = result
        return [{"role": "user", "content": f"{first['content']}\n{second['content']}"}, *rest]
    return result


def _as_tool_call(turn: Turn, reply: str, writer: str, refused: Collection[str]) -> list[Any]:
    fields = _opaque(turn, writer, refused)
    call = fields.pop(CALL, {})
    function = {"name": turn.tool, "arguments": json.dumps(arguments_of(turn))}
    called = {**call, "id": turn.call_id, "type": "function", "function": function}
    return [
        {"content": "", **fields, "role": "assistant", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": turn.call_id, "content": reply},
    ]


def _opaque(turn: Turn, writer: str, refused: Collection[str]) -> dict[str, Any]:
    return {key: each for key, each in opaque_fields(turn, writer).items() if key not in refused}


def opaque_names(sent: list[Any]) -> set[str]:
    """Return the names of the opaque fields in rendered messages."""
    keys = {key for each in sent if each["role"] == "assistant" for key in each if key not in OWN_FIELDS}
    return {key for key in keys if re.fullmatch(r"\w{1,80}", key)}


def tool_params(tools: tuple[ToolSchema, ...]) -> list[Any]:
    """Render the offered tools."""
    functions = [t.model_dump() | {"parameters": json.loads(t.parameters)} for t in tools]
    return [{"type": "function", "function": each} for each in functions]


def tools_as_text(tools: tuple[ToolSchema, ...]) -> str:
    """Describe the offered tools, and how to call one, in words."""
    lines = [f"{t.name}: {t.description}\n  arguments: {t.parameters}" for t in tools]
    how = 'Answer with one JSON object and nothing else: {"tool": "<name>", "arguments": {...}}'
    return "\n".join(["The tools:", *lines, how])


def response_format(tools: tuple[ToolSchema, ...]) -> dict[str, Any]:
    """Return the schema of one call of an offered tool as a response format."""
    calls, definitions = [], dict[str, Any]()
    for tool in tools:
        arguments = json.loads(tool.parameters)
        definitions |= arguments.pop("$defs", {})
        properties = {"tool": {"type": "string", "enum": [tool.name]}, "arguments": arguments}
        required = {"required": ["tool", "arguments"], "additionalProperties": False}
        calls.append({"type": "object", "properties": properties, **required})
    schema = {"anyOf": calls, **({"$defs": definitions} if definitions else {})}
    return {"type": "json_schema", "json_schema": {"name": "call", "schema": schema}}
