"""Spans by the semantic conventions, checked against the conventions' own package."""

import json

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as registry
from opentelemetry.semconv.attributes import error_attributes
from opentelemetry.semconv.schemas import Schemas
from opentelemetry.trace import SpanKind

pytest.importorskip("rclpy")
from openral_reasoner.commands import SpanEnded, SpanStarted
from openral_reasoner_ros import genai_spans as own
from openral_reasoner_ros.genai_spans import GenAiConventions
from openral_reasoner_ros.telemetry import Traces

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


def spans_of(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, ReadableSpan]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr("openral_reasoner_ros.telemetry.trace.get_tracer", provider.get_tracer)
    traces = Traces(GenAiConventions.from_environment(environment, "anthropic", "large"))
    for start in STARTS:
        traces.start(start)
    for end in ENDS:
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
