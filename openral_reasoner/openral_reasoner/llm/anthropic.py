"""Anthropic Messages API via its official SDK: one forced tool call per turn, prompt caching, streaming.

Three breakpoints of the prompt cache: after the tools, after the system prompt, and after the last reply.
"""

import json
from collections.abc import AsyncIterable

import anthropic
import httpx2
from anthropic.types import MessageParam, RawMessageStreamEvent, TextBlockParam, ToolParam

from openral_reasoner.context import Context, Decision, ToolSchema, Turn
from openral_reasoner.llm.base import NO_CALL, api_key_for, arguments_of, news, opening, reminder, usable
from openral_reasoner.llm.http_client import Endpoint
from openral_reasoner.llm.streaming import RetryPolicy, StreamedAnswer, counted, readable, translate_errors

MAX_TOKENS = 1024
"""Output limit of one decision [tokens]: one tool call with a short explanation."""
_CUT = ("max_tokens", "model_context_window_exceeded")


class AnthropicModel:
    """Model of an Anthropic endpoint; a call blocks at most for the deadline of the retries."""

    def __init__(self, model: str, base_url: str, retries: RetryPolicy) -> None:
        self._model, self._retries = model, retries
        self._key = api_key_for("anthropic", base_url)
        self._base_url, self._endpoint = base_url or None, Endpoint()

    def __call__(self, context: Context) -> Decision:
        """Return one decision."""
        return self._retries.call(
            lambda seconds: self._endpoint.ask(lambda http: self._once(http, context, seconds), seconds)
        )

    async def _once(self, http: httpx2.AsyncClient, context: Context, seconds: float) -> Decision:
        client = anthropic.AsyncAnthropic(
            api_key=self._key,
            base_url=self._base_url,
            max_retries=0,
            http_client=http,
            open_telemetry=False,
        )
        with translate_errors(anthropic, self._key):
            stream = await client.messages.create(
                model=self._model,
                max_tokens=MAX_TOKENS,
                system=[{"type": "text", "text": context.system, "cache_control": {"type": "ephemeral"}}],
                tools=tool_params(context.tools),
                tool_choice={"type": "any", "disable_parallel_tool_use": True},
                messages=messages(context),
                stream=True,
                timeout=seconds,
            )
            with readable(self._key):
                return (await read_stream(stream)).decision()


def messages(context: Context) -> list[MessageParam]:
    """Render the mission as alternating messages; every tool call has its tool_result."""
    result: list[MessageParam] = [{"role": "user", "content": [_text(opening(context))]}]
    for turn in context.turns:
        _add_user(result, news(turn.news, turn.operator_words))
        result += turn_messages(turn)
    _end_prefix(result)
    _add_user(result, reminder(context))
    return result


def turn_messages(turn: Turn) -> list[MessageParam]:
    """Render one past decision: its call and the result."""
    words = turn.reply.rendered()
    if not usable(turn):
        return [
            {"role": "assistant", "content": [_text(NO_CALL)]},
            {"role": "user", "content": [_text(words)]},
        ]
    return [
        {
            "role": "assistant",
            "content": [
                {
                    "type": "tool_use",
                    "id": turn.call_id,
                    "name": turn.tool,
                    "input": dict(arguments_of(turn)),
                }
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": turn.call_id,
                    "content": words,
                    "is_error": turn.reply.status == "INVALID_CALL",
                }
            ],
        },
    ]


def _add_user(result: list[MessageParam], words: str) -> None:
    """Append text to the last user message, so that roles alternate."""
    if words:
        content = result[-1]["content"]
        assert isinstance(content, list)
        content.append(_text(words))


def _end_prefix(result: list[MessageParam]) -> None:
    """End the cached prefix with the last reply; later requests do not repeat the reminder after it."""
    content = result[-1]["content"]
    assert isinstance(content, list)
    last = content[-1]
    assert isinstance(last, dict)
    if last["type"] == "text" or last["type"] == "tool_result":
        last["cache_control"] = {"type": "ephemeral"}


def _text(words: str) -> TextBlockParam:
    return {"type": "text", "text": words}


def tool_params(tools: tuple[ToolSchema, ...]) -> list[ToolParam]:
    """Render the offered tools; the last one ends the cached prefix."""
    result: list[ToolParam] = [
        {"name": t.name, "description": t.description, "input_schema": json.loads(t.parameters)}
        for t in tools
    ]
    result[-1]["cache_control"] = {"type": "ephemeral"}
    return result


async def read_stream(events: AsyncIterable[RawMessageStreamEvent]) -> StreamedAnswer:
    """Accumulate a streamed answer."""
    answer = StreamedAnswer()
    async for event in events:
        if event.type == "message_start":
            usage = event.message.usage
            answer.cached = counted(usage.cache_read_input_tokens)
            answer.stored = counted(usage.cache_creation_input_tokens)
            answer.read = counted(usage.input_tokens) + answer.cached + answer.stored
            answer.model = event.message.model
        elif event.type == "content_block_start" and event.content_block.type == "tool_use":
            answer.called(event.index, event.content_block.name)
        elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
            answer.argued(event.index, event.delta.partial_json)
        elif event.type == "content_block_delta" and event.delta.type == "text_delta":
            answer.said(event.delta.text)
        elif event.type == "message_delta":
            answer.written = counted(event.usage.output_tokens)
            answer.cut = event.delta.stop_reason in _CUT
            answer.refusal = "refusal" if event.delta.stop_reason == "refusal" else ""
        elif event.type == "message_stop":
            answer.stop = "message_stop"
    return answer
