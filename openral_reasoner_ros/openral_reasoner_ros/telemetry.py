"""Telemetry of the missions: a recording as JSON lines, and OpenTelemetry spans.

`openral replay` runs the mission core on a recording again. Each mission is one trace, propagated in every
request.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from opentelemetry import propagate, trace
from opentelemetry.trace import Span, StatusCode

from openral_reasoner.commands import Command, SpanEnded, SpanStarted
from openral_reasoner.events import Event
from openral_reasoner.journal import RestoredMission
from openral_reasoner.recording import LineWriter
from openral_reasoner.settings import MissionSettings
from openral_reasoner_ros.dispatcher import Record
from openral_reasoner_ros.genai_spans import GenAiConventions
from openral_ros.resources import ResourceScope
from openral_ros.tracing import traceparent_of

RECORDING_FILE = "reasoner.jsonl"
PREVIOUS_RECORDING_FILE = "reasoner.1.jsonl"
"""Name that a half-full recording gets when the next start of the reasoner begins a new one."""
MAX_SIZE = 256_000_000
"""Largest recording [bytes]: about a day of missions in a home of 300 objects."""
Log = Callable[[str], object]


class EventLogFull(OSError):
    """A recording that has reached its maximum size."""

    def __init__(self, max_size: int) -> None:
        super().__init__(f"it has reached its limit of {max_size / 1e6:.0f} MB")


class Recorder:
    """Writer of the recording; a write error is logged once and ends the recording, never the mission.

    Args:
        folder: Receives ``reasoner.jsonl``; lines of an earlier process stay in front.
        settings: Settings of the core, which the replay needs.
        log: Called once with the reason when recording stops.
        max_size: Largest file size [bytes].
        mission: Restored mission, whose steps so far are recorded again: each process can be replayed alone.
    """

    def __init__(
        self,
        folder: Path,
        settings: MissionSettings,
        log: Log,
        max_size: int = MAX_SIZE,
        mission: RestoredMission | None = None,
    ) -> None:
        self._path, self._log, self._max_size = folder / RECORDING_FILE, log, max_size
        self._lines, self._size = LineWriter(), 0
        self._file: TextIO | None = None
        try:
            self._file = _open_for_append(self._path, max_size)
            self._size = self._path.stat().st_size
            self._begin(settings, mission)
        except (OSError, ValueError) as error:
            self._stop(error)

    def _begin(self, settings: MissionSettings, mission: RestoredMission | None) -> None:
        if mission is None:
            self._write(self._lines.settings(settings))
            return
        self._write(self._lines.settings(settings, mission.journal.header.idle, len(mission.steps)))
        for step in mission.steps:
            self.record(step.now, step.event, tuple(step.commands))

    def record(self, now: float, event: Event, commands: tuple[Command, ...]) -> None:
        """Write one step."""
        if self._file is None:
            return
        try:
            self._write(self._lines.step(now, event, commands))
        except (OSError, ValueError, TypeError, RecursionError) as error:
            self._stop(error)

    def close(self) -> None:
        """Close the file; lines that could not be flushed are lost."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.close()

    def _write(self, line: str) -> None:
        if self._file is None:
            return
        self._size += len(line) + 1
        if self._size > self._max_size:
            raise EventLogFull(self._max_size)
        self._file.write(line + "\n")
        self._file.flush()

    def _stop(self, error: Exception) -> None:
        self.close()
        self._log(f"Recording {self._path} stopped: {error}. Missions continue unrecorded.")


def make_recorder(
    scope: ResourceScope,
    folder: str,
    settings: MissionSettings,
    log: Log,
    mission: RestoredMission | None = None,
) -> Record:
    """Return a function that records to ``folder``/reasoner.jsonl until the scope closes.

    An empty ``folder`` records nothing.
    """
    if not folder:
        return lambda now, event, commands: None
    recorder = Recorder(Path(folder), settings, log, mission=mission)
    scope.callback(recorder.close)
    return recorder.record


def _open_for_append(path: Path, max_size: int) -> TextIO:
    """Open the file at the beginning of a line; a file that is half full is moved aside first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file() and path.stat().st_size > max_size // 2:
        path.replace(path.with_name(PREVIOUS_RECORDING_FILE))
    file = path.open("a", encoding="utf-8")
    if path.stat().st_size:
        with path.open("rb") as written:
            written.seek(-1, 2)
            if written.read() != b"\n":
                file.write("\n")
    return file


_FAILED = ("FAILED", "INTERRUPTED", "TIMEOUT", "UNAVAILABLE", "SKILL_ERROR", "DETECTOR_ERROR")


class Traces:
    """Open spans by the core's span names."""

    def __init__(self, conventions: GenAiConventions) -> None:
        self._conventions = conventions
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
        tracer = trace.get_tracer("openral.reasoner", schema_url=self._conventions.schema_url)
        start = self._conventions.start(command)
        self._open[command.span] = tracer.start_span(
            start.name, context, kind=start.kind, attributes=start.attributes
        )

    def end(self, command: SpanEnded) -> None:
        """Close a span with its outcome."""
        span = self._open.pop(command.span, None)
        if span is None:
            return
        failed = command.status in _FAILED
        span.set_attributes(self._conventions.end(command, failed=failed))
        if failed:
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
