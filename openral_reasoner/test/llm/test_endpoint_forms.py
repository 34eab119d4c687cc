"""Endpoints of many habits: each takes our request, and its answer is read as the call that it means."""

import gzip
import json
import re
import zlib
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from random import Random
from typing import Any

import pytest

pytest.importorskip("openai")
from loopback import Behaviour, endpoint, without_proxies

from openral_reasoner.context import Context, Decision, RawCall, ToolResult, Turn
from openral_reasoner.llm.base import PERMANENT, ModelUnavailable
from openral_reasoner.llm.openai import OpenAIModel
from openral_reasoner.llm.streaming import RetryPolicy
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.system_prompt import SYSTEM_PROMPT
from openral_reasoner.tools.registry import schemas

Request = dict[str, Any]
Chunks = list[Any]
Form = Callable[[Request, RawCall, int], Behaviour]
"""Answer to a request with a call; the last argument is the number of the request."""


def reply(body: bytes | str, code: int = 200, kind: str = "text/event-stream", **headers: str) -> Behaviour:
    """An answer with this body; no type if ``kind`` is empty."""
    content = body.encode() if isinstance(body, str) else body

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in {**({"content-type": kind} if kind else {}), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def refuse(code: int, content: object) -> Behaviour:
    text = content if isinstance(content, str) else json.dumps(content)
    kind = "text/html" if text.startswith("<") else "text/plain" if isinstance(content, str) else ""
    return reply(text, code, kind or "application/json")


def events(chunks: Chunks, end: str = "\n\n", mark: str = "data: ", done: bool = True) -> str:
    lines = [each if isinstance(each, str) else f"{mark}{json.dumps(each)}" for each in chunks]
    return "".join(f"{line}{end}" for line in [*lines, *([f"{mark}[DONE]"] if done else [])])


def tool(call: RawCall, **fields: Any) -> dict[str, Any]:
    function = {"name": call.tool, "arguments": call.arguments}
    return {"index": 0, "id": "call_1", "type": "function", "function": function, **fields}


def chunk(delta: Any, finish: Any = None, **fields: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice], **fields}


USAGE = {"prompt_tokens": 3000, "completion_tokens": 20, "total_tokens": 3020}


def plain(call: RawCall, finish: Any = "tool_calls", **fields: Any) -> Chunks:
    ending = [chunk({}, finish), {"choices": [], "usage": USAGE}]
    return [chunk({"role": "assistant", "tool_calls": [tool(call, **fields)]}), *ending]


def beside(**fields: Any) -> Form:
    """A message that carries this beside its call."""
    return lambda request, call, number: reply(events([chunk(fields), *plain(call)]))


def framed(**options: Any) -> Form:
    return lambda request, call, number: reply(events(plain(call), **options))


def wired(change: Callable[[str], bytes | str], kind: str = "text/event-stream", **headers: str) -> Form:
    """The usual stream as these bytes."""
    return lambda request, call, number: reply(change(events(plain(call))), 200, kind, **headers)


def called(**fields: Any) -> Form:
    """A call with these fields."""
    return lambda request, call, number: reply(events(plain(call, **fields)))


def finished(reason: Any) -> Form:
    return lambda request, call, number: reply(events(plain(call, reason)))


def chunks(of: Callable[[RawCall], Chunks]) -> Form:
    return lambda request, call, number: reply(events(of(call)))


def first(failure: Behaviour) -> Form:
    """A failure, and then an answer."""
    return lambda request, call, number: failure if number == 1 else reply(events(plain(call)))


def unless(bad: Callable[[Request], object], code: int, content: object) -> Form:
    """A refusal of requests that are bad, else an answer."""
    return lambda request, call, number: refuse(code, content) if bad(request) else reply(events(plain(call)))


def without(field: str, code: int, content: object) -> Form:
    return unless(lambda request: field in request, code, content)


def written(request: Request, call: RawCall, number: int) -> Behaviour:
    """A call by schema from a server that takes no tools, replies of tools, or formats."""
    if "tools" in request:
        return refuse(400, {"error": {"message": "This model does not support tools"}})
    if "response_format" in request:
        return refuse(400, {"error": "response_format.type json_schema is not available"})
    text = json.dumps({"tool": call.tool, "arguments": json.loads(call.arguments)})
    return reply(events([chunk({"content": text}), chunk({}, "stop")]))


def returned(field: str, value: Any) -> Form:
    """A message with this field, which must come back as it was."""

    def form(request: Request, call: RawCall, number: int) -> Behaviour:
        past = [each for each in request["messages"] if each["role"] == "assistant"]
        if any(each.get(field) != value for each in past):
            return refuse(400, {"error": {"message": f"Missing {field} in an assistant message"}})
        return reply(events([chunk({field: value}), *plain(call)]))

    return form


def signed(request: Request, call: RawCall, number: int) -> Behaviour:
    """A call with a signature of its own, which must come back within it."""
    signature = {"google": {"thought_signature": "c2ln"}}
    past = [each for message in request["messages"] for each in message.get("tool_calls", ())]
    if any(each.get("extra_content") != signature for each in past):
        return refuse(400, [{"error": {"message": "Function call is missing a thought_signature"}}])
    return reply(events(plain(call, extra_content=signature)))


def split(call: RawCall) -> Chunks:
    """Arguments in parts of one character, ids and types with each."""
    parts = [tool(RawCall(tool="", arguments=each)) for each in call.arguments]
    return [chunk({"tool_calls": [each]}) for each in (tool(RawCall(tool=call.tool, arguments="")), *parts)]


def roles(request: Request) -> list[str]:
    return [each["role"] for each in request["messages"]]


def whole(call: RawCall) -> str:
    message = {"role": "assistant", "content": None, "reasoning_content": "so", "tool_calls": [tool(call)]}
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": USAGE}, indent=2)


FORMS: Mapping[str, Form] = {
    "CRLF": framed(end="\r\n\r\n"),
    "no space after the colon": framed(mark="data:"),
    "named and numbered events": framed(mark="event: message\nid: 7\nretry: 100\ndata: "),
    "a byte-order mark": wired(lambda text: b"\xef\xbb\xbf" + text.encode()),
    "comments between": wired(lambda text: text.replace("\n\n", "\n\n: ping\n\n")),
    "no end of the last event": wired(lambda text: text.removesuffix("\n\n")),
    "no [DONE], no usage": chunks(lambda call: plain(call)[:2]),
    "a type in capitals": wired(str, "TEXT/EVENT-STREAM; charset=UTF-8"),
    "no type": wired(str, ""),
    "gzip": wired(lambda text: gzip.compress(text.encode()), content_encoding="gzip"),
    "deflate": wired(lambda text: zlib.compress(text.encode()), content_encoding="deflate"),
    "one whole completion": lambda request, call, number: reply(whole(call), 200, "application/json"),
    "empty objects and choices": chunks(lambda call: [{}, {"choices": None}, {"choices": []}, *plain(call)]),
    "a second choice": chunks(
        lambda call: [{"choices": [{"index": 1, "delta": {"content": "x"}}]}, *plain(call)]
    ),
    "null calls before it": chunks(lambda call: [chunk({"tool_calls": None}), *plain(call)]),
    "arguments by character": chunks(lambda call: [*split(call), chunk({}, "tool_calls")]),
    "an index as text": called(index="0"),
    "an index from one": called(index=1),
    "no id": called(id=None),
    "a number as id": called(id=7),
    "a null type": called(type=None),
    "a name with spaces": chunks(lambda call: plain(call.model_copy(update={"tool": f" {call.tool}\n"}))),
    "the end is STOP": finished("STOP"),
    "the end is tool_use": finished("tool_use"),
    "the end is a number": finished(0),
    "text before it": beside(content="Let me look for it first."),
    "parts of text before it": beside(content=[{"type": "text", "text": "I look."}]),
    "thoughts as a list": beside(thinking_blocks=[{"type": "thinking", "thinking": "so", "signature": "x"}]),
    "usage of Groq": chunks(lambda call: [*plain(call)[:2], {"choices": [], "x_groq": {"usage": USAGE}}]),
    "timings of llama.cpp": chunks(
        lambda call: [*plain(call)[:2], {"choices": [], "timings": {"cache_n": 9, "prompt_n": 90}}]
    ),
    "reasoning comes back": returned("reasoning", "so"),
    "details of reasoning come back": returned(
        "reasoning_details", [{"type": "reasoning.text", "text": "s"}]
    ),
    "a signature comes back": signed,
    "502 once": first(refuse(502, "<html><title>502 Bad Gateway</title></html>")),
    "500 once": first(refuse(500, {"error": {"message": "internal error"}})),
    "504 once": first(refuse(504, "upstream request timeout")),
    "408 once": first(refuse(408, {"error": {"message": "request timed out"}})),
    "409 once": first(refuse(409, {"detail": "conflict: the model is being swapped"})),
    "425 once": first(refuse(425, "too early")),
    "429 once, without a delay": first(refuse(429, {"message": "quota of the minute"})),
    "an empty stream once": first(reply("")),
    "a cut stream once": first(reply('data: {"choices": [{"delta": {"tool_ca')),
    "an overload in the stream once": first(
        reply(events([{"error": {"message": "overloaded", "code": 503}}]))
    ),
    "an overload as a 200 once": first(reply('{"error": {"message": "busy"}}', 200, "application/json")),
    "a line cut off once": first(lambda handler: handler.connection.close()),
    "no max_tokens": without(
        "max_tokens", 400, {"error": {"message": "Unsupported parameter: 'max_tokens'"}}
    ),
    "max_tokens beyond the model's": unless(
        lambda request: request.get("max_tokens", 0) > 2048,
        400,
        {"message": "max_tokens is too large: 4096. This model supports at most 2048 completion tokens"},
    ),
    "max_tokens beyond the context": without(
        "max_tokens",
        400,
        {"message": "'max_tokens' is too large: 4096. This model's maximum context length is 8192 tokens"},
    ),
    "no seed": without("seed", 400, {"error": {"message": "property 'seed' is unsupported"}}),
    "only its own temperature": without(
        "temperature", 400, {"error": {"message": "'temperature' does not support 0.0, only the default (1)"}}
    ),
    "unknown names, as Google says it": without(
        "parallel_tool_calls",
        400,
        [{"error": {"message": 'Unknown name "parallel_tool_calls": Cannot find field.'}}],
    ),
    "no null content": unless(
        lambda request: any(each.get("content") is None for each in request["messages"]),
        422,
        {"detail": [{"loc": ["body", "messages", 2, "content"], "msg": "Input should be a valid string"}]},
    ),
    "one system message, in front": unless(
        lambda request: roles(request).index("system") or roles(request).count("system") != 1,
        400,
        "System message must be at the beginning",
    ),
    "a user's message first": unless(
        lambda request: roles(request)[1] != "user", 400, "the first turn must be a user's"
    ),
    "replies to known calls only": unless(
        lambda request: (
            {each.get("tool_call_id") for each in request["messages"]} - {None}
            != {call["id"] for each in request["messages"] for call in each.get("tool_calls", ())}
        ),
        400,
        {"error": {"message": "An assistant message with 'tool_calls' must be followed by tool messages"}},
    ),
    "no tools, no formats": written,
}
"""Forms within the protocol, or near enough to it that people serve them."""


def always(behaviour: Behaviour) -> Form:
    return lambda request, call, number: behaviour


ENDS: Mapping[str, tuple[Form, str, str]] = {
    "401": (always(refuse(401, {"detail": "token expired"})), "UNAUTHORISED", "token expired"),
    "403": (always(refuse(403, "<html><title>Forbidden</title></html>")), "UNAUTHORISED", "Forbidden"),
    "404": (always(refuse(404, "404 page not found")), "NOT_FOUND", "page not found"),
    "no such model": (
        always(refuse(404, {"error": "model 'x' not found"})),
        "NO_SUCH_MODEL",
        "model 'x' not found",
    ),
    "no model is loaded": (
        always(refuse(400, "Invalid model identifier. Please load a model first.")),
        "NO_SUCH_MODEL",
        "load a model first",
    ),
    "context too small": (
        always(refuse(400, {"error": {"message": "the request exceeds the available context size"}})),
        "CONTEXT_TOO_SMALL",
        "llama-server -c",
    ),
    "a web page": (always(reply("<html>Log in</html>", 200, "text/html")), "NOT_A_STREAM", "base_url"),
    "a redirect": (always(reply("", 307, "", location="https://example.org")), "REDIRECTED", "example.org"),
    "an encoding": (always(reply(b"\x0b", content_encoding="br")), "BAD_ANSWER", "'br'"),
    "broken gzip": (
        always(reply(b"\x1f\x8b\x08xxxxxxxxxxx", content_encoding="gzip")),
        "BAD_ANSWER",
        "broken",
    ),
    "502": (
        always(refuse(502, "<html><title>502 Bad Gateway</title></html>")),
        "SERVER_ERROR",
        "Bad Gateway",
    ),
}
"""Forms that no client can serve: their conditions, and what the message has to say."""
CALLS = (
    RawCall(tool="recall_object", arguments='{"query": "Ana\'s \\"caf\\u00e9\\" mug \\ud83d\\ude00"}'),
    RawCall(tool="list_objects", arguments="{}"),
)


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    without_proxies(monkeypatch)


def context(*turns: Turn) -> Context:
    palette = ToolPalette(spatial_memory_available=True)
    return Context(
        system=SYSTEM_PROMPT,
        goal="find the mug",
        requester="",
        palette=palette,
        tools=schemas(palette),
        turns=turns,
    )


def model_of(url: str, sleeps: list[float]) -> OpenAIModel:
    return OpenAIModel("m", f"{url}/v1", RetryPolicy(60.0, rng=Random(0), sleep=sleeps.append))


def decide(model: OpenAIModel, script: Any, form: Form, call: RawCall, *turns: Turn) -> Decision:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        form(script.requests[-1], call, len(script.requests))(handler)

    script.play(answer)
    return model(context(*turns))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_two_decisions_are_read_as_they_are_meant(form: Form) -> None:
    with endpoint() as (url, script):
        model, turns = model_of(url, []), list[Turn]()
        for number, call in enumerate(CALLS):
            decision = decide(model, script, form, call, *turns)
            (read,) = decision.calls
            assert read.tool == call.tool
            assert json.loads(read.arguments) == json.loads(call.arguments)
            result = ToolResult(status="FOUND", text="memory has it")
            turns.append(
                Turn(call_id=f"call{number:05d}", **read.model_dump(), reply=result, opaque=decision.opaque)
            )


@pytest.mark.parametrize(("form", "condition", "words"), ENDS.values(), ids=ENDS)
def test_what_no_client_can_serve_ends_typed_with_its_cause(form: Form, condition: str, words: str) -> None:
    with endpoint() as (url, script):
        with pytest.raises(ModelUnavailable, match=re.escape(words)) as caught:
            decide(model_of(url, []), script, form, CALLS[0])
        assert caught.value.condition == condition
        assert len(str(caught.value)) < 1000
        assert condition not in PERMANENT or len(script.requests) == 1
