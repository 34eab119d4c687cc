"""Anthropic Messages API via its official SDK: one forced tool call per turn, prompt caching, streaming.

Three breakpoints of the prompt cache: after the tools, after the system prompt, and after the last reply.
"""

import json
from typing import Any

import anthropic
import httpx2
from anthropic.types import MessageParam, RawMessageStreamEvent, ToolParam

from openral_reasoner.context import Context, Decision, ToolSchema, Turn
from openral_reasoner.llm.base import (
    NO_CALL,
    ModelUnavailable,
    arguments_of,
    exchanges,
    opaque_fields,
    opaque_message,
    usable,
)
from openral_reasoner.llm.call_parts import as_arguments
from openral_reasoner.llm.endpoint_errors import readable, translate_errors
from openral_reasoner.llm.endpoint_model import EndpointModel
from openral_reasoner.llm.http_client import Endpoint
from openral_reasoner.llm.streaming import StreamedAnswer, token_count
from openral_reasoner.llm.written_calls import OfferedTools

Block = dict[str, Any]
BLOCKS = "blocks"
"""Key of what an answer carried beside its call: thoughts, signed or encrypted, and text, in order."""
_CUT = ("max_tokens", "model_context_window_exceeded")


class AnthropicModel(EndpointModel):
    """Model of an Anthropic endpoint; a call blocks at most for the deadline of the retries.

    Its API takes neither a temperature nor a seed.
    """

    vendor = "anthropic"
    default_url = "https://api.anthropic.com"
    optional = {"tool_choice": r"tool.?choice"}

    def ask(self, context: Context, seconds: float) -> Decision:
        """Send one request."""
        answer, blocks = StreamedAnswer(OfferedTools.of(context.tools)), dict[int, Block]()
        try:
            Endpoint().ask(lambda http: self._stream(http, context, answer, blocks, seconds), seconds)
        except ModelUnavailable as failure:
            answer.explain(failure)
            raise
        carried = [each for each in blocks.values() if each["type"] != "text" or each.get("text")]
        opaque = opaque_message(self.writer, {BLOCKS: carried} if carried and answer.calls.calls else {})
        return answer.decision().model_copy(update={"opaque": opaque})

    async def _stream(
        self,
        http: httpx2.AsyncClient,
        context: Context,
        answer: StreamedAnswer,
        blocks: dict[int, Block],
        seconds: float,
    ) -> None:
        client = anthropic.AsyncAnthropic(
            api_key=self._key,
            base_url=self.base_url,
            max_retries=0,
            http_client=http,
            open_telemetry=False,
        )
        optional: dict[str, Any] = self.sent(tool_choice={"type": "any", "disable_parallel_tool_use": True})
        self.last_sent = {name: self.optional[name] for name in optional}
        with translate_errors(anthropic, self._key, self.address):
            stream = await client.messages.create(
                model=self.model,
                max_tokens=self.sampling.max_tokens,
                system=[{"type": "text", "text": context.system, "cache_control": {"type": "ephemeral"}}],
                tools=tool_params(context.tools),
                messages=messages(context, self.writer),
                stream=True,
                timeout=seconds,
                **optional,
            )
            async with stream:
                with readable(self._key):
                    async for event in stream:
                        take_event(answer, blocks, event)
                        if answer.rambles():
                            answer.end_early(len(json.dumps(messages(context))))
                            break


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


def take_event(answer: StreamedAnswer, blocks: dict[int, Block], event: RawMessageStreamEvent) -> None:
    """Add one event to an answer, and to the blocks that it carries beside its call."""
    if event.type == "message_start":
        usage = event.message.usage
        answer.cached = token_count(usage.cache_read_input_tokens)
        answer.stored = token_count(usage.cache_creation_input_tokens)
        answer.read = token_count(usage.input_tokens) + answer.cached + answer.stored
        answer.model = event.message.model
    elif event.type == "content_block_start" and event.content_block.type == "tool_use":
        call = event.content_block
        answer.grow(call.name)
        # The input is empty here, unless the endpoint does not stream it.
        answer.calls.add(event.index, "", call.name, as_arguments(call.input or None))
    elif event.type == "content_block_start":
        _extend(answer, blocks, event.index, event.content_block.to_dict(mode="json"))
    elif event.type == "content_block_delta":
        _extend(answer, blocks, event.index, event.delta.to_dict(mode="json"))
    elif event.type == "message_delta":
        answer.written = token_count(event.usage.output_tokens)
        answer.cut = event.delta.stop_reason in _CUT
        answer.refusal = "refusal" if event.delta.stop_reason == "refusal" else ""
    elif event.type == "message_stop":
        answer.stop = "message_stop"


def _extend(answer: StreamedAnswer, blocks: dict[int, Block], index: int, part: Block) -> None:
    """Add a part to its block; the API names the fields of a block and of its deltas alike."""
    if "partial_json" in part:
        answer.grow(part["partial_json"])
        answer.calls.add(index, "", "", part["partial_json"])
        return
    answer.said(part.get("text") or "")
    block = blocks.setdefault(index, part)
    if block is not part:
        texts = {name: text for name, text in part.items() if name != "type" and isinstance(text, str)}
        block.update({name: (block.get(name) or "") + text for name, text in texts.items()})
