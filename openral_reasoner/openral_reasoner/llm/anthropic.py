"""Anthropic Messages API via its official SDK: one forced tool call per turn, prompt caching, streaming.

Three breakpoints of the prompt cache: after the tools, after the system prompt, and after the last reply.
"""

import json
from collections.abc import AsyncIterable
from typing import Any

import anthropic
import httpx2
from anthropic.types import MessageParam, RawMessageStreamEvent, ToolParam

from openral_reasoner.context import Context, Decision, ToolSchema, Turn
from openral_reasoner.llm.base import (
    NO_CALL,
    api_key_for,
    arguments_of,
    exchanges,
    opaque_fields,
    opaque_message,
    usable,
)
from openral_reasoner.llm.http_client import Endpoint
from openral_reasoner.llm.streaming import RetryPolicy, StreamedAnswer, counted, readable, translate_errors

MAX_TOKENS = 1024
"""Output limit of one decision [tokens]: one tool call with a short explanation."""
Block = dict[str, Any]
BLOCKS = "blocks"
"""Key of what an answer carried beside its call: thoughts, signed or encrypted, and text, in order."""
_CUT = ("max_tokens", "model_context_window_exceeded")


class AnthropicModel:
    """Model of an Anthropic endpoint; a call blocks at most for the deadline of the retries."""

    def __init__(self, model: str, base_url: str, retries: RetryPolicy) -> None:
        self._model, self._retries = model, retries
        self._writer = f"anthropic {model}"
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
                messages=messages(context, self._writer),
                stream=True,
                timeout=seconds,
            )
            with readable(self._key):
                answer, blocks = await read_stream(stream)
                opaque = opaque_message(self._writer, {BLOCKS: blocks} if blocks else {})
                return answer.decision().model_copy(update={"opaque": opaque})


def messages(context: Context, writer: str = "") -> list[MessageParam]:
    """Render the mission as alternating messages for the model ``writer``."""
    result: list[Any] = []
    for each in exchanges(context):
        reply: Block = {"type": "text", "text": each.text}
        if each.turn is not None:
            result.append({"role": "assistant", "content": turn_blocks(each.turn, writer)})
            reply = reply_block(each.turn, each.text)
        # The cached prefix ends with the last reply; later requests do not repeat the reminder after it.
        if len(result) == 2 * len(context.turns):
            reply["cache_control"] = {"type": "ephemeral"}
        afterwards: list[Block] = [{"type": "text", "text": each.afterwards}] if each.afterwards else []
        result.append({"role": "user", "content": [reply, *afterwards]})
    return result


def turn_blocks(turn: Turn, writer: str) -> list[Any]:
    """Render one past decision: what it carried, then its call."""
    carried = opaque_fields(turn, writer).get(BLOCKS, [])
    if not usable(turn):
        return [*carried, {"type": "text", "text": NO_CALL}]
    arguments = dict(arguments_of(turn))
    return [*carried, {"type": "tool_use", "id": turn.call_id, "name": turn.tool, "input": arguments}]


def reply_block(turn: Turn, reply: str) -> Block:
    """Render the reply to one past decision."""
    if not usable(turn):
        return {"type": "text", "text": reply}
    return {
        "type": "tool_result",
        "tool_use_id": turn.call_id,
        "content": reply,
        "is_error": turn.reply.status == "INVALID_CALL",
    }


def tool_params(tools: tuple[ToolSchema, ...]) -> list[ToolParam]:
    """Render the offered tools; the last one ends the cached prefix."""
    result: list[ToolParam] = [
        {"name": t.name, "description": t.description, "input_schema": json.loads(t.parameters)}
        for t in tools
    ]
    result[-1]["cache_control"] = {"type": "ephemeral"}
    return result


async def read_stream(
    events: AsyncIterable[RawMessageStreamEvent],
) -> tuple[StreamedAnswer, list[Block]]:
    """Accumulate a streamed answer, and the blocks that it carried beside its call."""
    answer = StreamedAnswer()
    blocks: dict[int, Block] = {}
    async for event in events:
        if event.type == "message_start":
            usage = event.message.usage
            answer.cached = counted(usage.cache_read_input_tokens)
            answer.stored = counted(usage.cache_creation_input_tokens)
            answer.read = counted(usage.input_tokens) + answer.cached + answer.stored
            answer.model = event.message.model
        elif event.type == "content_block_start" and event.content_block.type == "tool_use":
            answer.called(event.index, event.content_block.name)
        elif event.type == "content_block_start":
            _extend(answer, blocks, event.index, event.content_block.to_dict(mode="json"))
        elif event.type == "content_block_delta":
            _extend(answer, blocks, event.index, event.delta.to_dict(mode="json"))
        elif event.type == "message_delta":
            answer.written = counted(event.usage.output_tokens)
            answer.cut = event.delta.stop_reason in _CUT
            answer.refusal = "refusal" if event.delta.stop_reason == "refusal" else ""
        elif event.type == "message_stop":
            answer.stop = "message_stop"
    return answer, [each for each in blocks.values() if each["type"] != "text" or each.get("text")]


def _extend(answer: StreamedAnswer, blocks: dict[int, Block], index: int, part: Block) -> None:
    """Add a part to its block; the API names the fields of a block and of its deltas alike."""
    if "partial_json" in part:
        answer.argued(index, part["partial_json"])
        return
    answer.said(part.get("text") or "")
    block = blocks.setdefault(index, part)
    if block is not part:
        texts = {name: text for name, text in part.items() if name != "type" and isinstance(text, str)}
        block.update({name: (block.get(name) or "") + text for name, text in texts.items()})
