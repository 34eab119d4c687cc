"""Local model endpoint: both vendors' own SDKs talk to it, and it counts what their prompt caches would."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

anthropic = pytest.importorskip("anthropic")
openai = pytest.importorskip("openai")

from openral_testing.model_server.answers import (
    Answer,
    EmittedCall,
    Failure,
    PastCall,
    PastResult,
    ScriptedResponder,
    UserText,
    Vendor,
)
from openral_testing.model_server.prompt_cache import VendorPromptCache, common_length
from openral_testing.model_server.server import LoopbackServer, serving

CALL = EmittedCall("recall_object", '{"query": "mug"}')
TOOL = {"name": "recall_object", "description": "Ask memory.", "input_schema": {"type": "object"}}
FUNCTION = {
    "type": "function",
    "function": {"name": "recall_object", "description": "Ask memory.", "parameters": {"type": "object"}},
}
LONG = "The robot has one hand. " * 300
"""About 1,800 tokens, enough for a cached prefix."""


@contextmanager
def answering(*answers: Answer | Failure) -> Iterator[tuple[LoopbackServer, ScriptedResponder]]:
    script = ScriptedResponder(answers)
    with serving(script) as (server, _):
        yield server, script


def ask_anthropic(server: LoopbackServer, **options: Any) -> Any:
    client = anthropic.Anthropic(api_key="none", base_url=server.base_url(Vendor.ANTHROPIC), max_retries=0)
    given = {
        "model": "m",
        "max_tokens": 10,
        "tools": [TOOL],
        "messages": [{"role": "user", "content": "mug?"}],
    }
    with client:
        reply = client.messages.create(**{**given, **options})
        return list(reply) if options.get("stream") else reply


def ask_openai(server: LoopbackServer, **options: Any) -> Any:
    client = openai.OpenAI(api_key="none", base_url=server.base_url(Vendor.OPENAI), max_retries=0)
    given = {"model": "m", "tools": [FUNCTION], "messages": [{"role": "user", "content": "mug?"}]}
    with client:
        reply = client.chat.completions.create(**{**given, **options})
        return list(reply) if options.get("stream") else reply


def test_a_whole_message_has_the_call_and_its_usage() -> None:
    with answering(Answer((CALL,), "Let me see.")) as (server, script):
        reply = ask_anthropic(server)
    assert [block.type for block in reply.content] == ["text", "tool_use"]
    assert reply.content[1].input == {"query": "mug"}
    assert reply.stop_reason == "tool_use"
    assert reply.usage.input_tokens > 0
    (request,) = script.requests
    assert request.parts == (UserText("mug?"),)
    assert request.tools[0].description == "Ask memory."


def test_a_whole_completion_has_the_call_and_its_usage() -> None:
    with answering(Answer((CALL,))) as (server, script):
        reply = ask_openai(server)
    (call,) = reply.choices[0].message.tool_calls
    assert (call.function.name, call.function.arguments) == ("recall_object", '{"query": "mug"}')
    assert reply.choices[0].finish_reason == "tool_calls"
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens
    assert script.requests[0].tools[0].name == "recall_object"


def test_streams_end_properly() -> None:
    with answering(Answer((CALL,))) as (server, _):
        events = [event.type for event in ask_anthropic(server, stream=True)]
        chunks = ask_openai(server, stream=True, stream_options={"include_usage": True})
    assert events[0] == "message_start"
    assert events[-1] == "message_stop"
    assert chunks[-1].usage.prompt_tokens > 0


@pytest.mark.parametrize("ask", [ask_anthropic, ask_openai])
def test_failures_have_their_status_and_message(ask: Any) -> None:
    failure = Failure(429, "rate_limit_error", "slow down", retry_after=3.0)
    sdk = anthropic if ask is ask_anthropic else openai
    with answering(failure) as (server, _), pytest.raises(sdk.RateLimitError, match="slow down") as raised:
        ask(server)
    assert raised.value.response.headers["retry-after"] == "3"


def test_an_answer_in_the_middle_of_a_mission_is_read_with_its_calls() -> None:
    history = [
        {"role": "user", "content": "mug?"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "a", "name": "recall_object", "input": {}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "FOUND: here"}]},
    ]
    with answering(Answer((CALL,))) as (server, script):
        ask_anthropic(server, messages=history)
    assert script.requests[0].parts[1:] == (
        PastCall("a", "recall_object", {}),
        PastResult("a", "FOUND: here"),
    )
    assert script.requests[0].results == ("FOUND: here",)


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([{"role": "assistant", "content": "hello"}], "roles must alternate"),
        ([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}], "roles must alternate"),
        (
            [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}],
            "no such call precedes it",
        ),
    ],
)
def test_what_the_vendor_would_refuse_is_refused(messages: list[Any], words: str) -> None:
    with (
        answering(Answer((CALL,))) as (server, _),
        pytest.raises(anthropic.BadRequestError, match=words),
    ):
        ask_anthropic(server, messages=messages)


def test_more_than_four_breakpoints_are_refused() -> None:
    marked = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}
    with (
        answering(Answer((CALL,))) as (server, _),
        pytest.raises(anthropic.BadRequestError, match="at most 4"),
    ):
        ask_anthropic(server, messages=[{"role": "user", "content": [marked] * 5}])


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"model": 1}', b"\xff", b'{"model":"m","messages":[3]}']
)
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/chat/completions"])
def test_nonsense_is_a_bad_request(path: str, body: bytes) -> None:
    with answering(Answer((CALL,))) as (server, _):
        assert httpx2.post(server.url + path, content=body).status_code == 400


def test_an_unknown_path_is_told_with_the_valid_ones() -> None:
    with answering(Answer((CALL,))) as (server, _):
        reply = httpx2.post(f"{server.url}/v2/chat", content=b"{}")
    assert reply.status_code == 404
    assert "/v1/messages" in reply.text


def test_a_marked_prefix_is_stored_and_then_read() -> None:
    system = [{"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}]
    with answering(Answer((CALL,))) as (server, _):
        first = ask_anthropic(server, system=system).usage
        second = ask_anthropic(server, system=system, messages=[{"role": "user", "content": "cup?"}]).usage
    assert first.cache_creation_input_tokens > 1024
    assert first.cache_read_input_tokens == 0
    assert second.cache_read_input_tokens == first.cache_creation_input_tokens


def test_without_a_mark_nothing_is_cached_by_the_messages_api() -> None:
    with answering(Answer((CALL,))) as (server, _):
        ask_anthropic(server, system=LONG)
        assert ask_anthropic(server, system=LONG).usage.cache_read_input_tokens == 0


def test_a_change_before_the_mark_misses() -> None:
    system = [{"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}]
    with answering(Answer((CALL,))) as (server, _):
        ask_anthropic(server, system=system)
        changed = ask_anthropic(server, system=system, tools=[{**TOOL, "description": "other"}]).usage
    assert changed.cache_read_input_tokens == 0


def test_the_common_prefix_of_completions_is_read_in_steps() -> None:
    messages = [{"role": "system", "content": LONG}, {"role": "user", "content": "mug?"}]
    with answering(Answer((CALL,))) as (server, _):
        first = ask_openai(server, messages=messages).usage
        second = ask_openai(server, messages=[*messages[:1], {"role": "user", "content": "cup?"}]).usage
    assert first.prompt_tokens_details.cached_tokens == 0
    assert second.prompt_tokens_details.cached_tokens >= 1024
    assert second.prompt_tokens_details.cached_tokens % 128 == 0


def test_a_short_prompt_is_not_cached() -> None:
    cache, content = VendorPromptCache(), {"messages": [{"role": "user", "content": "mug?"}]}
    cache.usage(Vendor.OPENAI, content, 1)
    assert cache.usage(Vendor.OPENAI, content, 1).cached == 0


@pytest.mark.parametrize(("first", "second", "length"), [("", "a", 0), ("abc", "abd", 2), ("ab", "ab", 2)])
def test_common_prefixes_are_measured(first: str, second: str, length: int) -> None:
    assert common_length(first, second) == length
