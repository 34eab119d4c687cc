"""Chunks of a streamed chat completion, read by what they mean: fields may be absent, null or odd."""

from collections.abc import Mapping

from openral_reasoner.llm.call_parts import as_arguments
from openral_reasoner.llm.completion_messages import CALL
from openral_reasoner.llm.endpoint_errors import streamed_failure
from openral_reasoner.llm.streaming import MAX_CHARACTERS, StreamedAnswer, merged, token_count

_KNOWN = ("role", "content", "tool_calls", "function_call", "refusal", "audio", "annotations")
_KNOWN_OF_CALL = ("index", "id", "type", "function", "name", "arguments")
MAX_MERGED = 200_000
"""Size of an answer beyond which its further fields are no longer collected [characters]."""


def take_chunk(answer: StreamedAnswer, chunk: object, key: str, address: str) -> None:
    """Add one chunk, or a whole completion, to an answer.

    Raises:
        ModelUnavailable: If it is an error.
        TypeError: If it is no chunk.
        ValueError: If it counts tokens that cannot be.
    """
    if not isinstance(chunk, Mapping):
        raise TypeError(f"a chunk is an object, found {type(chunk).__name__}")
    if chunk.get("object") == "error" or chunk.get("error"):
        raise streamed_failure(chunk, key, address)
    if isinstance(model := chunk.get("model"), str) and model:
        answer.model = model
    usage, timings = _objects(chunk.get("usage")), _objects(chunk.get("timings"))
    if usage or timings:
        _count(answer, next(iter(usage), {}), next(iter(timings), {}))
    for choice in _objects(chunk.get("choices")):
        if choice.get("index") in (None, 0):
            _take_choice(answer, choice)


def _count(answer: StreamedAnswer, usage: Mapping[str, object], timings: Mapping[str, object]) -> None:
    """Count tokens as the protocol has them, DeepSeek's cache, or llama.cpp's timings."""
    details = next(iter(_objects(usage.get("prompt_tokens_details"))), {})
    cached = (details.get("cached_tokens"), usage.get("prompt_cache_hit_tokens"), timings.get("cache_n"))
    answer.cached = token_count(next((each for each in cached if each is not None), None))
    answer.written = token_count(usage.get("completion_tokens")) or token_count(timings.get("predicted_n"))
    total = token_count(usage.get("total_tokens")) - answer.written
    fresh = token_count(timings.get("prompt_n"))
    answer.read = token_count(usage.get("prompt_tokens")) or max(0, total, fresh and answer.cached + fresh)
    answer.counted = answer.counted or bool(answer.read)


def _take_choice(answer: StreamedAnswer, choice: Mapping[str, object]) -> None:
    message = next(iter(_objects(choice.get("delta")) or _objects(choice.get("message"))), {})
    content = message.get("content")
    if isinstance(content, str):
        answer.said(content)
    for part in _objects(content):
        answer.said(part["text"] if isinstance(part.get("text"), str) else "")  # type: ignore[arg-type]
    if isinstance(refusal := message.get("refusal"), str):
        answer.refusal += refusal
    calls = _objects(message.get("tool_calls")) or _objects(message.get("function_call"))
    for position, call in enumerate(calls):
        _take_call(answer, call, position if len(calls) > 1 else None)
    further = {name: each for name, each in message.items() if name not in _KNOWN}
    _collect(answer, further | ({"content": content} if _objects(content) else {}))
    if isinstance(reason := choice.get("finish_reason"), str) and reason:
        answer.stop = reason
        answer.cut = reason == "length"
        answer.refusal += "filtered" if reason == "content_filter" else ""


def _take_call(answer: StreamedAnswer, call: Mapping[str, object], position: int | None) -> None:
    function = next(iter(_objects(call.get("function"))), call)
    name, call_id, index = function.get("name"), call.get("id"), call.get("index")
    arguments = as_arguments(function.get("arguments"))
    name, call_id = name if isinstance(name, str) else "", call_id if isinstance(call_id, str) else ""
    answer.grow(name, arguments)
    parts = answer.calls.add(index if isinstance(index, int) else position, call_id, name, arguments)
    for key, value in call.items():
        if key not in _KNOWN_OF_CALL and value is not None and answer.size < MAX_MERGED:
            parts.extras[key] = merged(parts.extras.get(key), value)


def _collect(answer: StreamedAnswer, fields: Mapping[str, object]) -> None:
    """Collect what the message carries beside text and calls."""
    for key, value in fields.items():
        if value is None or value == "":
            continue
        answer.grow(value if isinstance(value, str) else str(value)[:MAX_CHARACTERS])
        if answer.size < MAX_MERGED:
            answer.opaque[key] = merged(answer.opaque.get(key), value)


def opaque_of(answer: StreamedAnswer) -> dict[str, object]:
    """Return what the message carried beside its call; a text that is itself the call is not repeated."""
    if not answer.calls.calls:
        return {key: value for key, value in answer.opaque.items() if key != "content"}
    extras = answer.calls.calls[0].extras
    text = {"content": answer.raw} if answer.raw else {}
    return {**text, **answer.opaque, **({CALL: extras} if extras else {})}


def _objects(value: object) -> list[Mapping[str, object]]:
    """Return the objects of a list, or a single object as a list."""
    values: object = [value] if isinstance(value, Mapping) else value
    return [each for each in values if isinstance(each, Mapping)] if isinstance(values, list) else []
