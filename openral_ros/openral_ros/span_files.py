"""Spans as JSON lines in a file."""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult


class JsonLinesExporter(SpanExporter):
    """Appends each ended span as one line and flushes, so a killed process loses none it ended."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", encoding="utf-8")
        self._lock = Lock()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Write the spans."""
        with self._lock:
            if self._file.closed:
                return SpanExportResult.FAILURE
            self._file.writelines(span.to_json(indent=None) + "\n" for span in spans)
            self._file.flush()
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()
