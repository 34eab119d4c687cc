"""Telemetry of the missions: a recording as JSON lines, and OpenTelemetry spans.

`openral replay` runs the mission core on a recording again. Each mission is one trace, propagated in every
request.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from opentelemetry import propagate, trace
from opentelemetry.trace import Span, StatusCode

from openral_reasoner.commands import Command, SpanEnded, SpanStarted
from openral_reasoner.core.journal import RestoredMission
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import Event
from openral_reasoner.idle_state import IdleState
from openral_reasoner.recording import LineWriter, RecordedEvent
from openral_reasoner_ros.dispatcher import Record
from openral_reasoner_ros.genai_spans import GenAiConventions
from openral_ros.resources import ResourceScope
from openral_ros.tracing import traceparent_of, tracer

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
    """Writer of the recording; a write error is logged once and interrupts the recording, never the mission.

    It goes on with the first event after an idle moment at which the file can be written again, unless it has
    reached its maximum size.

    Args:
        folder: Receives ``reasoner.jsonl``; lines of an earlier process stay in front.
        core: Its settings and idle state begin each part that can be replayed alone.
        log: Called once with the reason when recording stops.
        max_size: Largest file size [bytes].
        mission: Restored mission, whose steps so far are recorded again: each process can be replayed alone.
    """

    def __init__(
        self,
        folder: Path,
        core: Core,
        log: Log,
        max_size: int = MAX_SIZE,
        mission: RestoredMission | None = None,
    ) -> None:
        self._path, self._core, self._log, self._max_size = folder / RECORDING_FILE, core, log, max_size
        self._lines, self._size = LineWriter(), 0
        self._is_failing = self._is_full = False
        self._file: TextIO | None = None
        self._before: IdleState | None = None
        header = mission.journal.header.idle if mission is not None else core.idle_state
        self._try(lambda: self._begin(header, mission.steps if mission is not None else ()))

    def record(self, now: float, event: Event, commands: tuple[Command, ...]) -> None:
        """Write one step."""
        idle, self._before = self._before, None
        if idle is not None:
            self._try(lambda: self._begin(idle))
        if self._file is not None:
            self._try(lambda: self._write(self._lines.step(now, event, commands)))
        if self._file is None and not self._is_full:
            self._before = self._core.idle_state

    def _begin(self, idle: IdleState | None, steps: Sequence[RecordedEvent] = ()) -> None:
        """Open the file and write what a replay starts from, and the steps of an earlier process."""
        self._lines = LineWriter()
        self._file = _open_for_append(self._path, self._max_size)
        self._size = self._path.stat().st_size
        interrupted, self._is_failing = self._is_failing, False
        self._write(self._lines.settings(self._core.settings, idle, len(steps), interrupted=interrupted))
        for step in steps:
            self._write(self._lines.step(step.now, step.event, tuple(step.commands)))
        if interrupted:
            self._log(f"Recording {self._path} goes on: missions are recorded again.")

    def close(self) -> None:
        """Close the file; lines that could not be flushed are lost."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.close()

    def _try(self, write: Callable[[], None]) -> None:
        was_failing = self._is_failing
        try:
            write()
        except (OSError, ValueError, TypeError, RecursionError) as error:
            self.close()
            self._is_failing, self._is_full = True, isinstance(error, EventLogFull)
            if not was_failing:
                self._log(f"Recording {self._path} stopped: {error}. Missions continue unrecorded.")

    def _write(self, line: str) -> None:
        if self._file is None:
            return
        self._size += len(line) + 1
        if self._size > self._max_size:
            raise EventLogFull(self._max_size)
        self._file.write(line + "\n")
        self._file.flush()


def make_recorder(
    scope: ResourceScope,
    folder: str,
    core: Core,
    log: Log,
    mission: RestoredMission | None = None,
) -> Record:
    """Return a function that records to ``folder``/reasoner.jsonl until the scope closes.

    An empty ``folder`` records nothing.
    """
    if not folder:
        return lambda now, event, commands: None
    recorder = Recorder(Path(folder), core, log, mission=mission)
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


class Traces:
    """Open spans by the core's span ids, each with the core's name for it."""

    def __init__(self, conventions: GenAiConventions) -> None:
        self._conventions = conventions
        self._open: dict[str, tuple[Span, str]] = {}
        self._incoming = ""

    def prompted(self, traceparent: str) -> None:
        """Make the next mission part of the trace of its prompt."""
        self._incoming = traceparent

    def start(self, command: SpanStarted) -> None:
        """Open a span below its parent."""
        parent = self._open.get(command.parent)
        if parent is not None:
            context = trace.set_span_in_context(parent[0])
        else:
            context = propagate.extract({"traceparent": self._incoming} if self._incoming else {})
        start = self._conventions.start(command)
        span = tracer("openral.reasoner", self._conventions.schema_url).start_span(
            start.name, context, kind=start.kind, attributes=start.attributes
        )
        self._open[command.span] = span, command.name

    def end(self, command: SpanEnded) -> None:
        """Close a span with its outcome."""
        if command.span not in self._open:
            return
        span, name = self._open.pop(command.span)
        failed = self._conventions.is_error(name, command.status)
        span.set_attributes(self._conventions.end(command, failed=failed))
        if failed:
            span.set_status(StatusCode.ERROR, command.status)
        span.end()

    def traceparent(self, call_id: str) -> str:
        """Return the W3C traceparent that makes a peer's span a child of this call."""
        span = self._open.get(call_id)
        return traceparent_of(span[0]) if span else ""

    def close(self) -> None:
        """End all open spans."""
        for span, _ in self._open.values():
            span.end()
        self._open.clear()
