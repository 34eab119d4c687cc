"""Spans by the semantic conventions, checked against the conventions' own package."""

import json
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as registry
from opentelemetry.semconv.attributes import error_attributes
from opentelemetry.semconv.schemas import Schemas
from opentelemetry.trace import SpanKind

pytest.importorskip("rclpy")
from openral_reasoner.commands import AskModel, CallRecall, Command, SpanEnded, SpanStarted
from openral_reasoner.context import RawCall
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import (
    CallFailed,
    Event,
    ModelAnswered,
    ModelFailed,
    PaletteChanged,
    PromptReceived,
)
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings
from openral_reasoner_ros import genai_spans as own
from openral_reasoner_ros.genai_spans import GenAiConventions
from openral_reasoner_ros.telemetry import Traces
from openral_testing.reasoner.simulator import SimulatedTimeline

LATEST = {"OTEL_SEMCONV_STABILITY_OPT_IN": "http, gen_ai_latest_experimental"}
CONTENT = {**LATEST, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"}
STARTS = (
    SpanStarted(span="m", parent="", name="invoke_agent", attributes={"goal": "find the mug"}),
    SpanStarted(span="m/1", parent="m", name="chat", attributes={"gen_ai.operation.name": "chat"}),
    SpanStarted(span="m/2", parent="m", name="execute_tool recall_object", attributes={"query": "mug"}),
    SpanStarted(span="m/3", parent="m", name="search_candidate", attributes={"words": "mug"}),
)
ENDS = (
    SpanEnded(span="m/3", status="NOT_IN_VIEW"),
    SpanEnded(span="m/2", status="TIMEOUT"),
    SpanEnded(span="m/1", status="OK", attributes={"gen_ai.usage.input_tokens": 7}),
    SpanEnded(span="m", status="SUCCEEDED"),
)


def spans_of(
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    starts: tuple[SpanStarted, ...] = STARTS,
    ends: tuple[SpanEnded, ...] = ENDS,
) -> dict[str, ReadableSpan]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr("openral_ros.tracing.trace.get_tracer_provider", lambda: provider)
    traces = Traces(GenAiConventions.from_environment(environment, "anthropic", "large"))
    for start in starts:
        traces.start(start)
    for end in ends:
        traces.end(end)
    return {span.name: span for span in exporter.get_finished_spans()}


def test_the_names_are_those_of_the_conventions_package() -> None:
    assert Schemas.V1_44_0.value == own.SCHEMA_URL
    known = {value for name, value in vars(registry).items() if name.startswith("GEN_AI_")}
    used = {value for value in vars(own).values() if isinstance(value, str) and value.startswith("gen_ai.")}
    assert len(used) >= 10
    assert used <= known
    assert error_attributes.ERROR_TYPE == own.ERROR_TYPE
    operations = {each.value for each in registry.GenAiOperationNameValues}
    assert {own.INVOKE_AGENT, own.CHAT, own.EXECUTE_TOOL} <= operations


def test_spans_follow_the_conventions_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = spans_of(LATEST, monkeypatch)
    agent, chat = spans["invoke_agent openral"], spans["chat large"]
    tool = spans["execute_tool recall_object"]
    assert agent.attributes is not None
    assert agent.attributes["gen_ai.conversation.id"] == "m"
    assert chat.kind is SpanKind.CLIENT
    assert chat.attributes is not None
    assert chat.attributes["gen_ai.provider.name"] == "anthropic"
    assert chat.attributes["gen_ai.request.model"] == "large"
    assert chat.attributes["gen_ai.usage.input_tokens"] == 7
    assert "error.type" not in chat.attributes
    assert tool.attributes is not None
    assert tool.attributes["gen_ai.tool.name"] == "recall_object"
    assert tool.attributes["error.type"] == "TIMEOUT"
    assert all(span.instrumentation_scope.schema_url == own.SCHEMA_URL for span in spans.values())  # type: ignore[union-attr]
    assert {span.context.trace_id for span in spans.values()} == {agent.context.trace_id}


@pytest.mark.parametrize(
    ("name", "status", "error"),
    [
        ("chat", "RATE_LIMITED", "RATE_LIMITED"),
        ("chat", "TIMEOUT", "TIMEOUT"),
        ("chat", "OK", None),
        ("execute_tool execute_rskill", "NOT_REACHABLE", "NOT_REACHABLE"),
        ("execute_tool execute_rskill", "CANCELLED", None),
        ("execute_tool locate_in_view", "STALE_FRAME", "STALE_FRAME"),
        ("execute_tool locate_in_view", "NOT_IN_VIEW", None),
        ("execute_tool recall_object", "NOT_IN_MEMORY", None),
        ("invoke_agent", "HANDED_OVER", None),
    ],
)
def test_an_error_has_the_status_as_its_type(
    name: str, status: str, error: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = SpanStarted(span="m", parent="", name=name, attributes={})
    (span,) = spans_of(LATEST, monkeypatch, (start,), (SpanEnded(span="m", status=status),)).values()
    assert (span.attributes or {}).get("error.type") == error
    assert span.status.is_ok is (error is None)


def test_a_whole_mission_emits_only_names_of_the_conventions(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = commands_of_a_mission()
    starts = tuple(each for each in commands if isinstance(each, SpanStarted))
    ends = tuple(each for each in commands if isinstance(each, SpanEnded))
    spans = list(spans_of(CONTENT, monkeypatch, starts, ends).values())
    known = {value for name, value in vars(registry).items() if name.startswith("GEN_AI_")}
    removed = {registry.GEN_AI_SYSTEM, registry.GEN_AI_PROMPT, registry.GEN_AI_COMPLETION}
    used = {name for span in spans for name in (span.attributes or {})}
    assert {"gen_ai.usage.input_tokens", "gen_ai.response.model"} <= used
    own_names = {name for name in used if not name.startswith("openral.")}
    assert own_names <= (known - removed) | {"error.type"}
    operations = {str((span.attributes or {}).get("gen_ai.operation.name", "")) for span in spans} - {""}
    assert operations == {"invoke_agent", "chat", "execute_tool"}
    assert operations <= {each.value for each in registry.GenAiOperationNameValues}


def commands_of_a_mission() -> list[Command]:
    """Return what the core emits for a mission whose model fails once and memory never answers."""
    decisions = iter(DECISIONS)

    def answers(command: Command, now: float) -> Iterator[tuple[float, Event]]:
        if isinstance(command, AskModel):
            yield 1.0, answered(command.call_id, *next(decisions))
        elif isinstance(command, CallRecall):
            yield (
                1.0,
                CallFailed(call_id=command.call_id, condition="UNAVAILABLE", message="restarting"),
            )

    line = SimulatedTimeline(Core(MissionSettings()), answers)
    line.put(0.0, PaletteChanged(palette=ToolPalette(spatial_memory_available=True)))
    line.put(0.0, PromptReceived(id="p", text="find the mug"))
    line.run()
    return [command for moment in line.moments for command in moment.commands]


DECISIONS = (
    ("", "RATE_LIMITED"),
    ("recall_object", '{"query": "mug"}'),
    *(("done", '{"success": false, "message": "it is not here"}'),) * 3,
)
"""Tools with arguments; without a tool, the condition of a failure."""


def answered(call_id: str, tool: str, text: str) -> Event:
    if not tool:
        return ModelFailed(call_id=call_id, condition=text, message="try later")
    calls = (RawCall(tool=tool, arguments=text),)
    return ModelAnswered(call_id=call_id, calls=calls, model="large-2026", read=7, written=3)


def test_content_is_recorded_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = spans_of(LATEST, monkeypatch).values()
    assert not any("mug" in str(dict(span.attributes or {})) for span in silent)
    spans = spans_of(CONTENT, monkeypatch)
    arguments = (spans["execute_tool recall_object"].attributes or {})["gen_ai.tool.call.arguments"]
    assert json.loads(str(arguments)) == {"query": "mug"}
    goal = json.loads(str((spans["invoke_agent openral"].attributes or {})["gen_ai.input.messages"]))
    assert goal[0]["parts"][0]["content"] == "find the mug"


@pytest.mark.parametrize("environment", [{}, {"OTEL_SEMCONV_STABILITY_OPT_IN": "http/dup"}])
def test_without_the_opt_in_spans_are_those_of_earlier_recordings(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spans = spans_of(environment, monkeypatch)
    assert set(spans) == {start.name for start in STARTS}
    for start in STARTS:
        attributes = dict(spans[start.name].attributes or {})
        assert start.attributes.items() <= attributes.items()
        assert "error.type" not in attributes
