"""One trace crosses process borders as a traceparent string and is kept on disk."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry.trace import ProxyTracerProvider

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
