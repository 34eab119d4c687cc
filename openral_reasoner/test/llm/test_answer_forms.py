"""Forms in which endpoints stream one and the same call: each is read as that call."""

import json
from typing import Any

import pytest

pytest.importorskip("httpx2")
from openral_reasoner.context import ToolSchema
from openral_reasoner.llm.completion_stream import take_chunk
from openral_reasoner.llm.streaming import StreamedAnswer
from openral_reasoner.llm.written_calls import OfferedTools

ARGUMENTS = {"query": "mug"}
TEXT = json.dumps(ARGUMENTS)
SCHEMA = {"type": "object", "required": ["query"], "properties": {"query": {}, "likely_places": {}}}
TOOLS = (ToolSchema(name="recall_object", description="", parameters=json.dumps(SCHEMA)),)


def part(name: Any = None, arguments: Any = None, **fields: Any) -> dict[str, Any]:
    return {"index": 0, "function": {"name": name, "arguments": arguments}, **fields}


def calls(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    """Each part of a call in a message of its own."""
    return [{"tool_calls": [each]} for each in parts]


NAME, HALF = "recall_object", len(TEXT) // 2
FORMS: dict[str, list[dict[str, Any]]] = {
    "whole": calls(part(NAME, TEXT)),
    "an object": calls(part(NAME, ARGUMENTS)),
    "JSON within JSON": calls(part(NAME, json.dumps(TEXT))),
    "null for what is optional": calls(part(NAME, json.dumps({**ARGUMENTS, "likely_places": None}))),
    "an empty object first": calls(part(NAME, "{}"), part(None, TEXT)),
    "grown with every part": calls(part(NAME, TEXT[:HALF]), part(None, TEXT)),
    "repeated as a whole": calls(part(NAME, TEXT[:HALF]), part(None, TEXT[HALF:]), part(None, TEXT)),
    "a name in every part": calls(part(NAME, TEXT[:HALF]), part(NAME, TEXT[HALF:])),
    "a name in two parts": calls(part("recall_"), part("object", TEXT)),
    "a new id with every part": calls(part(NAME, TEXT[:HALF], id="a"), part(NAME, TEXT[HALF:], id="b")),
    "no index": calls(part(NAME, "", index=None, id="a"), part(None, TEXT, index=None)),
    "a prefix": calls(part(f"functions.{NAME}:0", TEXT)),
    "a channel": calls(part(f"{NAME}<|channel|>commentary", TEXT)),
    "twice in one answer": [{"tool_calls": [part(NAME, TEXT), part(NAME, TEXT, index=1)]}],
    "function_call": [{"function_call": {"name": NAME, "arguments": TEXT}}],
    "flat": [{"tool_calls": {"name": NAME, "arguments": TEXT}}],
    "parts of content": [
        {"content": [{"type": "thinking", "thinking": []}], "tool_calls": [part(NAME, TEXT)]}
    ],
    **{
        f"text {text[:24]!r}": [{"content": text}]
        for text in (
            f'{{"name": "{NAME}", "arguments": {TEXT}}}',
            f'{{"tool": "{NAME}", "query": "mug"}}',
            f'<think>I look {{}}.</think>\n{{"{NAME}": {TEXT}}}',
            f'I look.\n<tool_call>\n{{"name": "{NAME}", "arguments": {TEXT}}}\n</tool_call>',
            f'```json\n{{"name": "{NAME}", "parameters": {TEXT}}}\n```',
            f"[TOOL_CALLS]{NAME}[ARGS]{TEXT}",
            f"<function={NAME}>\n<parameter=query>\nmug\n</parameter>\n</function>",
            f"<tool_call>{NAME}\n<arg_key>query</arg_key>\n<arg_value>mug</arg_value>\n</tool_call>",
            f'<|tool_call_start|>[{NAME}(query="mug")]<|tool_call_end|>',
            f"<|channel|>commentary to=functions.{NAME} <|constrain|>json<|message|>{TEXT}<|call|>",
            f'<|python_tag|>{{"type": "function", "function": {{"name": "{NAME}", "arguments": {TEXT}}}}}',
        )
    },
}


def read(messages: list[dict[str, Any]], reason: str | None = "stop") -> StreamedAnswer:
    answer = StreamedAnswer(OfferedTools.of(TOOLS))
    for message in messages:
        take_chunk(answer, {"choices": [{"index": 0, "delta": message}]}, "", "")
    take_chunk(answer, {"choices": [{"delta": None, "finish_reason": reason}], "usage": None}, "", "")
    return answer


@pytest.mark.parametrize("messages", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("reason", ["stop", "", None])
def test_every_form_is_the_one_call(messages: list[dict[str, Any]], reason: str | None) -> None:
    (call,) = read(messages, reason).decision().calls
    assert (call.tool, json.loads(call.arguments)) == (NAME, ARGUMENTS)


@pytest.mark.parametrize(
    "text",
    [
        f'The label says {{"name": "{NAME}", "arguments": {TEXT}}} to me.',
        f'{{"name": "{NAME}", "arguments": {{"order": "mug"}}}}',
        f'{{"name": "{NAME}", "arguments": {{"query": "m',
        '{"name": "launch", "arguments": {}}',
    ],
)
def test_talk_about_a_call_is_none(text: str) -> None:
    assert read([{"content": text}]).decision().calls == ()


COUNTS: dict[str, dict[str, Any]] = {
    "the protocol": {
        "usage": {"prompt_tokens": 99, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 9}}
    },
    "DeepSeek": {"usage": {"prompt_tokens": 99, "completion_tokens": 5, "prompt_cache_hit_tokens": 9}},
    "llama.cpp": {"timings": {"cache_n": 9, "prompt_n": 90, "predicted_n": 5}},
    "llama.cpp with usage": {
        "usage": {"prompt_tokens": 99, "completion_tokens": 5},
        "timings": {"cache_n": 9, "prompt_n": 90, "predicted_n": 5},
    },
    "a total": {"usage": {"total_tokens": 104, "completion_tokens": 5}, "timings": {"cache_n": 9}},
}


@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
def test_cached_tokens_are_read_as_servers_count_them(counts: dict[str, Any]) -> None:
    answer = StreamedAnswer(OfferedTools.of(TOOLS))
    take_chunk(answer, {"choices": [], **counts}, "", "")
    assert (answer.read, answer.cached, answer.written) == (99, 9, 5)
