"""Chat templates that real servers use: the tools and every message reach the prompt."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("openai")
jinja2 = pytest.importorskip("jinja2")
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment
from loopback import Script, completions_api, endpoint, status, stream, without_proxies

from openral_reasoner.context import Context, ObjectSummary, ToolResult, Turn
from openral_reasoner.llm.openai import OpenAIModel
from openral_reasoner.llm.preflight import check_endpoint
from openral_reasoner.llm.streaming import RetryPolicy
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.system_prompt import SYSTEM_PROMPT
from openral_reasoner.tools.registry import schemas

pytestmark = pytest.mark.real
SPECIAL = dict.fromkeys(("bos_token", "eos_token", "pad_token", "unk_token"), "<s>")
REFUSING: Mapping[str, str] = {
    "CohereForAI-c4ai-command-r-plus-tool_use": "no attribute 'additionalProperties'"
}
"""Templates that take no request of ours, with their own rule: this one reads what schemas may leave out."""
OTHERWISE: Mapping[str, str] = {
    # Without tools.
    "HuggingFaceTB-SmolLM3-3B": "schema",
    "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": "schema",
    "deepseek-ai-DeepSeek-V3.1": "schema",
    "llama-cpp-rwkv-world": "schema",
    # Without tools and system prompt.
    "google-gemma-2-2b-it": "schema system",
    # Without past calls.
    "LFM2-8B-A1B": "schema",
    "LFM2.5-Instruct": "schema",
    # With the system prompt only where a user's message is the last one.
    "mistralai-Mistral-Nemo-Instruct-2407": "tools system",
}
"""Templates for which the preflight changes the request, and how: the form of calls, what is left out."""


class Generation(Extension):
    """Tag ``generation`` of transformers, which marks the assistant's part."""

    tags = {"generation"}

    def parse(self, parser: Any) -> Any:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller: Any) -> Any:
        return caller()


def refuse(message: str) -> None:
    raise jinja2.exceptions.TemplateError(message)


def to_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, default=list, **options)


def template_of(path: Path) -> Any:
    """A template as transformers compiles it, or, where it changes lists, as llama.cpp does."""
    sandbox = SandboxedEnvironment if ".append(" in path.read_text() else ImmutableSandboxedEnvironment
    environment = sandbox(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = to_json
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda pattern: datetime(2026, 1, 1, tzinfo=UTC).strftime(pattern)
    return environment.from_string(path.read_text())


def prompt_of(template: Any, request: Mapping[str, Any]) -> str:
    """The prompt, with arguments as objects or as text: servers give a template what it takes."""
    errors = []
    for as_object in (True, False):
        messages = json.loads(json.dumps(request["messages"]))
        for call in (call for each in messages for call in each.get("tool_calls", ())):
            if as_object:
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        try:
            tools = request.get("tools")
            # Fireworks' servers name them so.
            named = {"functions": json.dumps(tools), "datetime": "2026-01-01"}
            options = {"tools": tools, "add_generation_prompt": True, **SPECIAL, **named}
            return str(template.render(messages=messages, **options))
        except (jinja2.exceptions.TemplateError, TypeError) as error:
            errors.append(error)
    raise errors[-1]


def reply(number: int) -> ToolResult:
    hit = ObjectSummary(id=f"mug_{number}", label=f"label{number}x")
    return ToolResult(
        status="FOUND", text=f"answer{number}x", found=(hit,), remaining=f"Remaining: {number}x"
    )


def turn(number: int, **fields: Any) -> Turn:
    called = {"tool": "recall_object", "arguments": json.dumps({"query": f"query{number}x"})}
    return Turn(**{"call_id": f"call{number:05d}", **called, "reply": reply(number), **fields})


NEWS = {"news": ("news a locator came",), "operator_words": "operator words"}
BAD = ToolResult(status="INVALID_CALL", text="faulty: call exactly one tool")
CASES: dict[str, tuple[tuple[Turn, ...], dict[str, Any]]] = {
    "first decision": ((), {}),
    "after a tool result": ((turn(1),), {}),
    "after news": ((turn(1), turn(2, **NEWS)), {"news": ("late news of a door",)}),
    "after a refused call": ((turn(1), turn(2, tool="", arguments="", reply=BAD), turn(3, reply=BAD)), {}),
    "ten turns": (tuple(turn(n) for n in range(1, 11)), NEWS),
}


def context_of(case: str) -> Context:
    turns, fields = CASES[case]
    palette = ToolPalette(spatial_memory_available=True)
    return Context(
        system=SYSTEM_PROMPT,
        goal="find the goalword",
        requester="ana",
        palette=palette,
        tools=schemas(palette),
        turns=turns,
        remaining="Remaining: budget",
        **fields,
    )


def missing(prompt: str, context: Context) -> list[str]:
    """Texts that the model must read and the prompt lacks."""
    said = ["goalword", "one hand", *(tool.name for tool in context.tools)]
    said += [each.description.split(".")[0][:40].split('"')[0] for each in context.tools]
    for each in context.turns:
        said += [each.reply.text, *(hit.label for hit in each.reply.found), *each.news]
        said += [json.loads(each.arguments)["query"]] if each.tool else []
    said += [*context.news, context.operator_words]
    return [words for words in said if words not in prompt]


def served_by(template: Any, script: Script) -> Any:
    """Answer as a server with this template does; the model calls a tool if it can read of one."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        try:
            prompt = prompt_of(template, script.requests[-1])
        except (jinja2.exceptions.TemplateError, TypeError) as error:
            status(400, "invalid_request_error", str(error))(handler)
            return
        script.prompts.append(prompt)  # type: ignore[attr-defined]
        able = "compare_objects" in prompt
        schema = "tools" not in script.requests[-1]
        text = (
            '{"tool": "done", "arguments": {"success": false, "message": "no"}}' if able and schema else "Hm."
        )
        calls = [("done", '{"success": false, "message": "no"}')] if able and not schema else []
        chunks = completions_api(*calls, text="" if calls else text, stop="stop")
        chunks[-1]["usage"] = {"prompt_tokens": len(prompt) // 4, "completion_tokens": 20}
        stream(chunks, named=False)(handler)

    return answer


def test_every_template_shows_the_model_its_tools_and_every_message(
    real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_proxies(monkeypatch)
    problems, ways = dict[str, dict[str, str]](), dict[str, str]()
    for path in sorted((real_data / "chat_templates").glob("*.jinja")):
        with endpoint() as (url, script):
            script.prompts = list[str]()  # type: ignore[attr-defined]
            script.play(served_by(template_of(path), script))
            model = OpenAIModel("m", f"{url}/v1", RetryPolicy(20.0, attempts=1, rng=Random(0)))
            report = check_endpoint(model, context_of("first decision"), 20.0)
            ways[path.stem] = " ".join([report.form, *sorted(model.refused)])
            problems[path.stem] = {"preflight": "; ".join(each.message for each in report.problems)}
            for case in CASES if report.is_usable else ():
                context = context_of(case)
                decision = model(context)
                lacking = missing(script.prompts[-1], context)  # type: ignore[attr-defined]
                problems[path.stem][case] = str(lacking or "" if decision.calls else "no call")
    assert len(ways) == 50
    refusing = {name: found for name, found in problems.items() if any(found.values())}
    assert refusing.keys() == REFUSING.keys(), refusing
    assert all(rule in refusing[name]["preflight"] for name, rule in REFUSING.items())
    assert {name: way for name, way in ways.items() if way != "tools"} == OTHERWISE
