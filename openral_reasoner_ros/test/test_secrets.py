"""A vendor's key reaches the vendor, and nothing else: no span, log, recording or message has it."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from openral_msgs.msg import MissionStatus

KEY = "sk-secret-0123456789"


@pytest.fixture
def spans() -> InMemorySpanExporter:
    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        trace.set_tracer_provider(TracerProvider())
    exporter = InMemorySpanExporter()
    provider = trace.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return exporter


@pytest.fixture
def endpoint() -> Iterator[tuple[str, list[str]]]:
    """Refuses every request by repeating what it was sent, the key included."""
    received: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            received.append(str(self.headers))
            error = {"type": "authentication_error", "message": f"bad key {KEY} in {self.headers}"}
            body = json.dumps({"type": "error", "error": error}).encode()
            self.send_response(401)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", received
    server.shutdown()
    server.server_close()


@pytest.fixture
def mission_with(
    graph: Any,
    operator: Any,
    make_reasoner: Any,
    spin_until: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., list[str]]:
    """Runs a mission of a brain to its end; every message that the reasoner published."""

    def run(brain: str, **parameters: str) -> list[str]:
        for variable in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.delenv(variable, raising=False)
            monkeypatch.delenv(variable.upper(), raising=False)
        monkeypatch.setenv(f"{brain.upper()}_API_KEY", KEY)
        nodes = [graph, operator, make_reasoner(brain=brain, **parameters)]
        spin_until(nodes, lambda: operator.heard, 10.0)
        operator.say("find the mug")
        spin_until(nodes, lambda: operator.ended, 30.0)
        assert operator.statuses[-1].state == MissionStatus.STATE_HANDED_OVER
        said = (*operator.statuses, *operator.handoffs, *operator.replies, *operator.palettes)
        return [str(item) for item in said]

    return run


@pytest.mark.parametrize("brain", ["anthropic", "openai"])
def test_a_mission_leaves_the_key_nowhere(
    brain: str,
    endpoint: tuple[str, list[str]],
    spans: InMemorySpanExporter,
    mission_with: Callable[..., list[str]],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip(brain)
    url, received = endpoint
    messages = mission_with(brain=brain, model="m", base_url=url, record=str(tmp_path / "recording"))
    assert any(KEY in headers for headers in received)
    recorded = [path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file()]
    assert any("UNAUTHORISED" in words for words in recorded)
    traced = [span.to_json() for span in spans.get_finished_spans()]
    assert any("chat" in words for words in traced)
    said = capfd.readouterr()
    for words in (*recorded, *traced, *messages, said.out, said.err):
        assert KEY not in words
