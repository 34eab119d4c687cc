"""Lines picked by a model behind a chat-completions endpoint, with the real SDK against a loopback server."""

import json
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

pytest.importorskip("openai")
from loopback import KEY, Api, Behaviour, Script, endpoint, status, without_proxies

from openral_reasoner.compact import completions
from openral_reasoner.compact.answers import grammar
from openral_reasoner.compact.completions import AdaptiveOpenAIModel, CompactOpenAIModel
from openral_reasoner.compact.prompt import compact_prompt
from openral_reasoner.context import Choice, Context, RawCall
from openral_reasoner.llm.base import ModelUnavailable
from openral_reasoner.llm.streaming import RetryPolicy
from openral_reasoner.palette.entries import ToolPalette

API = Api("openai")
LINES = ("recall mug", "ask", "done")
CHOICES = tuple(Choice(line=line, call=RawCall(tool=line.split()[0])) for line in LINES)
CONTEXT = Context(
    system="", goal="find the mug", requester="ana", palette=ToolPalette(), tools=(), choices=CHOICES
)
LLAMA_SERVER = {"object": "list", "data": [{"id": "smollm2", "owned_by": "llamacpp"}]}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Script]]:
    without_proxies(monkeypatch)
    with endpoint() as (url, script):
        yield f"{url}/v1", script


def model(url: str) -> CompactOpenAIModel:
    return CompactOpenAIModel("m-x", url, RetryPolicy(10.0, attempts=2, base=0.01, rng=Random(0)))


def test_an_endpoint_is_asked_by_schema_for_one_of_the_lines(served: tuple[str, Script]) -> None:
    url, script = served
    script.play(API.answer(text='{"step": "ask"}', stop="stop"))
    assert model(url)(CONTEXT).calls == (CHOICES[1].call,)
    (request,) = script.requests
    schema = request["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["step"]["enum"] == list(LINES)
    assert "tools" not in request
    assert "grammar" not in request
    prompt = compact_prompt(CONTEXT)
    assert [each["content"] for each in request["messages"]] == [prompt.prefix, prompt.state]


def test_the_server_of_llama_cpp_is_asked_by_grammar(served: tuple[str, Script]) -> None:
    url, script = served
    script.models = LLAMA_SERVER
    script.play(API.answer(text=" recall mug\n", stop="stop"))
    assert model(url)(CONTEXT).calls == (CHOICES[0].call,)
    (request,) = script.requests
    assert request["grammar"] == grammar(LINES)
    assert "response_format" not in request


def test_an_endpoint_that_refuses_both_reads_the_lines_as_text(served: tuple[str, Script]) -> None:
    url, script = served
    script.models = LLAMA_SERVER
    script.play(
        status(400, "invalid_request_error", "unknown field: grammar"),
        status(400, "invalid_request_error", "response_format is not supported"),
        API.answer(text="> Recall mug", stop="stop"),
    )
    asked = model(url)
    assert asked(CONTEXT).calls == (CHOICES[0].call,)
    assert {"grammar", "response_format"} <= asked.refused
    assert all(line in script.requests[-1]["messages"][-1]["content"] for line in LINES)


def test_a_template_without_a_system_role_gets_one_message(served: tuple[str, Script]) -> None:
    url, script = served
    script.play(
        status(400, "invalid_request_error", "System role not supported"),
        API.answer(text='{"step": "done"}', stop="stop"),
    )
    assert model(url)(CONTEXT).calls == (CHOICES[2].call,)
    (message,) = script.requests[-1]["messages"]
    assert message["role"] == "user"


def test_an_answer_outside_the_list_is_a_decision_without_a_call(served: tuple[str, Script]) -> None:
    url, script = served
    script.play(API.answer(text="grasp knife_1", stop="stop"))
    decision = model(url)(CONTEXT)
    assert decision.calls == ()
    assert decision.text == "grasp knife_1"


def test_a_failure_of_the_endpoint_is_typed_and_without_the_key(served: tuple[str, Script]) -> None:
    url, script = served
    script.play(status(401, "authentication_error"))
    with pytest.raises(ModelUnavailable) as failure:
        model(url)(CONTEXT)
    assert failure.value.condition == "UNAUTHORISED"
    assert KEY not in str(failure.value)
    assert KEY not in json.dumps(script.requests)


def adaptive(url: str, reported: list[str]) -> AdaptiveOpenAIModel:
    retries = RetryPolicy(10.0, attempts=2, base=0.01, rng=Random(0))
    return AdaptiveOpenAIModel("m-x", url, retries, report=reported.append)


def test_an_endpoint_that_calls_tools_in_time_keeps_them(served: tuple[str, Script]) -> None:
    url, script = served
    script.play(API.answer(("recall_object", '{"query": "mug"}')))
    reported: list[str] = []
    asked = adaptive(url, reported)
    assert asked(CONTEXT).calls[0].tool == "recall_object"
    assert asked(CONTEXT).calls[0].tool == "recall_object"
    assert "response_format" not in script.requests[-1]
    assert not reported


@pytest.mark.parametrize(
    ("unfit", "why"),
    [
        (status(400, "invalid_request_error", "the request exceeds the available context size"), "context"),
        (API.answer(text="I would look for the mug.", stop="stop"), "called no tool"),
    ],
)
def test_an_endpoint_that_cannot_call_tools_picks_lines_from_then_on(
    served: tuple[str, Script], unfit: Behaviour, why: str
) -> None:
    url, script = served
    script.play(unfit, API.answer(text='{"step": "ask"}', stop="stop"))
    reported: list[str] = []
    asked = adaptive(url, reported)
    with suppress(ModelUnavailable):
        assert asked(CONTEXT).calls == ()
    assert asked(CONTEXT).calls == (CHOICES[1].call,)
    assert len(reported) == 1
    assert why in reported[0]
    assert "--prompt full" in reported[0]


def test_a_slow_endpoint_picks_lines_from_then_on(
    served: tuple[str, Script], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, script = served
    script.play(API.answer(("recall_object", '{"query": "mug"}')), API.answer(text="ask", stop="stop"))
    monkeypatch.setattr(completions, "COMFORTABLE", 0.0)
    reported: list[str] = []
    asked = adaptive(url, reported)
    assert asked(CONTEXT).calls[0].tool == "recall_object"
    assert asked(CONTEXT).calls == (CHOICES[1].call,)
    assert "a decision took" in reported[0]
