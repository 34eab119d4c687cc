"""Spans of a recorded run, as the console shows them: what each process did, when, and within what."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypedDict

from pydantic import BaseModel, Field, ValidationError

MAX_SPANS = 2000
"""Most spans of a run that a page gets; the longest ones."""
MAX_DEPTH = 12
"""Deepest level that is told apart; also ends the loop over spans that name each other as parents."""
STATUSES = ("openral.status", "status")
"""Attributes that hold the outcome of a span."""


class SpanContext(BaseModel):
    """Identity of a span."""

    span_id: str = Field(max_length=64)


class SpanResource(BaseModel):
    """Process that recorded a span."""

    attributes: dict[str, object] = {}


class RecordedSpan(BaseModel):
    """A line of OpenTelemetry's JSON exporter; what is not shown is not read."""

    name: str = Field(max_length=500)
    context: SpanContext
    parent_id: str | None = None
    start_time: datetime
    end_time: datetime
    attributes: dict[str, object] = {}
    resource: SpanResource = SpanResource()


class SpanRow(TypedDict):
    """A span on the page; ``start`` is since the beginning of the recording [s]."""

    start: float
    duration: float
    name: str
    service: str
    status: str
    depth: int


def read_spans(lines: Iterable[str], start: float, duration: float) -> list[SpanRow]:
    """Return the spans of a recording, by their beginning; lines that are no spans are left out.

    Args:
        lines: One span each.
        start: Of the recording, since the epoch [s].
        duration: Of the recording [s].
    """
    spans: dict[str, RecordedSpan] = {}
    for line in lines:
        try:
            span = RecordedSpan.model_validate_json(line)
        except ValidationError:
            continue
        spans[span.context.span_id] = span
    shown = [_row(span, spans, start) for span in spans.values()]
    inside = [row for row in shown if row["start"] <= duration and row["start"] + row["duration"] >= 0.0]
    longest = sorted(inside, key=lambda row: -row["duration"])[:MAX_SPANS]
    return sorted(longest, key=lambda row: (row["start"], row["depth"]))


def _row(span: RecordedSpan, spans: Mapping[str, RecordedSpan], start: float) -> SpanRow:
    begin, end = span.start_time.timestamp(), span.end_time.timestamp()
    outcome = next((str(span.attributes[key]) for key in STATUSES if key in span.attributes), "")
    return {
        "start": round(begin - start, 3),
        "duration": round(max(0.0, end - begin), 3),
        "name": span.name[:200],
        "service": str(span.resource.attributes.get("service.name", ""))[:100],
        "status": outcome[:100],
        "depth": _depth(span, spans),
    }


def _depth(span: RecordedSpan, spans: Mapping[str, RecordedSpan]) -> int:
    depth, parent = 0, spans.get(span.parent_id or "")
    while parent is not None and depth < MAX_DEPTH:
        depth, parent = depth + 1, spans.get(parent.parent_id or "")
    return depth
