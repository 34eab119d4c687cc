"""Chat completions by the official OpenAI SDK, for any compatible endpoint (vLLM, Ollama); streamed."""

import json
from collections.abc import Iterable

import openai
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam, ChatCompletionToolParam
from openai.types.chat.chat_completion_chunk import Choice

from openral_reasoner.exchanges.turns import Context, ToolSchema, Turn
from openral_reasoner.models.failures import translated
from openral_reasoner.models.keys import key_for
from openral_reasoner.models.model import Decision
from openral_reasoner.models.retries import Retries
from openral_reasoner.models.streams import Answer, in_time
from openral_reasoner.models.transcripts import NO_CALL, arguments_of, news, opening, reminder, usable


class OpenAIModel:
    """Blocks for at most the retries' deadline."""

    def __init__(self, model: str, base_url: str, retries: Retries) -> None:
        self._model, self._retries = model, retries
        self._key = key_for("openai", base_url)
        self._client = openai.OpenAI(api_key=self._key, base_url=base_url or None, max_retries=0)

    def __call__(self, context: Context) -> Decision:
        """One decision."""
        return self._retries.call(lambda seconds: self._once(context, seconds))

    def _once(self, context: Context, seconds: float) -> Decision:
        with translated(openai, self._key):
            stream = self._client.chat.completions.create(
                model=self._model,
                messages=messages(context),
                tools=_tools(context.tools),
                tool_choice="required",
                parallel_tool_calls=False,
                stream=True,
                stream_options={"include_usage": True},
                timeout=seconds,
            )
            with stream:
                return _read(in_time(stream, seconds)).decision()


def messages(context: Context) -> list[ChatCompletionMessageParam]:
    """The mission as messages; every tool call has its tool message."""
    result: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": context.system},
        {"role": "user", "content": opening(context)},
    ]
    for turn in context.turns:
        if told := news(turn.news, turn.operator_words):
            result.append({"role": "user", "content": told})
        result += _turn(turn)
    result.append({"role": "user", "content": reminder(context)})
    return result


def _turn(turn: Turn) -> list[ChatCompletionMessageParam]:
    words = turn.reply.rendered()
    if not usable(turn):
        return [{"role": "assistant", "content": NO_CALL}, {"role": "user", "content": words}]
    arguments = json.dumps(arguments_of(turn))
    return [
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": turn.call_id,
                    "type": "function",
                    "function": {"name": turn.tool, "arguments": arguments},
                }
            ],
        },
        {"role": "tool", "tool_call_id": turn.call_id, "content": words},
    ]


def _tools(tools: tuple[ToolSchema, ...]) -> list[ChatCompletionToolParam]:
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


def _read(chunks: Iterable[ChatCompletionChunk]) -> Answer:
    answer = Answer()
    for chunk in chunks:
        answer.model = chunk.model or answer.model
        if chunk.usage is not None:
            answer.read, answer.written = chunk.usage.prompt_tokens, chunk.usage.completion_tokens
            details = chunk.usage.prompt_tokens_details
            answer.cached = (details.cached_tokens or 0) if details is not None else 0
        for choice in chunk.choices:
            _take(answer, choice)
    return answer


def _take(answer: Answer, choice: Choice) -> None:
    delta = choice.delta
    answer.said(delta.content or "")
    answer.refusal += delta.refusal or ""
    for call in delta.tool_calls or ():
        if call.function is not None:
            answer.called(call.index, call.function.name or "")
            answer.argued(call.index, call.function.arguments or "")
    if choice.finish_reason is not None:
        answer.stop = choice.finish_reason
        answer.refusal += "filtered" if choice.finish_reason == "content_filter" else ""
