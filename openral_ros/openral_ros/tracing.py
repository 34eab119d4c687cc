"""OpenTelemetry spans across ROS: W3C ``traceparent`` strings in requests, goals and prompts.

Spans are exported by OTLP when the standard ``OTEL_EXPORTER_OTLP_ENDPOINT`` is set and the exporter is
installed, and as JSON lines below a recording folder if one is given. Otherwise they cost almost nothing.
"""

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from threading import Lock

from opentelemetry import propagate, trace
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    SimpleSpanProcessor,
    SpanExporter,
    SpanExportResult,
)

from openral_core.errors import OpenRALError

MAX_FILE_SIZE = 64_000_000
"""Largest file of spans [bytes]."""
_log = logging.getLogger(__name__)


class JsonLinesSpanExporter(SpanExporter):
    """Appends each ended span as one line and flushes, so that a killed process loses none.

    Export stops with one logged error when the file exceeds ``max_size`` [bytes]. If the file cannot be
    written, that is logged once, and export goes on as soon as it can.
    """

    def __init__(self, path: Path, max_size: int = MAX_FILE_SIZE) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path, self._max_size = path, max_size
        self._file = path.open("a", encoding="utf-8")
        self._size = path.stat().st_size
        self._lock, self._is_failing, self._is_ended = Lock(), False, False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Write the spans."""
        with self._lock:
            if self._is_ended:
                return SpanExportResult.FAILURE
            try:
                self._write("".join(span.to_json(indent=None) + "\n" for span in spans))
            except (OSError, ValueError) as error:
                if not self._is_failing:
                    _log.error("export of spans stopped: %s: %s", self._path, error)
                self._is_failing = True
                self._close()
                return SpanExportResult.FAILURE
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Close the file."""
        with self._lock:
            self._is_ended = True
            self._close()

    def _write(self, lines: str) -> None:
        if self._file.closed:
            self._file = self._path.open("a", encoding="utf-8")
            lines = "\n" + lines  # the last line may be incomplete
        if self._size + len(lines) > self._max_size:
            self._is_ended = True
            raise OSError(f"the file has reached its limit of {self._max_size / 1e6:.0f} MB")
        self._file.write(lines)
        self._file.flush()
        self._size += len(lines)
        if self._is_failing:
            self._is_failing = False
            _log.warning("spans are exported again: %s", self._path)

    def _close(self) -> None:
        with suppress(OSError):
            self._file.close()


AttributeValue = str | bool | int | float
OTLP_VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT"
OTLP_MODULE = "opentelemetry.exporter.otlp.proto.http.trace_exporter"


class OtlpExporterMissing(OpenRALError):
    """OTLP export without the exporter package."""

    def __init__(self) -> None:
        super().__init__(
            f"{OTLP_VARIABLE} is set but the exporter is not installed: "
            "pip install opentelemetry-exporter-otlp-proto-http, or unset the variable"
        )


class _OwnProvider:
    """Place of the provider of one node among several in a process."""

    provider: TracerProvider | None = None


_own: ContextVar[_OwnProvider | None] = ContextVar("openral_tracing", default=None)
"""That of the node whose thread this is; None in a process of one node, whose provider is global."""


def trace_apart() -> None:
    """Give the calling thread exporters of its own; threads that run in a copy of its context share them."""
    _own.set(_OwnProvider())


def tracer(name: str, schema_url: str | None = None) -> trace.Tracer:
    """Return a tracer of this node's exporters."""
    own = _own.get()
    provider = own.provider if own is not None else None
    return (provider or trace.get_tracer_provider()).get_tracer(name, schema_url=schema_url)


def start_tracing(service: str, record: Path | None) -> None:
    """Configure the exporters of this node; none without a recording folder or OTLP endpoint.

    Only the first call has an effect: OpenTelemetry accepts one provider per process, and likewise a node.

    Raises:
        OtlpExporterMissing: If the environment requests OTLP and the exporter is not installed.
    """
    endpoint = os.environ.get(OTLP_VARIABLE)
    own = _own.get()
    current = trace.get_tracer_provider() if own is None else own.provider
    if (record is None and not endpoint) or isinstance(current, TracerProvider):
        return
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: service}))
    if record is not None:
        exporter = JsonLinesSpanExporter(record / "spans" / f"{service}.jsonl")
        provider.add_span_processor(SimpleSpanProcessor(exporter))
    if endpoint:
        provider.add_span_processor(BatchSpanProcessor(_otlp_exporter()))
    if own is None:
        trace.set_tracer_provider(provider)
    else:
        own.provider = provider


@contextmanager
def span(
    name: str,
    traceparent: str = "",
    attributes: Mapping[str, AttributeValue] | None = None,
) -> Iterator[trace.Span]:
    """Open a span below ``traceparent`` ("" = below the current span) and make it current."""
    context = propagate.extract({"traceparent": traceparent}) if traceparent else None
    with tracer("openral").start_as_current_span(name, context=context, attributes=attributes) as opened:
        yield opened


def start_span(name: str, traceparent: str, attributes: Mapping[str, AttributeValue]) -> trace.Span:
    """Start a span that is never current, for work that outlives a callback; the caller ends it."""
    context = propagate.extract({"traceparent": traceparent}) if traceparent else None
    return tracer("openral").start_span(name, context=context, attributes=attributes)


def traceparent_of(opened: trace.Span) -> str:
    """Return the W3C header value of a span, for its children; "" if it is not recorded."""
    carrier: dict[str, str] = {}
    propagate.inject(carrier, context=trace.set_span_in_context(opened))
    return carrier.get("traceparent", "")


def current_traceparent() -> str:
    """Return `traceparent_of` the current span."""
    return traceparent_of(trace.get_current_span())


def _otlp_exporter() -> SpanExporter:
    try:
        exporter: SpanExporter = import_module(OTLP_MODULE).OTLPSpanExporter()
    except ImportError as error:
        raise OtlpExporterMissing from error
    return exporter
