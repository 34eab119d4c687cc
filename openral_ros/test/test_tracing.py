"""One trace crosses process borders as a traceparent string; its file is bounded."""

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import ProxyTracerProvider

from openral_ros.tracing import JsonLinesSpanExporter

SCRIPT = """
import sys
from pathlib import Path
from openral_ros.tracing import current_traceparent, span, start_tracing
start_tracing(sys.argv[1], Path(sys.argv[2]))
with span("step", sys.argv[3], {"words": "red mug"}):
    print(current_traceparent())
"""


def step(service: str, record: Path, parent: str = "") -> str:
    """Run one traced step in a process of its own; its traceparent."""
    arguments = [sys.executable, "-c", SCRIPT, service, str(record), parent]
    return subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def test_a_span_in_another_process_joins_the_trace(tmp_path: Path) -> None:
    first = step("reasoner", tmp_path)
    step("detector", tmp_path, first)
    spans = {
        name: json.loads((tmp_path / "spans" / f"{name}.jsonl").read_text())
        for name in ("reasoner", "detector")
    }
    assert spans["reasoner"]["context"]["trace_id"] == spans["detector"]["context"]["trace_id"]
    assert spans["detector"]["parent_id"] == spans["reasoner"]["context"]["span_id"]
    assert spans["detector"]["attributes"]["words"] == "red mug"


def test_otlp_asked_for_without_its_exporter_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from openral_ros import tracing

    monkeypatch.setenv(tracing.OTLP_VARIABLE, "http://localhost:1")
    monkeypatch.setattr(tracing, "OTLP_MODULE", "no_such_exporter")
    monkeypatch.setattr(tracing.trace, "get_tracer_provider", ProxyTracerProvider)
    with pytest.raises(tracing.OtlpExporterMissing, match="pip install"):
        tracing.start_tracing("reasoner", None)


def end_spans(exporter: JsonLinesSpanExporter, count: int) -> None:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    for number in range(count):
        provider.get_tracer("test").start_span(f"span {number}").end()
    provider.shutdown()


def test_a_full_disk_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "spans.jsonl").symlink_to("/dev/full")
    with caplog.at_level(logging.ERROR):
        end_spans(JsonLinesSpanExporter(tmp_path / "spans.jsonl"), 5)
    (reported,) = caplog.records
    assert "export of spans stopped" in reported.getMessage()
    assert "No space left" in reported.getMessage()


def test_a_file_is_bounded_and_every_line_of_it_is_whole(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        end_spans(JsonLinesSpanExporter(tmp_path / "spans.jsonl", max_size=5000), 100)
    lines = (tmp_path / "spans.jsonl").read_text().splitlines()
    assert 2 < len(lines) < 20
    assert [json.loads(line)["name"] for line in lines] == [f"span {n}" for n in range(len(lines))]
    assert len(caplog.records) == 1


def test_spans_are_exported_again_when_there_is_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "spans.jsonl"
    exporter = JsonLinesSpanExporter(file)
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))

    def end_span(name: str) -> None:
        provider.get_tracer("test").start_span(name).end()

    end_span("before")
    exporter._file.write('{"torn')
    exporter._file.close()
    exporter._file = Path("/dev/full").open("w")  # noqa: SIM115 - closed by the exporter
    with caplog.at_level(logging.WARNING):
        for name in ("lost", "after", "later"):
            end_span(name)
    provider.shutdown()
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]
    assert "exported again" in caplog.records[-1].getMessage()
    lines = [line for line in file.read_text().splitlines() if line and line != '{"torn']
    assert [json.loads(line)["name"] for line in lines] == ["before", "after", "later"]
