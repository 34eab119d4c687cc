"""Spans that cannot be written cost nothing but themselves, and one line."""

import json
import logging
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from openral_ros.tracing import JsonLinesSpanExporter


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
    (told,) = caplog.records
    assert "export of spans stopped" in told.getMessage()
    assert "No space left" in told.getMessage()


def test_a_file_is_bounded_and_every_line_of_it_is_whole(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        end_spans(JsonLinesSpanExporter(tmp_path / "spans.jsonl", max_size=5000), 100)
    lines = (tmp_path / "spans.jsonl").read_text().splitlines()
    assert 2 < len(lines) < 20
    assert [json.loads(line)["name"] for line in lines] == [f"span {n}" for n in range(len(lines))]
    assert len(caplog.records) == 1
