"""Chat completions via the official OpenAI SDK, for any compatible endpoint (vLLM, Ollama); streaming."""

import hashlib
import json
from collections.abc import AsyncIterable
from typing import Any

import httpx2
import openai
from openai.types.chat import ChatCompletionChunk, ChatCompletionToolParam
from openai.types.chat.chat_completion_chunk import Choice

from openral_reasoner.context import Context, Decision, ToolSchema, Turn
from openral_reasoner.llm.base import NO_CALL, api_key_for, arguments_of, exchanges, opaque_fields, usable
from openral_reasoner.llm.http_client import Endpoint
from openral_reasoner.llm.streaming import RetryPolicy, StreamedAnswer, counted, readable, translate_errors

CALL = "tool_call"
"""Key of what an answer's call carried, among the fields of its message."""


class OpenAIModel:
    """Model of an OpenAI-compatible endpoint; a call blocks at most for the deadline of the retries."""

    def __init__(self, model: str, base_url: str, retries: RetryPolicy) -> None:
        self._model, self._retries = model, retries
        self._writer = f"openai {model}"
        self._key = api_key_for("openai", base_url)
        self._base_url, self._endpoint = base_url or None, Endpoint()

    def __call__(self, context: Context) -> Decision:
        """Return one decision."""
        return self._retries.call(
            lambda seconds: self._endpoint.ask(lambda http: self._once(http, context, seconds), seconds)
        )

    async def _once(self, http: httpx2.AsyncClient, context: Context, seconds: float) -> Decision:
        client = openai.AsyncOpenAI(
            api_key=self._key, base_url=self._base_url, max_retries=0, http_client=http
        )
        with translate_errors(openai, self._key):
            stream = await client.chat.completions.create(
                model=self._model,
                messages=messages(context, self._writer),
                tools=tool_params(context.tools),
                tool_choice="required",
                parallel_tool_calls=False,
                stream=True,
                stream_options={"include_usage": True},
                # Other endpoints need not know it.
                prompt_cache_key=openai.omit if self._base_url else cache_key(context),
                timeout=seconds,
            )
            with readable(self._key):
                return (await read_stream(stream)).decision()


def cache_key(context: Context) -> str:
    """Return the key by which requests of one mission reach the same prompt cache."""
    return hashlib.sha256(f"{context.system}\n{context.requester}\n{context.goal}".encode()).hexdigest()[:32]


def messages(context: Context, writer: str = "") -> list[Any]:
    """Render the mission as messages for the model ``writer``; roles alternate."""
    result: list[Any] = [{"role": "system", "content": context.system}]
    for each in exchanges(context):
        if each.turn is None:
            result.append({"role": "user", "content": each.whole})
        else:
            result += turn_messages(each.turn, each.whole, writer)
    return result


def turn_messages(turn: Turn, reply: str, writer: str) -> list[Any]:
    """Render one past decision: its call and the reply."""
    fields = opaque_fields(turn, writer)
    call = fields.pop(CALL, {})
    if not usable(turn):
        return [
            {**fields, "role": "assistant", "content": NO_CALL},
            {"role": "user", "content": reply},
        ]
    function = {"name": turn.tool, "arguments": json.dumps(arguments_of(turn))}
    return [
        {
            "content": "",
            **fields,
            "role": "assistant",
            "tool_calls": [{**call, "id": turn.call_id, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": turn.call_id, "content": reply},
    ]


def tool_params(tools: tuple[ToolSchema, ...]) -> list[ChatCompletionToolParam]:
    """Render the offered tools."""
    return [
        {
            "type": "function",
            "function": {
                "name": t.name,
                "description": t.description,
                "parameters": json.loads(t.parameters),
            },
        }
        for t in tools
    ]


async def read_stream(chunks: AsyncIterable[ChatCompletionChunk]) -> StreamedAnswer:
    """Accumulate a streamed answer."""
    answer = StreamedAnswer()
    async for chunk in chunks:
        answer.model = chunk.model or answer.model
        if chunk.usage is not None:
            answer.read = counted(chunk.usage.prompt_tokens)
            answer.written = counted(chunk.usage.completion_tokens)
            details = chunk.usage.prompt_tokens_details
            answer.cached = counted(details.cached_tokens) if details is not None else 0
        for choice in chunk.choices or ():
            take_choice(answer, choice)
    return answer


def take_choice(answer: StreamedAnswer, choice: Choice) -> None:
    """Add one part of a streamed answer."""
    delta = choice.delta
    if delta is not None:
        answer.said(delta.content or "")
        answer.refusal += delta.refusal or ""
        for position, call in enumerate(delta.tool_calls or ()):
            # Some endpoints leave the index out.
            index = position if call.index is None else call.index
            if call.function is not None:
                answer.called(index, call.function.name or "")
                answer.argued(index, call.function.arguments or "")
    if choice.finish_reason is not None:
        answer.stop = choice.finish_reason
        answer.cut = choice.finish_reason == "length"
        answer.refusal += "filtered" if choice.finish_reason == "content_filter" else ""
