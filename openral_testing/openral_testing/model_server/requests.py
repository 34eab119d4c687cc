"""Parsers of requests of two vendors' APIs; what the vendors would refuse is refused."""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from openral_core.errors import OpenRALError
from openral_testing.model_server.answers import (
    AssistantText,
    ModelRequest,
    OfferedTool,
    Part,
    PastCall,
    PastResult,
    UserText,
    Vendor,
)

MAX_BREAKPOINTS = 4
"""Most cache breakpoints of one request to the Messages API [1]."""


class RefusedRequest(OpenRALError):
    """Request that a vendor's endpoint would refuse."""


class _Body(BaseModel):
    model_config = ConfigDict(extra="allow")

    model: str
    stream: bool = False
    tools: list[dict[str, Any]] = Field(default=[])
    messages: list[dict[str, Any]] = Field(min_length=1)


class _MessagesBody(_Body):
    max_tokens: int = Field(gt=0)
    system: str | list[dict[str, Any]] = ""


def parse_request(vendor: Vendor, body: bytes) -> tuple[ModelRequest, dict[str, Any]]:
    """Parse a request; return it with its JSON.

    Raises:
        RefusedRequest: If the vendor's endpoint would refuse it.
    """
    try:
        content = json.loads(body)
        request = _messages(content) if vendor is Vendor.ANTHROPIC else _completions(content)
    except (ValueError, ValidationError, KeyError, TypeError, AttributeError) as error:
        raise RefusedRequest(f"{type(error).__name__}: {error}") from error
    check_results(request.parts)
    return request, content


def check_results(parts: tuple[Part, ...]) -> None:
    """Check that each call is followed at once by its result, and nothing else.

    Raises:
        RefusedRequest: With the call or result that is out of place.
    """
    unanswered: list[str] = []
    for part in parts:
        if isinstance(part, PastCall):
            unanswered.append(part.id)
        elif isinstance(part, PastResult):
            if part.call_id not in unanswered:
                raise RefusedRequest(f"unexpected result of {part.call_id!r}: no such call precedes it")
            unanswered.remove(part.call_id)
        elif unanswered:
            raise RefusedRequest(f"calls without a result: {unanswered}")
    if unanswered:
        raise RefusedRequest(f"calls without a result: {unanswered}")


def _messages(content: dict[str, Any]) -> ModelRequest:
    body = _MessagesBody.model_validate(content)
    roles = [message["role"] for message in body.messages]
    if roles[0] != "user" or any(a == b for a, b in pairwise(roles)):
        raise RefusedRequest(f"roles must alternate and begin with 'user': {roles}")
    breakpoints = json.dumps(content).count('"cache_control"')
    if breakpoints > MAX_BREAKPOINTS:
        raise RefusedRequest(f"{breakpoints} blocks with cache_control: at most {MAX_BREAKPOINTS}")
    system = body.system if isinstance(body.system, str) else "\n".join(b["text"] for b in body.system)
    tools = tuple(OfferedTool(t["name"], t["description"], t["input_schema"]) for t in body.tools)
    parts = tuple(part for message in body.messages for part in _message_parts(message))
    return ModelRequest(Vendor.ANTHROPIC, body.model, system, tools, parts, body.stream)


def _message_parts(message: dict[str, Any]) -> Iterator[Part]:
    content = message["content"]
    blocks: list[dict[str, Any]] = (
        [{"type": "text", "text": content}] if isinstance(content, str) else content
    )
    for block in blocks:
        if block["type"] == "tool_use":
            yield PastCall(block["id"], block["name"], block["input"])
        elif block["type"] == "tool_result":
            yield PastResult(block["tool_use_id"], block["content"])
        else:
            yield (UserText if message["role"] == "user" else AssistantText)(block["text"])


def _completions(content: dict[str, Any]) -> ModelRequest:
    body = _Body.model_validate(content)
    functions = [tool["function"] for tool in body.tools]
    tools = tuple(OfferedTool(f["name"], f["description"], f["parameters"]) for f in functions)
    system = "\n".join(m["content"] for m in body.messages if m["role"] == "system")
    parts = tuple(part for message in body.messages for part in _completion_parts(message))
    return ModelRequest(Vendor.OPENAI, body.model, system, tools, parts, body.stream)


def _completion_parts(message: dict[str, Any]) -> Iterator[Part]:
    role = message["role"]
    if role == "user":
        yield UserText(message["content"])
    elif role == "tool":
        yield PastResult(message["tool_call_id"], message["content"])
    elif role == "assistant":
        if message.get("content"):
            yield AssistantText(message["content"])
        for call in message.get("tool_calls") or ():
            function = call["function"]
            yield PastCall(call["id"], function["name"], json.loads(function["arguments"]))
    elif role != "system":
        raise RefusedRequest(f"unknown role {role!r}; valid: system, user, assistant, tool")
