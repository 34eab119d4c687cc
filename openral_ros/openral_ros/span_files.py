"""Spans as JSON lines in a file."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

MOST = 64_000_000
"""A file takes no more spans than this [bytes]."""
_log = logging.getLogger(__name__)


class JsonLinesExporter(SpanExporter):
    """Appends each ended span as one line and flushes, so a killed process loses none it ended.

    What cannot be written, or would make the file longer than ``most`` bytes, is told once.
    """

    def __init__(self, path: Path, most: int = MOST) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path, self._most = path, most
        self._file = path.open("a", encoding="utf-8")
        self._size = path.stat().st_size
        self._lock = Lock()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Write the spans."""
        with self._lock:
            if self._file.closed:
                return SpanExportResult.FAILURE
            try:
                self._write("".join(span.to_json(indent=None) + "\n" for span in spans))
            except (OSError, ValueError) as error:
                _log.error("spans end: %s: %s", self._path, error)
                self._close()
                return SpanExportResult.FAILURE
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Close the file."""
        with self._lock:
            self._close()

    def _write(self, lines: str) -> None:
        self._size += len(lines)
        if self._size > self._most:
            raise OSError(f"the file has {self._most / 1e6:.0f} MB, which is all it may have")
        self._file.write(lines)
        self._file.flush()

    def _close(self) -> None:
        with suppress(OSError):
            self._file.close()
