"""Goals on the simulation's thread keep the trace they came with."""

from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("rclpy")
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from openral_core.geometry import Pose
from openral_core.skill_requests import ValidatedGoal
from openral_core.skills import SkillResult, Verb
from openral_ros.skill_server import QueuedGoal
from openral_sim.ros.sim_thread import SimLoop
from openral_sim.simulation import RealTimePacer, Simulation

HOME = Path(__file__).parents[3] / "scenes" / "deploy" / "home.yaml"
TRACE = "0af7651916cd43dd8448eb211c80319c"


class Nothing:
    """Publishers without subscribers."""

    def open_cameras(self, stack: Any) -> tuple[()]:
        return ()

    def publish(self, time: float, feeds: Any, shares: Any, stamp: float) -> None:
        """Publish nothing."""


def test_a_goals_span_belongs_to_its_callers_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    loop = SimLoop(Simulation.load(HOME, 0), Nothing(), RealTimePacer(0.0))
    ended: Future[SkillResult] = Future()
    look = ValidatedGoal("look-at", Verb.LOOK_AT, {"target": Pose((1.0, 4.2, 0.9))}, 30.0)
    thread = Thread(target=loop.run, args=(Future(),))
    thread.start()
    loop.submit(QueuedGoal(look, f"00-{TRACE}-b7ad6b7169203331-01", ended.set_result))
    assert ended.result(30.0).success
    loop.stop()
    thread.join(10.0)
    assert not thread.is_alive()
    (span,) = spans.get_finished_spans()
    assert format(span.context.trace_id, "032x") == TRACE
    assert span.attributes["verb"] == "LOOK_AT"
