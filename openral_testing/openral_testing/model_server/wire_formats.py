"""Responses of the Anthropic Messages API and of OpenAI's chat completions, streamed or not."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openral_testing.model_server.answers import Answer, EmittedCall, Failure, Vendor

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request and its answer; ``fresh`` input was neither read from nor written to a cache."""

    fresh: int
    cached: int = 0
    stored: int = 0
    written: int = 0

    @property
    def read(self) -> int:
        """All input [tokens]."""
        return self.fresh + self.cached + self.stored


def messages_events(answer: Answer, model: str, usage: Usage) -> list[Json]:
    """Return an answer of the Messages API as the events of its stream."""
    start = {"id": "m", "type": "message", "role": "assistant", "model": model, "content": []}
    counted = _messages_usage(usage) | {"output_tokens": 1}
    events: list[Json] = [
        {"type": "message_start", "message": {**start, "usage": counted, "stop_reason": None}}
    ]
    for index, (block, delta) in enumerate(_blocks(answer)):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    ended = {"stop_reason": _stop_reason(answer), "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": usage.written}})
    return [*events, {"type": "message_stop"}]


def _blocks(answer: Answer) -> Iterable[tuple[Json, Json]]:
    if answer.text:
        yield {"type": "text", "text": ""}, {"type": "text_delta", "text": answer.text}
    for index, call in enumerate(answer.calls):
        block = {"type": "tool_use", "id": _call_id(call, index), "name": call.tool, "input": {}}
        yield block, {"type": "input_json_delta", "partial_json": call.arguments}


def messages_body(answer: Answer, model: str, usage: Usage) -> Json:
    """Return an answer of the Messages API as one body."""
    content: list[Json] = [{"type": "text", "text": answer.text}] if answer.text else []
    content += [
        {
            "type": "tool_use",
            "id": _call_id(call, index),
            "name": call.tool,
            "input": json.loads(call.arguments),
        }
        for index, call in enumerate(answer.calls)
    ]
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": _stop_reason(answer),
        "stop_sequence": None,
        "usage": _messages_usage(usage) | {"output_tokens": usage.written},
    }


def _call_id(call: EmittedCall, index: int) -> str:
    return f"t_{call.tool}" if not index else f"t_{call.tool}_{index}"


def _messages_usage(usage: Usage) -> Json:
    counted = {"input_tokens": usage.fresh, "cache_read_input_tokens": usage.cached}
    return counted | ({"cache_creation_input_tokens": usage.stored} if usage.stored else {})


def _stop_reason(answer: Answer) -> str:
    if answer.refused:
        return "refusal"
    if answer.cut:
        return "max_tokens"
    return "tool_use" if answer.calls else "end_turn"


def completion_chunks(answer: Answer, model: str, usage: Usage) -> list[Json]:
    """Return an answer of chat completions as the chunks of its stream, with usage in the last one."""
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": model, "type": "chunk"}
    tools = [{"index": index, **call} for index, call in enumerate(_tool_calls(answer.calls))]
    refusal = "I will not" if answer.refused else None
    delta = {
        "role": "assistant",
        "content": answer.text or None,
        "tool_calls": tools or None,
        "refusal": refusal,
    }
    return [
        {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish_reason(answer)}]},
        {**base, "choices": [], "usage": _completion_usage(usage)},
    ]


def completion_body(answer: Answer, model: str, usage: Usage) -> Json:
    """Return an answer of chat completions as one body."""
    message = {
        "role": "assistant",
        "content": answer.text or None,
        "tool_calls": _tool_calls(answer.calls) or None,
        "refusal": "I will not" if answer.refused else None,
    }
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": _finish_reason(answer)}],
        "usage": _completion_usage(usage),
    }


def _tool_calls(calls: Sequence[EmittedCall]) -> list[Json]:
    return [
        {"id": f"t{i}", "type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
        for i, call in enumerate(calls)
    ]


def _completion_usage(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.read,
        "completion_tokens": usage.written,
        "total_tokens": usage.read + usage.written,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }


def _finish_reason(answer: Answer) -> str:
    if answer.cut:
        return "length"
    return "tool_calls" if answer.calls else "stop"


def error_body(vendor: Vendor, failure: Failure) -> Json:
    """Return the body of an error in the vendor's form."""
    error: Mapping[str, object] = {"type": failure.kind, "message": failure.message}
    if vendor is Vendor.ANTHROPIC:
        return {"type": "error", "error": dict(error)}
    return {"error": {**error, "param": None, "code": None}}


def server_sent_event(chunk: Mapping[str, object], *, named: bool) -> bytes:
    """Return one event of a stream, with its type as its name if that is the protocol."""
    name = f"event: {chunk['type']}\n" if named else ""
    return f"{name}data: {json.dumps(chunk)}\n\n".encode()
