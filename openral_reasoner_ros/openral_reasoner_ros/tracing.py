"""OpenTelemetry spans of the mission core: one trace per mission, propagated in every request."""

from opentelemetry import propagate, trace
from opentelemetry.trace import Span, StatusCode

from openral_reasoner.commands import SpanEnded, SpanStarted
from openral_ros.tracing import traceparent_of

_FAILED = ("FAILED", "INTERRUPTED", "TIMEOUT", "UNAVAILABLE", "SKILL_ERROR", "DETECTOR_ERROR")


class Traces:
    """Open spans by the core's span names."""

    def __init__(self) -> None:
        self._open: dict[str, Span] = {}
        self._incoming = ""

    def prompted(self, traceparent: str) -> None:
        """Make the next mission part of the trace of its prompt."""
        self._incoming = traceparent

    def start(self, command: SpanStarted) -> None:
        """Open a span below its parent."""
        parent = self._open.get(command.parent)
        if parent is not None:
            context = trace.set_span_in_context(parent)
        else:
            context = propagate.extract({"traceparent": self._incoming} if self._incoming else {})
        tracer = trace.get_tracer("openral.reasoner")
        self._open[command.span] = tracer.start_span(command.name, context, attributes=command.attributes)

    def end(self, command: SpanEnded) -> None:
        """Close a span with its outcome."""
        span = self._open.pop(command.span, None)
        if span is None:
            return
        span.set_attributes({"openral.status": command.status, **command.attributes})
        if command.status in _FAILED:
            span.set_status(StatusCode.ERROR, command.status)
        span.end()

    def traceparent(self, call_id: str) -> str:
        """Return the W3C traceparent that makes a peer's span a child of this call."""
        span = self._open.get(call_id)
        return traceparent_of(span) if span else ""

    def close(self) -> None:
        """End all open spans."""
        for span in self._open.values():
            span.end()
        self._open.clear()
